from __future__ import annotations

from collections.abc import Callable

import pytest

from memory.actor import Actor
from memory.errors import Denied
from memory.models import AuditEntry
from memory.operations.assert_records import AssertedRecord
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.triples import NamedRecords, Triple, find_by_triples
from tests.factories import a_record, fresh, some_records

HERE = Triple("Here", "uses_currency", "EUR")


def say(operator: Actor, triple: Triple = HERE) -> AssertedRecord:
    return a_record(operator, **triple._asdict())


def retract(operator: Actor, record: AssertedRecord) -> None:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(operator), retractions=[draft])


def find(actor: Actor, *triples: Triple) -> NamedRecords:
    return find_by_triples(actor=fresh(actor), triples=triples)


def test_each_triple_names_its_record(operator: Actor) -> None:
    there = HERE._replace(subject="There")
    records = {triple: say(operator, triple).id for triple in (HERE, there)}
    say(operator, HERE._replace(object="USD"))
    say(operator, there._replace(object="USD"))
    assert find(operator, HERE, there).ids == records


def test_a_triple_that_no_record_says_is_absent(operator: Actor) -> None:
    say(operator)
    assert find(operator, HERE._replace(object="USD")).ids == {}


def test_the_current_record_comes_before_newer_closed_ones(operator: Actor) -> None:
    first = say(operator)
    retract(operator, say(operator))
    assert find(operator, HERE).ids == {HERE: first.id}


def test_the_newest_of_several_is_taken(operator: Actor) -> None:
    say(operator)
    second = say(operator)
    assert find(operator, HERE).ids == {HERE: second.id}


def test_without_a_current_record_the_newest_closed_one_is_taken(operator: Actor) -> None:
    records = [say(operator), say(operator)]
    for record in reversed(records):
        retract(operator, record)
    assert find(operator, HERE).ids == {HERE: records[1].id}


def test_another_project_is_not_looked_at(operator: Actor, outsider: Actor) -> None:
    say(operator)
    assert find(outsider, HERE).ids == {}


def test_it_is_one_audited_read(operator: Actor) -> None:
    say(operator)
    find(operator, HERE, HERE._replace(object="USD"))
    entry = AuditEntry.objects.get(operation="record.list")
    assert (entry.magnitude, entry.actor_id, entry.is_read) == (1, operator.id, True)


def test_auditors_see_no_content(auditor: Actor) -> None:
    with pytest.raises(Denied):
        find(auditor, HERE)


def test_ten_records_take_as_many_statements_as_one(
    operator: Actor, count_statements: Callable[[Callable[[], object]], int]
) -> None:
    some_records(operator, 10, subject="Here", predicate="borders")
    one = count_statements(lambda: find(operator, HERE))
    many = [Triple("Here", "borders", f"{n}") for n in range(10)]
    assert count_statements(lambda: find(operator, *many)) == one
