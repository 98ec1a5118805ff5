"""mark_predicate: from now on a subject has the predicate once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memory.errors import Denied, FieldInvalid, PredicateConflict
from memory.models import Predicate, Record
from memory.operations.mark_predicate import mark_predicate
from memory.operations.retract_records import RetractionDraft, retract_records
from tests.factories import a_record, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def test_it_marks_the_predicate_and_its_current_records(agent: Actor, operator: Actor) -> None:
    first, closed = a_record(agent), a_record(agent)
    other = a_record(agent, predicate="borders")
    draft = RetractionDraft(record_id=closed.id, expected_version=closed.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    receipt = mark_predicate(actor=operator, name="has_capital")
    assert (receipt.name, receipt.records) == ("has_capital", 1)
    assert Predicate.objects.get().is_single_valued
    marked = Record.objects.filter(is_single_valued=True).values_list("id", flat=True)
    assert list(marked) == [first.id]
    assert other.id not in marked
    assert audit_of(operator) == [Entry("predicate.mark", "allowed", "", 1)]
    assert_invariants()


def test_records_to_come_are_marked_too(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=operator, name="has_capital")
    assert Record.objects.get(id=a_record(agent).id).is_single_valued
    other = a_record(agent, predicate="borders")
    assert not Record.objects.get(id=other.id).is_single_valued


def test_marking_again_changes_nothing(agent: Actor, operator: Actor) -> None:
    a_record(agent)
    mark_predicate(actor=fresh(operator), name="has_capital")
    assert changed_tables(lambda: mark_predicate(actor=operator, name="has_capital")) == {}
    assert audit_of(operator) == [Entry("predicate.mark", "allowed", "", 0)]


def test_a_subject_that_has_it_twice_is_in_the_way(agent: Actor, operator: Actor) -> None:
    records = [a_record(agent, subject="Burundi") for _ in range(2)]
    with refused(operator, PredicateConflict, "predicate.mark"):
        mark_predicate(actor=operator, name="has_capital")
    draft = RetractionDraft(record_id=records[0].id, expected_version=records[0].version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert mark_predicate(actor=fresh(operator), name="has_capital").records == 1


def test_another_project_is_not_asked(operator: Actor, outsider: Actor) -> None:
    records = [a_record(outsider, subject="Burundi") for _ in range(2)]
    assert mark_predicate(actor=operator, name="has_capital").records == 0
    assert not Record.objects.get(id=records[0].id).is_single_valued
    assert a_record(outsider, subject="Burundi").status == "current"


@pytest.mark.parametrize("name", ["", "Has", "1st", "a b", "a-b", "ä", "a\n", "a" * 129])
def test_a_malformed_name_is_refused(operator: Actor, name: str) -> None:
    with refused(operator, FieldInvalid, "predicate.mark") as raised:
        mark_predicate(actor=operator, name=name)
    assert raised.value.field == "name"


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert mark_predicate(actor=actor, name="has_capital").records == 0


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "predicate.mark"):
        mark_predicate(actor=actor, name="has_capital")
