"""assert_records again: keys of records and of calls, and origins that name what was there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from memory.errors import (
    Denied,
    FieldInvalid,
    IdempotencyConflict,
)
from memory.models import Record
from memory.operations.assert_records import RecordDraft, assert_records
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import RecordStatus
from tests.factories import RecordDraftFactory, a_key, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.actor import Actor

pytestmark = pytest.mark.django_db

DATASET = Origin("dataset", "countryinfo 1.0.1 BI", "countryinfo-1.0.1:BI:has_capital")


def draft(**said: Any) -> RecordDraft:
    made: RecordDraft = RecordDraftFactory.create(**said)
    return made


# --- Keys of single records ----------------------------------------------------------------------


def test_the_same_key_and_content_answers_the_first_receipt(agent: Actor) -> None:
    said = draft()
    (first,) = assert_records(actor=fresh(agent), drafts=[said]).records
    assert changed_tables(lambda: assert_records(actor=agent, drafts=[said])) == {}
    again = assert_records(actor=fresh(agent), drafts=[said])
    assert again.is_replay
    assert again.records[0].is_replay
    assert (again.records[0].id, again.records[0].version, again.records[0].source_id) == (
        first.id,
        first.version,
        first.source_id,
    )
    assert audit_of(agent) == [Entry("record.assert", "allowed", "", 0)]


@pytest.mark.parametrize(
    "other",
    [
        {"object": "Elsewhere"},
        {"statement": "Something else."},
        {"confidence": 0.5},
        {"data_subject": "somebody"},
        {"valid_from": datetime(2019, 1, 1, tzinfo=UTC)},
        {"origin": DATASET},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_same_key_with_other_content_is_a_conflict(agent: Actor, other: dict[str, Any]) -> None:
    said = draft()
    assert_records(actor=fresh(agent), drafts=[said])
    with refused(agent, IdempotencyConflict, "record.assert"):
        assert_records(actor=agent, drafts=[draft(), replace(said, **other)])


def test_a_batch_may_mix_new_records_and_known_ones(agent: Actor) -> None:
    known, new = draft(), draft()
    (first,) = assert_records(actor=fresh(agent), drafts=[known]).records
    receipt = assert_records(actor=agent, drafts=[new, known])
    assert [row.is_replay for row in receipt.records] == [False, True]
    assert receipt.records[1].id == first.id
    assert not receipt.is_replay
    assert audit_of(agent) == [Entry("record.assert", "allowed", "", 1)]


def test_another_actor_s_key_is_another_key(agent: Actor, reviewer: Actor) -> None:
    said = draft()
    rows = [
        assert_records(actor=fresh(actor), drafts=[said]).records[0] for actor in (agent, reviewer)
    ]
    assert [row.is_replay for row in rows] == [False, False]
    assert rows[0].id != rows[1].id


def test_a_key_of_another_project_is_another_key(agent: Actor, outsider: Actor) -> None:
    said = draft()
    twin = replace(agent, project_id=outsider.project_id)  # no such actor, the worst case
    rows = [assert_records(actor=fresh(a), drafts=[said]).records[0] for a in (agent, twin)]
    assert [row.is_replay for row in rows] == [False, False]


def test_a_replay_names_the_present_status_and_revives_nothing(agent: Actor) -> None:
    said = draft()
    (first,) = assert_records(actor=fresh(agent), drafts=[said]).records
    _retract(agent, first.id, first.version)
    again = assert_records(actor=fresh(agent), drafts=[said]).records[0]
    assert (again.id, again.status, again.is_replay) == (first.id, "retracted", True)


# --- The key of a whole call ---------------------------------------------------------------------


def test_the_key_of_a_call_answers_all_its_records_again(agent: Actor) -> None:
    drafts, key = [draft(), draft()], a_key(call="two records")
    first = assert_records(actor=fresh(agent), drafts=drafts, key=key)
    changes = changed_tables(lambda: assert_records(actor=agent, drafts=drafts, key=key))
    again = assert_records(actor=fresh(agent), drafts=drafts, key=key)
    assert changes == {}
    assert again.is_replay
    assert [row.id for row in again.records] == [row.id for row in first.records]
    assert audit_of(agent) == [Entry("record.assert", "allowed", "", 0)]


def test_the_key_of_a_call_that_met_a_known_record_answers_both_again(agent: Actor) -> None:
    known, new, key = draft(), draft(), a_key(call="two records")
    assert_records(actor=fresh(agent), drafts=[known])
    first = assert_records(actor=fresh(agent), drafts=[known, new], key=key)
    again = assert_records(actor=fresh(agent), drafts=[known, new], key=key)
    assert [row.is_replay for row in first.records] == [True, False]
    assert [row.id for row in again.records] == [row.id for row in first.records]
    assert again.is_replay
    assert_invariants()


def test_the_key_of_another_call_is_a_conflict(agent: Actor) -> None:
    key = a_key("quagga-1", call="one")
    assert_records(actor=fresh(agent), drafts=[draft()], key=key)
    with refused(agent, IdempotencyConflict, "record.assert"):
        assert_records(actor=agent, drafts=[draft()], key=a_key("quagga-1", call="two"))


def test_a_refused_call_leaves_no_key(agent: Actor, agent_ro: Actor) -> None:
    key, said = a_key(), draft()
    bad = draft(valid_until=datetime(2019, 1, 1, tzinfo=UTC))
    with refused(agent, FieldInvalid, "record.assert"):
        assert_records(actor=agent, drafts=[said, bad], key=key)
    with refused(agent_ro, Denied, "record.assert"):
        assert_records(actor=agent_ro, drafts=[said], key=key)
    assert not assert_records(actor=fresh(agent), drafts=[said], key=key).is_replay


# --- Origins: the same source id is the same record ----------------------------------------------


def test_an_origin_with_an_id_names_one_record_under_any_key(agent: Actor, reviewer: Actor) -> None:
    said = draft(origin=DATASET)
    first = assert_records(actor=fresh(agent), drafts=[said]).records[0]
    same = _again(said, statement="In other words.", confidence=0.1)
    for actor in (agent, reviewer):
        again = assert_records(actor=fresh(actor), drafts=[same(uuid4())]).records[0]
        assert (again.id, again.version, again.source_id) == (
            first.id,
            first.version,
            first.source_id,
        )
        assert again.is_replay
    assert Record.objects.count() == 1


@pytest.mark.parametrize("name", ["subject", "predicate", "object"])
def test_an_origin_with_another_statement_part_names_another_record(
    agent: Actor, name: str
) -> None:
    said = draft(origin=DATASET)
    first = assert_records(actor=fresh(agent), drafts=[said]).records[0]
    other = assert_records(
        actor=fresh(agent), drafts=[_again(said, **{name: "another"})(uuid4())]
    ).records[0]
    assert not other.is_replay
    assert other.id != first.id


def test_an_origin_without_an_id_names_nothing(agent: Actor) -> None:
    said = draft(origin=Origin("dataset", "countryinfo"))
    rows = [
        assert_records(actor=fresh(agent), drafts=[_again(said)(uuid4())]).records[0]
        for _ in range(2)
    ]
    assert not any(row.is_replay for row in rows)


def test_the_same_origin_twice_in_one_call_is_one_record(agent: Actor) -> None:
    said = draft(origin=DATASET)
    receipt = assert_records(actor=agent, drafts=[said, _again(said)(uuid4()), draft()])
    assert [row.is_replay for row in receipt.records] == [False, True, False]
    assert receipt.records[0].id == receipt.records[1].id
    assert Record.objects.count() == 2
    assert_invariants()


def test_an_origin_of_another_project_is_another_origin(agent: Actor, outsider: Actor) -> None:
    said = draft(origin=DATASET)
    rows = [assert_records(actor=fresh(a), drafts=[said]).records[0] for a in (agent, outsider)]
    assert not any(row.is_replay for row in rows)


def test_a_closed_record_is_answered_and_stays_closed(agent: Actor) -> None:
    said = draft(origin=DATASET)
    first = assert_records(actor=fresh(agent), drafts=[said]).records[0]
    closing = _retract(agent, first.id, first.version)
    receipt = assert_records(actor=agent, drafts=[_again(said)(uuid4())])
    assert (receipt.records[0].id, receipt.records[0].version) == (first.id, closing)
    assert (receipt.records[0].status, receipt.is_replay) == ("retracted", True)
    assert Record.objects.get().status == RecordStatus.RETRACTED
    assert audit_of(agent) == [Entry("record.assert", "allowed", "", 0)]


def test_a_deliberate_assertion_after_a_retraction_is_a_new_record(agent: Actor) -> None:
    said = draft(origin=DATASET)
    first = assert_records(actor=fresh(agent), drafts=[said]).records[0]
    _retract(agent, first.id, first.version)
    again = assert_records(actor=fresh(agent), drafts=[_again(said, origin=None)(uuid4())]).records[
        0
    ]
    assert (again.is_replay, again.status) == (False, "current")
    assert again.id != first.id


def _again(said: RecordDraft, **other: Any) -> Callable[[Any], RecordDraft]:
    return lambda key: replace(said, idempotency_key=key, **other)


def _retract(actor: Actor, record_id: Any, version: Any) -> Any:
    receipt = retract_records(
        actor=fresh(actor),
        retractions=[RetractionDraft(record_id=record_id, expected_version=version)],
    )
    return receipt.records[0].version
