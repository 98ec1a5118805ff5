"""Filters as clients write them, into conditions over records (`protocols.md` 1.8).

A validator of our own, since a published one lets wrong types through. A fault is told before an
operator that is not advertised; an operator is never left out, since that would widen the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Any, Final, NoReturn

from feedback.rcp.errors import RcpError, invalid_params, option_unsupported
from memory.errors import FieldInvalid
from memory.http.errors import shown
from memory.http.fields import Timestamp
from memory.queries.record_filters import (
    AllOf,
    AnyOf,
    Comparison,
    Field,
    Not,
    Operator,
    RecordCondition,
)

VALUE_BYTES: Final = 1_024
VALUES: Final = 1_000
DEPTH: Final = 32
NODES: Final = 256


class FieldType(StrEnum):
    """What the values of a field are; the names are RCP's."""

    KEYWORD = "keyword"
    TEXT = "text"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"


#: Wire names in the order in which they are advertised.
FIELDS: Final[dict[str, tuple[Field, FieldType]]] = {
    "recordId": (Field.RECORD_ID, FieldType.KEYWORD),
    "version": (Field.VERSION, FieldType.KEYWORD),
    "subject": (Field.SUBJECT, FieldType.KEYWORD),
    "predicate": (Field.PREDICATE, FieldType.KEYWORD),
    "object": (Field.OBJECT, FieldType.KEYWORD),
    "kind": (Field.KIND, FieldType.KEYWORD),
    "trust": (Field.TRUST, FieldType.KEYWORD),
    "sourceId": (Field.SOURCE_ID, FieldType.KEYWORD),
    "sourceType": (Field.SOURCE_TYPE, FieldType.KEYWORD),
    "sourceRef": (Field.SOURCE_REF, FieldType.KEYWORD),
    "statement": (Field.STATEMENT, FieldType.TEXT),
    "versionNumber": (Field.VERSION_NUMBER, FieldType.INT),
    "confidence": (Field.CONFIDENCE, FieldType.FLOAT),
    "disputed": (Field.DISPUTED, FieldType.BOOL),
    "recordedAt": (Field.RECORDED_AT, FieldType.DATE),
    "validFrom": (Field.VALID_FROM, FieldType.DATE),
    "validUntil": (Field.VALID_UNTIL, FieldType.DATE),
}
OPERATORS: Final = tuple(operator.value for operator in Operator)

_EQUAL: Final = frozenset({Operator.EQ, Operator.NE, Operator.EXISTS})
_KEYWORD: Final = _EQUAL | {Operator.IN, Operator.NIN}
_ORDERED: Final = _KEYWORD | {Operator.GT, Operator.GTE, Operator.LT, Operator.LTE}
ALLOWED: Final = {
    FieldType.KEYWORD: _KEYWORD,
    FieldType.TEXT: _KEYWORD | {Operator.CONTAINS},
    FieldType.INT: _ORDERED,
    FieldType.FLOAT: _ORDERED,
    FieldType.BOOL: _EQUAL,
    FieldType.DATE: _ORDERED,
}
_RULES: Final = {
    FieldType.KEYWORD: f"must be a string of 1 to {VALUE_BYTES} bytes without NUL.",
    FieldType.TEXT: f"must be a string of 1 to {VALUE_BYTES} bytes without NUL.",
    FieldType.INT: "must be an integer.",
    FieldType.FLOAT: "must be a finite number.",
    FieldType.BOOL: "must be true or false.",
    FieldType.DATE: "must be an RFC 3339 time with an offset.",
}
_FORMS: Final = ("and", "or", "not", "field")
_TIME: Final = Timestamp()


def condition_of(value: Any) -> RecordCondition:
    """The condition that a filter is. Raises RcpError: -32602, else -32005."""
    reader = _Reader()
    condition = reader.node(value, "filter", 1)
    if reader.unsupported is not None:
        raise reader.unsupported
    return condition


