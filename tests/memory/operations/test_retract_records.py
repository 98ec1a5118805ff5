"""retract_records: believed no more, with its history kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import Report
from memory.errors import Denied, IdempotencyConflict, NotFound, RecordConflict
from memory.models import Record, RecordVersion
from memory.operations.retract_records import (
    RetractionDraft,
    RetractionReceipt,
    retract_records,
)
from memory.vocabulary import Edge
from tests.factories import a_key, a_record, a_report, fresh, some_records
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db


def retraction(record: AssertedRecord, **said: Any) -> RetractionDraft:
    return RetractionDraft(**{"record_id": record.id, "expected_version": record.version, **said})


def retract(actor: Actor, *retractions: RetractionDraft, **options: Any) -> RetractionReceipt:
    return retract_records(actor=actor, retractions=retractions, **options)


def test_a_retraction_closes_what_is_known_and_keeps_what_was_valid(agent: Actor) -> None:
    record = a_record(agent)
    before = Record.objects.get(id=record.id)
    (row,) = retract(agent, retraction(record)).records
    after = Record.objects.get(id=record.id)
    assert (after.status, after.version, after.version_number) == ("retracted", row.version, 2)
    assert (after.known_until, after.replaced_by) == (row.retracted_at, None)
    assert (after.valid_from, after.valid_until) == (before.valid_from, None)
    assert (row.operation_id, row.principal_id) == (UUID(agent.request_id[4:]), agent.id)
    assert_invariants()


def test_the_history_says_who_retracted_and_when(agent: Actor, reviewer: Actor) -> None:
    record = a_record(agent)
    (row,) = retract(reviewer, retraction(record)).records
    first, closing = RecordVersion.objects.filter(record_id=record.id).order_by("number")
    assert (first.id, first.recorded_by_id) == (record.version, agent.id)
    assert (closing.id, closing.number, closing.change, closing.status) == (
        row.version,
        2,
        "record.retract",
        "retracted",
    )
    assert (closing.recorded_by_kind, closing.recorded_by_id, closing.recorded_via) == (
        "user",
        reviewer.id,
        "console",
    )
    assert (closing.known_until, closing.source_id) == (row.retracted_at, None)


def test_nothing_else_changes(agent: Actor) -> None:
    record = a_record(agent)
    some_records(agent, 5)
    changes = changed_tables(lambda: retract(agent, retraction(record)))
    assert changes == {"memory_record": (1, 1), "memory_recordversion": (0, 1)}


def test_open_reports_lose_their_target(agent: Actor) -> None:
    record = a_record(agent)
    report, other = a_report(agent, record), a_report(agent)
    (row,) = retract(agent, retraction(record)).records
    assert Report.objects.get(id=report.id).target_closed_at == row.retracted_at
    assert Report.objects.get(id=other.id).target_closed_at is None


def test_a_retraction_is_audited_once_with_its_number_of_records(agent: Actor) -> None:
    retract(agent, *map(retraction, some_records(agent, 3)))
    assert audit_of(agent) == [Entry("record.retract", "allowed", "", 3)]


def test_receipts_stand_in_the_order_of_the_retractions(agent: Actor) -> None:
    records = sorted(some_records(agent, 5), key=lambda record: str(record.id), reverse=True)
    receipt = retract(agent, *map(retraction, records))
    assert [row.id for row in receipt.records] == [record.id for record in records]
    assert len({row.version for row in receipt.records}) == 5
    assert_invariants()


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_retract(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    retract(actor, retraction(a_record(agent)))
    assert audit_of(actor) == [Entry("record.retract", "allowed", "", 1)]


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_record(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = request.getfixturevalue(persona)
    record = a_record(agent)
    for draft in (retraction(record), retraction(record, record_id=uuid4())):
        again = fresh(actor)
        with refused(again, Denied, "record.retract"):
            retract(again, draft)


def test_retracting_is_no_tool(agent: Actor) -> None:
    record, actor = a_record(agent), replace(agent, edge=Edge.MCP)
    with refused(actor, Denied, "record.retract"):
        retract(actor, retraction(record))


def test_another_version_is_a_conflict(agent: Actor) -> None:
    record = a_record(agent)
    for version in (uuid4(), a_record(agent).version, UUID(int=0)):
        actor = fresh(agent)
        with refused(actor, RecordConflict, "record.retract"):
            retract(actor, retraction(record, expected_version=version))


def test_a_closed_record_is_a_conflict_even_with_its_version(agent: Actor) -> None:
    record = a_record(agent)
    (row,) = retract(fresh(agent), retraction(record)).records
    for version in (record.version, row.version):
        actor = fresh(agent)
        with refused(actor, RecordConflict, "record.retract"):
            retract(actor, retraction(record, expected_version=version))


@pytest.mark.parametrize("persona", ["outsider", "agent"])
def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    record = a_record(agent)
    if persona == "agent":
        record = replace(record, id=uuid4())
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, NotFound, "record.retract"):
        retract(actor, retraction(record))


def test_not_found_comes_before_conflict_and_all_or_nothing(agent: Actor) -> None:
    good, stale = some_records(agent, 2)
    gone = retraction(good, record_id=uuid4())
    actor = fresh(agent)
    with refused(actor, NotFound, "record.retract"):
        retract(actor, retraction(good), retraction(stale, expected_version=uuid4()), gone)
    with refused(agent, RecordConflict, "record.retract"):
        retract(agent, retraction(good), retraction(stale, expected_version=uuid4()))


def test_a_repeated_key_answers_the_first_receipt(agent: Actor) -> None:
    records, key = some_records(agent, 2), a_key()
    first = retract(fresh(agent), *map(retraction, records), key=key)
    assert changed_tables(lambda: retract(agent, *map(retraction, records), key=key)) == {}
    again = retract(fresh(agent), *map(retraction, records), key=key)
    assert (first.is_replay, again.is_replay) == (False, True)
    assert again.records == first.records
    assert audit_of(agent) == [Entry("record.retract", "allowed", "", 0)]
    assert_invariants()


def test_a_key_of_another_call_is_a_conflict(agent: Actor) -> None:
    one, two = some_records(agent, 2)
    retract(fresh(agent), retraction(one), key=a_key("quagga-1", call=1))
    for other in (a_key("quagga-1", call=2), a_key("quagga-1", call=1, route="elsewhere")):
        actor = fresh(agent)
        with refused(actor, IdempotencyConflict, "record.retract"):
            retract(actor, retraction(two), key=other)


def test_another_actor_s_key_is_another_key(agent: Actor, reviewer: Actor) -> None:
    one, two = some_records(agent, 2)
    key = a_key()
    assert not retract(agent, retraction(one), key=key).is_replay
    assert not retract(reviewer, retraction(two), key=key).is_replay


def test_a_refused_call_leaves_no_key(agent: Actor) -> None:
    record, key = a_record(agent), a_key()
    actor = fresh(agent)
    with refused(actor, RecordConflict, "record.retract"):
        retract(actor, retraction(record, expected_version=uuid4()), key=key)
    assert not retract(agent, retraction(record), key=key).is_replay
