"""Filters of records: each field and operator against a model in Python, over the same rows."""

from __future__ import annotations

import operator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid4

import pytest
from django.db import connection

from memory.models import Citation, Record
from memory.operations.consolidate_records import ClaimSource
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.record_filters import (
    AllOf,
    AnyOf,
    Comparison,
    Field,
    Not,
    Operator,
    SqlCondition,
    sql_of,
)
from memory.vocabulary import RecordKind, Relation, Trust
from tests.factories import MARKER, a_claim, a_record, a_source, fresh, supports
from tests.factories.bulk import bulk_records

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.actor import Actor
    from memory.queries.record_filters import RecordCondition

pytestmark = pytest.mark.django_db

KEYWORD: Final = {Operator.EQ, Operator.NE, Operator.IN, Operator.NIN, Operator.EXISTS}
ORDERED: Final = KEYWORD | {Operator.GT, Operator.GTE, Operator.LT, Operator.LTE}
OPERATORS: Final = {
    **dict.fromkeys(Field, KEYWORD),
    Field.STATEMENT: KEYWORD | {Operator.CONTAINS},
    Field.VERSION_NUMBER: ORDERED,
    Field.CONFIDENCE: ORDERED,
    Field.DISPUTED: {Operator.EQ, Operator.NE, Operator.EXISTS},
    Field.RECORDED_AT: ORDERED,
    Field.VALID_FROM: ORDERED,
    Field.VALID_UNTIL: ORDERED,
}
PAIRS: Final = [(field, op) for field in Field for op in Operator if op in OPERATORS[field]]
TIMES: Final = [
    datetime(1, 1, 2, tzinfo=UTC),
    datetime(9999, 12, 30, tzinfo=UTC),
    datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=14))),
]
#: Values that few records have, or none.
STRANGE: Final[dict[Field, list[Any]]] = {
    **{field: [str(uuid4()), f"%s {MARKER} {{}} '--", "ZEBRA"] for field in Field},
    Field.VERSION_NUMBER: [0, -1, 10**30],
    Field.CONFIDENCE: [0.7, 0, 10**30, -1e300],
    Field.DISPUTED: [True, False],
    **dict.fromkeys((Field.RECORDED_AT, Field.VALID_FROM, Field.VALID_UNTIL), TIMES),
}

Row = dict[Field, Any]


@pytest.fixture
def rows(agent: Actor) -> dict[UUID, Row]:
    """Records with and without each field, and what they say, by id."""
    a_record(agent, subject="Zebra", statement="A Zebra ran.", origin=Origin("dataset", "ref-1"))
    a_record(
        agent,
        subject="zebra",
        statement="a zebra ran",
        confidence=0.5,
        kind=RecordKind.DECISION,
        origin=Origin("wiki", None, "7"),
        valid_from=datetime(2020, 1, 1, tzinfo=UTC),
        valid_until=datetime(2020, 1, 1, 12, 30, tzinfo=UTC),
    )
    closed = a_record(agent, predicate="meets", object="Zèbre")
    draft = RetractionDraft(record_id=closed.id, expected_version=closed.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    trusted = replace(agent, max_trust=Trust.VERIFIED)
    first = a_source(trusted, trust=Trust.VERIFIED, origin=Origin("chat", "ref-2"))
    second = a_source(trusted, trust=Trust.VERIFIED, origin=Origin("chat", "ref-3"))
    against = ClaimSource(a_source(agent, "No.").id, Relation.CONTRADICTS)
    a_claim(trusted, sources=(against, *supports(first, second)))
    a_claim(agent, a_source(agent, trust=Trust.UNTRUSTED))
    bulk_records(agent, 1, statement="zebra without a source")  # rests on none
    return {record.id: _row_of(record) for record in Record.objects.all()}


def _row_of(record: Record) -> Row:
    cited = Citation.objects.filter(record_id=record.id, relation=Relation.SUPPORTS)
    first = cited.order_by("recorded_at", "id").select_related("source").first()
    source = None if first is None else first.source
    return {
        Field.RECORD_ID: str(record.id),
        Field.VERSION: str(record.version),
        Field.SUBJECT: record.subject,
        Field.PREDICATE: record.predicate,
        Field.OBJECT: record.object,
        Field.KIND: record.kind,
        Field.TRUST: Trust(record.trust).label,
        Field.SOURCE_ID: None if source is None else str(source.id),
        Field.SOURCE_TYPE: None if source is None else source.origin_type,
        Field.SOURCE_REF: None if source is None else source.origin_ref,
        Field.STATEMENT: record.statement,
        Field.VERSION_NUMBER: record.version_number,
        Field.CONFIDENCE: record.confidence,
        Field.DISPUTED: record.is_disputed,
        Field.RECORDED_AT: record.recorded_at,
        Field.VALID_FROM: record.valid_from,
        Field.VALID_UNTIL: record.valid_until,
    }


COMPARED: Final[dict[Operator, Callable[[Any, Any], bool]]] = {
    Operator.EQ: operator.eq,
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
    Operator.IN: lambda said, values: said in values,
    Operator.CONTAINS: lambda said, part: part in said,
}


def holds(condition: RecordCondition, row: Row) -> bool:
    """What `protocols.md` 1.8 says, in Python."""
    match condition:
        case Comparison():
            return compares(condition, row[condition.field])
        case AllOf():
            return all(holds(part, row) for part in condition.parts)
        case AnyOf():
            return any(holds(part, row) for part in condition.parts)
        case Not():
            return not holds(condition.part, row)


def compares(condition: Comparison, said: Any) -> bool:
    """Whether what a record says compares as it should; None where it says nothing."""
    value = condition.value
    match condition.operator:
        case Operator.EXISTS:
            return bool((said is not None) == value)
        case Operator.NE:
            return bool(said != value)
        case Operator.NIN:
            return said not in value
        case compared:
            return said is not None and COMPARED[compared](said, value)


def found(actor: Actor, condition: RecordCondition | None) -> set[UUID]:
    """The records of a project for which the SQL of a condition is true."""
    sql = sql_of(condition)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM memory_record r WHERE project_id = %(project)s AND {sql.text}",  # noqa: S608 - ours
            {"project": actor.project_id, **sql.values},
        )
        return {id_ for (id_,) in cursor}