@dataclass(slots=True)
class _Reader:
    """Reads one filter; counts its nodes and remembers the first operator that nobody knows."""

    nodes: int = 0
    unsupported: RcpError | None = field(default=None)

    def node(self, value: Any, path: str, depth: int) -> RecordCondition:
        """The condition of one node and all below it."""
        self.nodes += 1
        if depth > DEPTH:
            _refuse("filter", f"must be at most {DEPTH} nodes deep.")
        if self.nodes > NODES:
            _refuse("filter", f"must have at most {NODES} nodes.")
        if not isinstance(value, dict):
            _refuse(path, "must be an object.")
        forms = [form for form in _FORMS if value.get(form) is not None]
        if len(forms) != 1:
            _refuse(path, "must have exactly one of: field, and, or, not.")
        match forms[0]:
            case "and":
                return AllOf(self.parts(value["and"], f"{path}.and", depth))
            case "or":
                return AnyOf(self.parts(value["or"], f"{path}.or", depth))
            case "not":
                return Not(self.node(value["not"], f"{path}.not", depth + 1))
            case _:
                return self.comparison(value, path)

    def parts(self, value: Any, path: str, depth: int) -> list[RecordCondition]:
        """The conditions of a list that must not be empty."""
        if not isinstance(value, list) or not value:
            _refuse(path, "must be a list that is not empty.")
        return [self.node(part, f"{path}[{place}]", depth + 1) for place, part in enumerate(value)]

    def comparison(self, node: dict[str, Any], path: str) -> Comparison:
        """A leaf: its field first, then its operator, then its value."""
        name, word, value = node["field"], node.get("op"), node.get("value")
        if not isinstance(name, str):
            _refuse(f"{path}.field", "must be a string.")
        label = f"filter.{shown(name)}"
        if name not in FIELDS:
            raise invalid_params(label, "is not a field to filter by.")
        if not isinstance(word, str):
            _refuse(f"{path}.op", "must be a string.")
        if value is None:
            _refuse(f"{path}.value", "must be given.")
        kind = FIELDS[name][1]
        if word not in OPERATORS:
            self.unsupported = self.unsupported or option_unsupported("filter.op", label)
            return Comparison(FIELDS[name][0], Operator.EXISTS, value=True)
        operator = Operator(word)
        if operator not in ALLOWED[kind]:
            raise invalid_params(label, f"does not have the operator {operator.value}.")
        return Comparison(FIELDS[name][0], operator, _value(value, kind, operator, label))


def _refuse(path: str, rule: str) -> NoReturn:
    """Refuse the shape of the tree: programs are told `filter`, people the place in it."""
    raise invalid_params(path, rule, data_field="filter")


def _value(value: Any, kind: FieldType, operator: Operator, label: str) -> Any:
    if operator is Operator.EXISTS:
        return _scalar(value, FieldType.BOOL, label)
    if operator not in (Operator.IN, Operator.NIN):
        return _scalar(value, kind, label)
    if not isinstance(value, list) or not 1 <= len(value) <= VALUES:
        raise invalid_params(label, f"must be compared with a list of 1 to {VALUES} values.")
    return [_scalar(part, kind, label) for part in value]


def _scalar(value: Any, kind: FieldType, label: str) -> Any:
    if kind is FieldType.DATE:
        try:
            return _TIME.accept(value, label)
        except FieldInvalid:
            raise invalid_params(label, _RULES[kind]) from None
    if not _is_of(value, kind):
        raise invalid_params(label, _RULES[kind])
    return float(value) if kind is FieldType.FLOAT else value


def _is_of(value: Any, kind: FieldType) -> bool:
    if kind is FieldType.BOOL:
        return isinstance(value, bool)
    if kind is FieldType.INT:
        return type(value) is int
    if kind is FieldType.FLOAT:
        return type(value) in (int, float) and isfinite(value)
    return isinstance(value, str) and "\0" not in value and 1 <= len(value.encode()) <= VALUE_BYTES
