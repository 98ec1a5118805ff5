"""Filters over records as a tree of comparisons, and the SQL condition that one is.

Every name in the SQL is one of ours, by `Field`; values are parameters, always. A field that a
record does not have fails each comparison but `ne` and `nin`; `Not` is the plain complement.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


class Field(StrEnum):
    """What a record can be filtered by."""

    RECORD_ID = "record_id"
    VERSION = "version"
    SUBJECT = "subject"
    PREDICATE = "predicate"
    OBJECT = "object"
    KIND = "kind"
    TRUST = "trust"
    SOURCE_ID = "source_id"
    SOURCE_TYPE = "source_type"
    SOURCE_REF = "source_ref"
    STATEMENT = "statement"
    VERSION_NUMBER = "version_number"
    CONFIDENCE = "confidence"
    DISPUTED = "disputed"
    RECORDED_AT = "recorded_at"
    VALID_FROM = "valid_from"
    VALID_UNTIL = "valid_until"


class Operator(StrEnum):
    """How a field is compared."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    NIN = "nin"
    CONTAINS = "contains"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One field compared with a value, which has the field's type."""

    field: Field
    operator: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of these hold."""

    parts: Sequence[RecordCondition]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these holds."""

    parts: Sequence[RecordCondition]


@dataclass(frozen=True, slots=True)
class Not:
    """This does not hold."""

    part: RecordCondition


RecordCondition: TypeAlias = Comparison | AllOf | AnyOf | Not


def _of_source(column: str) -> str:
    """A column of the source that the first supporting citation of record `r` quotes."""
    return (
        f"(SELECT s.{column} FROM memory_citation c"  # noqa: S608 - ours
        " JOIN memory_source s ON s.project_id = c.project_id AND s.id = c.source_id"
        " WHERE c.project_id = r.project_id AND c.record_id = r.id AND c.relation = 'supports'"
        " ORDER BY c.recorded_at, c.id LIMIT 1)"
    )


_COLUMNS: Final = {
    Field.RECORD_ID: "r.id::text",
    Field.VERSION: "r.version::text",
    Field.SUBJECT: "r.subject",
    Field.PREDICATE: "r.predicate",
    Field.OBJECT: "r.object",
    Field.KIND: "r.kind::text",
    Field.TRUST: "(ARRAY['untrusted', 'asserted', 'verified', 'policy_approved'])[r.trust + 1]",
    Field.SOURCE_ID: f"{_of_source('id')}::text",
    Field.SOURCE_TYPE: f"{_of_source('origin_type')}::text",
    Field.SOURCE_REF: f"{_of_source('origin_ref')}::text",
    Field.STATEMENT: "r.statement",
    Field.VERSION_NUMBER: "r.version_number::bigint",
    Field.CONFIDENCE: "r.confidence",
    Field.DISPUTED: "r.is_disputed",
    Field.RECORDED_AT: "r.recorded_at",
    Field.VALID_FROM: "r.valid_from",
    Field.VALID_UNTIL: "r.valid_until",
}
_TYPES: Final = {
    Field.VERSION_NUMBER: "numeric",
    Field.CONFIDENCE: "float8",
    Field.DISPUTED: "boolean",
    Field.RECORDED_AT: "timestamptz",
    Field.VALID_FROM: "timestamptz",
    Field.VALID_UNTIL: "timestamptz",
}
_SIGNS: Final = {
    Operator.EQ: "=",
    Operator.GT: ">",
    Operator.GTE: ">=",
    Operator.LT: "<",
    Operator.LTE: "<=",
}


@dataclass(slots=True)
class SqlCondition:
    """A condition over record `r` as SQL text with named placeholders, and their values."""

    text: str = "true"
    values: dict[str, Any] = field(default_factory=dict)


def sql_of(condition: RecordCondition | None) -> SqlCondition:
    """The SQL of a condition; `true` without one."""
    found = SqlCondition()
    if condition is not None:
        found.text = _sql(condition, found.values)
    return found


def _sql(condition: RecordCondition, values: dict[str, Any]) -> str:
    match condition:
        case Comparison():
            return _compare(condition, values)
        case Not():
            return f"NOT {_sql(condition.part, values)}"
        case AllOf():
            return f"({' AND '.join(_sql(part, values) for part in condition.parts)})"
        case AnyOf():
            return f"({' OR '.join(_sql(part, values) for part in condition.parts)})"


def _compare(comparison: Comparison, values: dict[str, Any]) -> str:
    column, operator = _COLUMNS[comparison.field], comparison.operator
    if operator is Operator.EXISTS:
        return f"({column} IS {'NOT ' if comparison.value else ''}NULL)"
    kind = _TYPES.get(comparison.field, "text")
    name = f"filter_{len(values)}"
    values[name] = _given(comparison)
    if operator is Operator.NE:
        return f"({column} IS DISTINCT FROM %({name})s::{kind})"
    if operator is Operator.IN:
        return f"coalesce({column} = ANY (%({name})s::{kind}[]), false)"
    if operator is Operator.NIN:
        return f"coalesce({column} <> ALL (%({name})s::{kind}[]), true)"
    if operator is Operator.CONTAINS:
        return f"coalesce(strpos({column}, %({name})s::text) > 0, false)"
    return f"coalesce({column} {_SIGNS[operator]} %({name})s::{kind}, false)"


def _given(comparison: Comparison) -> Any:
    """The value as it is sent: numbers of one kind, since a list of both is none to the driver."""
    if comparison.field is not Field.CONFIDENCE:
        return comparison.value
    if comparison.operator in {Operator.IN, Operator.NIN}:
        return [float(value) for value in comparison.value]
    return float(comparison.value)