def expected(rows: dict[UUID, Row], condition: RecordCondition) -> set[UUID]:
    return {id_ for id_, row in rows.items() if holds(condition, row)}


def values_of(rows: dict[UUID, Row], field: Field, op: Operator) -> list[Any]:
    """What a field is compared with: each value that there is, and some that there are not."""
    there = sorted({row[field] for row in rows.values() if row[field] is not None})
    if op is Operator.EXISTS:
        return [True, False]
    if op in {Operator.IN, Operator.NIN}:
        strange = STRANGE[field]
        return [there, strange, there[:1], [*strange, *there[:2]], strange[:1] * 1_000]
    if op is Operator.CONTAINS:
        return ["ebra", "Zebra", "zebra", "", "%", "_", ".", *there, *STRANGE[field]]
    return [*there, *STRANGE[field]]


# --- One comparison ------------------------------------------------------------------------------


@pytest.mark.parametrize("field", Field, ids=lambda field: field.value)
def test_a_comparison_and_its_complement_find_what_the_rule_says(
    agent: Actor, rows: dict[UUID, Row], field: Field
) -> None:
    for op in OPERATORS[field]:
        sizes = set()
        for value in values_of(rows, field, op):
            condition = Comparison(field, op, value)
            ids = found(agent, condition)
            assert ids == expected(rows, condition), (op, value)
            assert found(agent, Not(condition)) == rows.keys() - ids, (op, value)
            assert found(agent, Not(Not(condition))) == ids, (op, value)
            sizes.add(len(ids))
        assert len(sizes) > 1, op  # the rows tell the values apart


def test_the_rows_lack_what_may_be_absent(rows: dict[UUID, Row]) -> None:
    absent = {field for row in rows.values() for field, said in row.items() if said is None}
    assert absent == {Field.SOURCE_ID, Field.SOURCE_TYPE, Field.SOURCE_REF, Field.VALID_UNTIL}
    assert {row[Field.TRUST] for row in rows.values()} == set(Trust.labels)


