"""correct_records: each is closed and another put in its place, at one instant."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import Report
from memory.errors import Denied, IdempotencyConflict, NotFound, RecordConflict
from memory.models import Citation, Record, RecordVersion
from memory.operations.correct_records import Correction, CorrectionReceipt, correct_records
from memory.operations.mark_predicate import mark_predicate
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge, RecordKind, Trust
from tests.factories import MARKER, a_key, a_record, a_report, fresh, some_records
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db


def correction(record: AssertedRecord, **said: Any) -> Correction:
    said = {"object": f"Gitega of the {MARKER}", "statement": f"It is Gitega, {MARKER}.", **said}
    return Correction(**{"record_id": record.id, "expected_version": record.version, **said})


def correct(actor: Actor, *corrections: Correction, **options: Any) -> CorrectionReceipt:
    return correct_records(actor=actor, corrections=corrections, **options)


def test_a_correction_closes_one_record_and_opens_another(agent: Actor) -> None:
    record = a_record(agent, data_subject="somebody", kind=RecordKind.DECISION, confidence=0.5)
    (row,) = correct(agent, correction(record)).records
    old, new = Record.objects.get(id=record.id), Record.objects.get(id=row.id)
    assert (row.original_id, row.original_version) == (old.id, old.version)
    assert (old.status, old.version_number, old.replaced_by) == ("superseded", 2, new.id)
    assert (new.status, new.version, new.version_number) == ("current", row.version, 1)
    assert new.replaces == old.id
    assert new.known_from == old.known_until == new.valid_from == new.recorded_at
    assert (new.object, new.statement) == (f"Gitega of the {MARKER}", f"It is Gitega, {MARKER}.")
    for kept in ("subject", "predicate", "kind", "data_subject_id", "confidence", "trust"):
        assert getattr(new, kept) == getattr(old, kept)
    assert (new.recorded_by_id, new.recorded_via, new.request_id) == (
        agent.id,
        "api",
        agent.request_id,
    )
    assert_invariants()


def test_the_versions_say_what_changed(agent: Actor) -> None:
    record = a_record(agent)
    (row,) = correct(agent, correction(record)).records
    first, closing = RecordVersion.objects.filter(record_id=record.id).order_by("number")
    assert (first.id, first.change, first.status, first.known_until) == (
        record.version,
        "record.assert",
        "current",
        None,
    )
    assert (closing.id, closing.number, closing.change, closing.status) == (
        row.original_version,
        2,
        "record.correct",
        "superseded",
    )
    assert closing.source_id == row.source_id
    assert RecordVersion.objects.get(record_id=row.id).change == "record.correct"
    assert Citation.objects.get(record_id=row.id).source_id == row.source_id


def test_nothing_else_changes(agent: Actor) -> None:
    record = a_record(agent)
    some_records(agent, 5)
    changes = changed_tables(lambda: correct(agent, correction(record)))
    assert changes == {
        "memory_source": (0, 1),
        "memory_message": (0, 1),
        "memory_record": (1, 2),  # the closed one, before and after, and the new one
        "memory_recordversion": (0, 2),
        "memory_citation": (0, 1),
    }


def test_given_time_and_confidence_take_the_place_of_the_defaults(agent: Actor) -> None:
    start = datetime(2019, 1, 16, tzinfo=UTC)
    change = correction(a_record(agent, confidence=0.5), valid_from=start, confidence=0.75)
    (row,) = correct(agent, change).records
    new = Record.objects.get(id=row.id)
    assert (new.valid_from, new.confidence) == (start, 0.75)
    assert new.known_from != start


@pytest.mark.parametrize(
    ("cap", "trust"),
    [(Trust.UNTRUSTED, Trust.UNTRUSTED), (Trust.POLICY_APPROVED, Trust.ASSERTED)],
)
def test_trust_is_the_original_s_but_not_above_the_cap(
    agent: Actor, cap: Trust, trust: Trust
) -> None:
    record = a_record(agent)
    (row,) = correct(replace(agent, max_trust=cap), correction(record)).records
    assert Record.objects.get(id=row.id).trust == trust


def test_open_reports_lose_their_target(agent: Actor) -> None:
    record = a_record(agent)
    report, other = a_report(agent, record), a_report(agent)
    correct(agent, correction(record))
    closed = Report.objects.get(id=report.id)
    assert closed.target_closed_at == Record.objects.get(id=record.id).known_until
    assert closed.promoted_at is None
    assert Report.objects.get(id=other.id).target_closed_at is None


def test_a_correction_is_audited_once_with_its_number_of_records(agent: Actor) -> None:
    correct(agent, *map(correction, some_records(agent, 3)))
    assert audit_of(agent) == [Entry("record.correct", "allowed", "", 3)]


def test_receipts_stand_in_the_order_of_the_corrections(agent: Actor) -> None:
    records = sorted(some_records(agent, 5), key=lambda record: str(record.id), reverse=True)
    receipt = correct(agent, *map(correction, records))
    assert [row.original_id for row in receipt.records] == [record.id for record in records]
    assert len({row.id for row in receipt.records}) == 5
    assert_invariants()


def test_a_single_valued_place_is_handed_over(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    record = a_record(agent, subject="Burundi")
    correct(agent, correction(record))
    assert Record.objects.filter(subject="Burundi", status="current").count() == 1
    assert_invariants()


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_correct(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    correct(actor, correction(a_record(agent)))
    assert audit_of(actor) == [Entry("record.correct", "allowed", "", 1)]


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_record(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = request.getfixturevalue(persona)
    record = a_record(agent)
    for change in (correction(record), correction(record, record_id=uuid4())):
        again = fresh(actor)
        with refused(again, Denied, "record.correct"):
            correct(again, change)


def test_correcting_is_no_tool(agent: Actor) -> None:
    record, actor = a_record(agent), replace(agent, edge=Edge.MCP)
    with refused(actor, Denied, "record.correct"):
        correct(actor, correction(record))


def test_another_version_is_a_conflict(agent: Actor) -> None:
    record = a_record(agent)
    for version in (uuid4(), a_record(agent).version, UUID(int=0)):
        actor = fresh(agent)
        with refused(actor, RecordConflict, "record.correct"):
            correct(actor, correction(record, expected_version=version))


def test_a_closed_record_is_a_conflict_even_with_its_version(agent: Actor) -> None:
    record = a_record(agent)
    (row,) = correct(fresh(agent), correction(record)).records
    for version in (record.version, row.original_version):
        actor = fresh(agent)
        with refused(actor, RecordConflict, "record.correct"):
            correct(actor, correction(record, expected_version=version))


def test_a_retracted_record_is_a_conflict(agent: Actor) -> None:
    record = a_record(agent)
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    closing = retract_records(actor=fresh(agent), retractions=[draft]).records[0].version
    with refused(agent, RecordConflict, "record.correct"):
        correct(agent, correction(record, expected_version=closing))


@pytest.mark.parametrize("persona", ["outsider", "agent"])
def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    record = a_record(agent)
    if persona == "agent":
        record = replace(record, id=uuid4())
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, NotFound, "record.correct"):
        correct(actor, correction(record))


def test_not_found_comes_before_conflict_and_all_or_nothing(agent: Actor) -> None:
    good, stale = a_record(agent), a_record(agent)
    gone = correction(good, record_id=uuid4())
    actor = fresh(agent)
    with refused(actor, NotFound, "record.correct"):
        correct(actor, correction(good), correction(stale, expected_version=uuid4()), gone)
    with refused(agent, RecordConflict, "record.correct"):
        correct(agent, correction(good), correction(stale, expected_version=uuid4()))


def test_a_repeated_key_answers_the_first_receipt(agent: Actor) -> None:
    record, key = a_record(agent), a_key()
    first = correct(fresh(agent), correction(record), key=key)
    assert changed_tables(lambda: correct(agent, correction(record), key=key)) == {}
    again = correct(fresh(agent), correction(record), key=key)
    assert (first.is_replay, again.is_replay) == (False, True)
    assert again.records == first.records
    assert audit_of(agent) == [Entry("record.correct", "allowed", "", 0)]
    assert_invariants()


def test_a_key_of_another_call_is_a_conflict(agent: Actor) -> None:
    one, two = some_records(agent, 2)
    correct(fresh(agent), correction(one), key=a_key("quagga-1", call=1))
    for other in (a_key("quagga-1", call=2), a_key("quagga-1", call=1, route="elsewhere")):
        actor = fresh(agent)
        with refused(actor, IdempotencyConflict, "record.correct"):
            correct(actor, correction(two), key=other)


def test_another_actor_s_key_is_another_key(agent: Actor, reviewer: Actor) -> None:
    one, two = some_records(agent, 2)
    key = a_key()
    assert not correct(agent, correction(one), key=key).is_replay
    assert not correct(reviewer, correction(two), key=key).is_replay


def test_a_refused_call_leaves_no_key(agent: Actor) -> None:
    record, key = a_record(agent), a_key()
    actor = fresh(agent)
    with refused(actor, RecordConflict, "record.correct"):
        correct(actor, correction(record, expected_version=uuid4()), key=key)
    assert not correct(agent, correction(record), key=key).is_replay


def test_a_corrected_record_can_be_corrected_and_retracted_again(agent: Actor) -> None:
    record = a_record(agent)
    for _ in range(3):
        (row,) = correct(fresh(agent), correction(record)).records
        record = replace(record, id=row.id, version=row.version)
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert sorted(Record.objects.values_list("status", flat=True)) == [
        "retracted",
        *["superseded"] * 3,
    ]
    assert_invariants()
