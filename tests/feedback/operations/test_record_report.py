"""record_report: one row and one audit entry, and nothing else moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.db import IntegrityError

from feedback.models import Report
from feedback.operations.record_report import ReportDraft, ReportReceipt, record_report
from memory.errors import Denied, IdempotencyConflict, NotFound, RecordConflict
from memory.models import Record, Subject
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge
from tests.factories import MARKER, a_key, a_record, a_report, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.review.situations import correct, move, retract

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

NOTE = f"The capital moved, says the {MARKER}."


def report(actor: Actor, record: AssertedRecord, **said: Any) -> ReportReceipt:
    key = said.pop("key", None)
    draft = ReportDraft(**{"record_id": record.id, "note": NOTE, **said})
    return record_report(actor=actor, draft=draft, key=key)


def test_a_report_is_one_row_with_what_was_said(agent: Actor) -> None:
    record = a_record(agent)
    receipt = report(agent, record, proposed_object="Gitega")
    row = Report.objects.get(id=receipt.id)
    assert (row.record_id, row.record_version) == (record.id, record.version)
    assert (row.note, row.proposed_object, row.reporter_subject_id) == (NOTE, "Gitega", None)
    assert (row.recorded_by_kind, row.recorded_by_id, row.recorded_via, row.request_id) == (
        "credential",
        agent.id,
        "api",
        agent.request_id,
    )
    assert row.target_closed_at is row.promoted_at is None
    assert receipt == ReportReceipt(
        id=row.id,
        record_id=record.id,
        record_version=record.version,
        recorded_by=agent.id,
        recorded_by_kind="credential",
        recorded_via="api",
        recorded_at=row.recorded_at,
        is_replay=False,
    )


def test_a_report_changes_nothing_else_byte_for_byte(agent: Actor) -> None:
    record = a_record(agent)
    a_report(agent, record)
    assert changed_tables(lambda: report(agent, record)) == {"feedback_report": (0, 1)}


def test_a_report_is_audited_once(agent: Actor) -> None:
    report(agent, a_record(agent))
    assert audit_of(agent) == [Entry("feedback.record", "allowed", "", 1)]


def test_the_person_whose_words_the_note_is_becomes_a_subject(agent: Actor) -> None:
    record = a_record(agent)
    changes = changed_tables(lambda: report(agent, record, reporter_subject=f"{MARKER} rider"))
    assert changes == {"feedback_report": (0, 1), "memory_subject": (0, 1)}
    again = report(fresh(agent), record, reporter_subject=f"{MARKER} rider")
    assert Subject.objects.get().id == Report.objects.get(id=again.id).reporter_subject_id


def test_every_call_without_a_key_is_a_new_report(agent: Actor) -> None:
    record = a_record(agent)
    assert report(fresh(agent), record).id != report(fresh(agent), record).id


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_report(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    report(actor, a_record(agent))
    assert audit_of(actor) == [Entry("feedback.record", "allowed", "", 1)]


def test_reporting_is_the_one_write_that_is_a_tool(agent: Actor) -> None:
    record, tool = a_record(agent), replace(fresh(agent), edge=Edge.MCP)
    assert report(tool, record).recorded_via == "mcp"


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_record(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = request.getfixturevalue(persona)
    record = a_record(agent)
    for target in (record, replace(record, id=uuid4())):
        again = fresh(actor)
        with refused(again, Denied, "feedback.record"):
            report(again, target)


@pytest.mark.parametrize("persona", ["outsider", "agent"])
def test_a_record_that_an_actor_cannot_see_is_not_found(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    record = a_record(agent)
    if persona == "agent":
        record = replace(record, id=uuid4())
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, NotFound, "feedback.record"):
        report(actor, record, key=a_key(), reporter_subject="somebody")


def test_a_report_about_a_closed_record_is_accepted_and_never_ready(agent: Actor) -> None:
    record = a_record(agent)
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    (closed,) = retract_records(actor=fresh(agent), retractions=[draft]).records
    row = Report.objects.get(id=report(agent, record).id)
    assert (row.record_version, row.target_closed_at) == (closed.version, closed.retracted_at)
    assert Record.objects.get(id=record.id).status == "retracted"
    assert_invariants()


def test_a_doubt_about_the_version_that_the_record_has_is_recorded(agent: Actor) -> None:
    record = a_record(agent)
    receipt = report(agent, record, expected_version=record.version)
    assert receipt.record_version == record.version


@pytest.mark.parametrize("change", ["moved", "corrected", "retracted"])
def test_a_doubt_about_a_version_that_is_gone_is_a_conflict_and_leaves_nothing(
    agent: Actor, change: str
) -> None:
    record, key = a_record(agent), a_key()
    if change == "moved":
        move(record, agent)
    elif change == "corrected":
        correct(agent, record)
    else:
        retract(agent, record)

    def attempt() -> None:
        with refused(actor, RecordConflict, "feedback.record"):
            report(actor, record, expected_version=record.version, key=key, reporter_subject="x")

    actor = fresh(agent)
    assert changed_tables(attempt) == {}
    version = Record.objects.get(id=record.id).version
    if change == "moved":
        report(fresh(agent), record, expected_version=version, key=key)
    else:
        again = fresh(agent)
        with refused(again, RecordConflict, "feedback.record"):
            report(again, record, expected_version=version, key=key)


def test_a_repeated_key_answers_the_first_report(agent: Actor) -> None:
    record, key = a_record(agent), a_key()
    first = report(fresh(agent), record, key=key)
    assert changed_tables(lambda: report(agent, record, key=key)) == {}
    again = report(fresh(agent), record, key=key)
    assert again == replace(first, is_replay=True)
    assert audit_of(agent) == [Entry("feedback.record", "allowed", "", 0)]
    assert_invariants()


def test_a_key_of_another_call_is_a_conflict(agent: Actor) -> None:
    record = a_record(agent)
    report(fresh(agent), record, key=a_key("quagga-1", call=1))
    for other in (a_key("quagga-1", call=2), a_key("quagga-1", call=1, route="elsewhere")):
        actor = fresh(agent)
        with refused(actor, IdempotencyConflict, "feedback.record"):
            report(actor, record, key=other)


def test_keys_of_another_actor_and_of_another_project_are_other_keys(
    agent: Actor, reviewer: Actor, outsider: Actor
) -> None:
    record, key = a_record(agent), a_key()
    report(agent, record, key=key)
    assert not report(reviewer, record, key=key).is_replay
    assert not report(outsider, a_record(outsider), key=key).is_replay


def test_a_refused_call_leaves_no_key(agent: Actor) -> None:
    record, key = a_record(agent), a_key()
    actor = fresh(agent)
    with refused(actor, NotFound, "feedback.record"):
        report(actor, replace(record, id=uuid4()), key=key)
    assert not report(agent, record, key=key).is_replay


@pytest.mark.parametrize("size", [16_384, 16_385])
@pytest.mark.parametrize("character", ["a", "é", "€", "🦓"], ids=["1", "2", "3", "4"])
def test_notes_are_measured_in_bytes_by_the_database_too(
    agent: Actor, character: str, size: int
) -> None:
    record = a_record(agent)
    width = len(character.encode())
    text = character * (size // width) + "a" * (size % width)
    if size > 16_384:
        with pytest.raises(IntegrityError):
            report(agent, record, note=text)
    else:
        assert Report.objects.get(id=report(agent, record, note=text).id).note == text


@pytest.mark.parametrize(
    "text",
    ["  x  ", "\ufeffx", "a\r\nb\nc", "e\u0301 and \u00e9", "\u202eabc", "\ue000\uffff\u0378"],
)
def test_texts_are_kept_byte_for_byte(agent: Actor, text: str) -> None:
    row = Report.objects.get(id=report(agent, a_record(agent), note=text, proposed_object=text).id)
    assert (row.note.encode(), (row.proposed_object or "").encode()) == (text.encode(),) * 2