@pytest.mark.parametrize("field", [Field.SOURCE_REF, Field.VALID_UNTIL])
def test_what_is_absent_fails_all_comparisons_but_ne_and_nin(
    agent: Actor, rows: dict[UUID, Row], field: Field
) -> None:
    lacking = {id_ for id_, row in rows.items() if row[field] is None}
    value = next(row[field] for row in rows.values() if row[field] is not None)
    for op in OPERATORS[field] - {Operator.EXISTS}:
        given = [value] if op in {Operator.IN, Operator.NIN} else value
        ids = found(agent, Comparison(field, op, given)) & lacking
        assert ids == (lacking if op in {Operator.NE, Operator.NIN} else set()), op
    assert found(agent, Comparison(field, Operator.EXISTS, value=False)) == lacking


def test_the_source_is_that_of_the_first_supporting_citation(
    agent: Actor, rows: dict[UUID, Row]
) -> None:
    refs = {row[Field.SOURCE_REF] for row in rows.values()}
    assert refs == {None, "ref-1", "ref-2"}
    assert found(agent, Comparison(Field.SOURCE_REF, Operator.EQ, "ref-3")) == set()


def test_numbers_of_both_kinds_may_stand_in_one_list(agent: Actor, rows: dict[UUID, Row]) -> None:
    for op in (Operator.IN, Operator.NIN):
        condition = Comparison(Field.CONFIDENCE, op, [1, 0.5, 10**30])
        assert found(agent, condition) == expected(rows, condition)
        condition = Comparison(Field.VERSION_NUMBER, op, [2, 10**30, -(2**31), 2**40])
        assert found(agent, condition) == expected(rows, condition)


# --- Trees ---------------------------------------------------------------------------------------


def a_tree(random: Random, rows: dict[UUID, Row], depth: int) -> RecordCondition:
    form = random.choice([AllOf, AnyOf, Not, Comparison]) if depth else Comparison
    if form is Comparison:
        field, op = random.choice(PAIRS)
        return Comparison(field, op, random.choice(values_of(rows, field, op)))
    if form is Not:
        return Not(a_tree(random, rows, depth - 1))
    parts = [a_tree(random, rows, depth - 1) for _ in range(random.randint(1, 3))]
    return AllOf(parts) if form is AllOf else AnyOf(parts)


def test_any_tree_finds_what_the_rule_says(agent: Actor, rows: dict[UUID, Row]) -> None:
    random = Random(7)  # noqa: S311 - no secret
    sizes = set()
    for _ in range(300):
        condition = a_tree(random, rows, depth=4)
        ids = found(agent, condition)
        assert ids == expected(rows, condition), condition
        sizes.add(len(ids))
    assert sizes >= {0, 1, len(rows)}


def test_a_deep_and_a_wide_tree_are_one_statement(agent: Actor, rows: dict[UUID, Row]) -> None:
    one: RecordCondition = Comparison(Field.SUBJECT, Operator.EQ, "zebra")
    deep = one
    for _ in range(31):
        deep = Not(deep)
    assert found(agent, deep) == rows.keys() - found(agent, one)
    assert found(agent, AllOf([one] * 255)) == found(agent, one)
    assert found(agent, AnyOf([one] * 255)) == found(agent, one)


def test_without_a_condition_all_are_found(agent: Actor, rows: dict[UUID, Row]) -> None:
    assert sql_of(None) == SqlCondition("true", {})
    assert found(agent, None) == rows.keys()


# --- Text and values -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "op"),
    [pair for pair in PAIRS if pair[1] is not Operator.EXISTS],
    ids=lambda part: part.value,
)
def test_no_value_reaches_the_text_of_the_statement(field: Field, op: Operator) -> None:
    values: list[Any] = ["'); DROP TABLE memory_record; --", "%s", "{0}", "%(project)s"]
    if field in {Field.CONFIDENCE, Field.VERSION_NUMBER}:
        values = [7_777_777, -8_888_888]
    is_list = op in {Operator.IN, Operator.NIN}
    found = [sql_of(Comparison(field, op, [value] if is_list else value)) for value in values]
    (text,) = {sql.text for sql in found}
    assert not any(str(value) in text for value in values)
    assert [list(sql.values.values()) for sql in found] == [
        [[value]] if is_list else [value] for value in values
    ]


def test_each_value_is_a_parameter_of_its_own() -> None:
    parts = [Comparison(Field.OBJECT, Operator.EQ, str(number)) for number in range(20)]
    sql = sql_of(AllOf([AnyOf(parts[:10]), Not(AllOf(parts[10:]))]))
    assert list(sql.values.values()) == [str(number) for number in range(20)]
    assert all(f"%({name})s::text" in sql.text for name in sql.values)
