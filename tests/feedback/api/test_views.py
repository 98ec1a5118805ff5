"""What `/v1/feedback` answers, name by name, and what a report leaves as it was."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

import pytest

from memory.actor import Actor
from tests.factories import a_record, a_report
from tests.observed import changed_tables
from tests.wire import Answer, InProcess, entries_of

NOTE: Final = "  The quagga moved\r\nto Gitega in 2019. \u200b"


def _record(call: InProcess, agent: Actor, **said: Any) -> tuple[dict[str, Any], Any]:
    """A report and the record that it is about."""
    record = a_record(agent)
    body = {"record_id": str(record.id), "note": NOTE, **said}
    answer = call("/v1/feedback/record", body)
    assert answer.status == 200, answer.content
    return answer.body, record


def _listed(call: InProcess, **asked: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = call("/v1/feedback/list", asked).body["feedback"]
    return rows


def _promote(call: InProcess, report: str, version: object) -> Answer:
    return call("/v1/feedback/promote", {"id": report, "expected_version": str(version)})


def test_a_report_is_answered_as_it_was_recorded(call: InProcess, agent: Actor) -> None:
    reported, record = _record(call, agent, proposed_object="Gitega")

    assert reported == {
        "id": reported["id"],
        "record_id": str(record.id),
        "record_version": str(record.version),
        "note": NOTE,
        "proposed_object": "Gitega",
        "recorded_by": str(agent.id),
        "recorded_by_kind": "credential",
        "recorded_via": "api",
        "recorded_at": reported["recorded_at"],
        "replayed": False,
    }
    assert list(reported)[:4] == ["id", "record_id", "record_version", "note"]


def test_what_there_is_not_is_left_out(call: InProcess, agent: Actor) -> None:
    reported, _ = _record(call, agent)

    assert "proposed_object" not in reported
    [listed] = _listed(call)
    assert "proposed_object" not in listed
    assert listed["reporter_subject_id"] is None


def test_a_report_changes_nothing_but_the_queue(call: InProcess, agent: Actor) -> None:
    record = {"id": str(a_record(agent).id)}
    reads = [("/v1/records/get", record), ("/v1/records/history", record)]
    reads += [("/v1/citations/resolve", record), ("/v1/records/list", {})]
    before = [call(path, body).body for path, body in reads]
    body = {"record_id": record["id"], "note": "No.", "reporter_subject_id": "user_1"}

    changed = changed_tables(lambda: call("/v1/feedback/record", body))

    assert changed == {"feedback_report": (0, 1), "memory_subject": (0, 1)}
    before[0]["open_reports"] += 1
    assert [call(path, body).body for path, body in reads] == before


def test_a_list_shows_each_report_with_its_target_as_it_is_now(
    call: InProcess, agent: Actor
) -> None:
    reported, record = _record(call, agent, proposed_object="Gitega", reporter_subject_id="user_1")
    got = call("/v1/records/get", {"id": str(record.id)}).body

    [listed] = _listed(call, open_only=True)

    del reported["replayed"]
    assert listed == {
        **reported,
        "reporter_subject_id": "user_1",
        "ready": True,
        "target": {
            "status": "current",
            "version": str(record.version),
            "closed_at": None,
            "subject": got["subject"],
            "predicate": got["predicate"],
            "object": got["object"],
            "statement_preview": got["statement"],
        },
    }


def test_a_promotion_corrects_to_the_proposed_object(call: InProcess, agent: Actor) -> None:
    reported, record = _record(call, agent, proposed_object="Gitega")
    sibling = a_report(agent, record)

    answer = _promote(call, reported["id"], record.version)

    old = call("/v1/records/get", {"id": str(record.id)}).body
    new = call("/v1/records/get", {"id": old["replaced_by"]}).body
    assert answer.body == {
        "id": reported["id"],
        "record_id": str(record.id),
        "operation": "record.correct",
        "replacement_record_id": new["id"],
        "version": new["version"],
        "promoted_at": old["known"]["until"],
        "closed_reports": 1,
        "replayed": False,
    }
    assert (new["object"], new["statement"]) == ("Gitega", NOTE)
    assert new["recorded_by"] == str(agent.id)
    rows = {row["id"]: row for row in _listed(call, record_id=str(record.id))}
    assert (rows[str(sibling.id)]["ready"], rows[str(sibling.id)]["target"]["status"]) == (
        False,
        "superseded",
    )
    assert rows[reported["id"]] | {"target": None} == {
        **{name: value for name, value in reported.items() if name != "replayed"},
        "reporter_subject_id": None,
        "ready": False,
        "target": None,
        "promoted_by": str(agent.id),
        "promoted_by_kind": "credential",
        "promoted_at": answer.body["promoted_at"],
        "replacement_record_id": new["id"],
        "promotion": {
            "operation": "record.correct",
            "expected_version": str(record.version),
            "version": new["version"],
        },
    }


def test_a_promotion_without_a_proposed_object_retracts(call: InProcess, agent: Actor) -> None:
    reported, record = _record(call, agent)

    answer = _promote(call, reported["id"], record.version)

    got = call("/v1/records/get", {"id": str(record.id)}).body
    assert answer.body == {
        "id": reported["id"],
        "record_id": str(record.id),
        "operation": "record.retract",
        "version": got["version"],
        "promoted_at": got["known"]["until"],
        "closed_reports": 0,
        "replayed": False,
    }
    assert got["status"] == "retracted"
    [listed] = _listed(call)
    assert "replacement_record_id" not in listed
    assert listed["promotion"]["operation"] == "record.retract"
    assert listed["target"]["closed_at"] == answer.body["promoted_at"]


def test_three_refusals_of_a_promotion_are_told_apart(call: InProcess, agent: Actor) -> None:
    reported, record = _record(call, agent)
    late, _ = a_report(agent, record), None

    malformed = _promote(call, reported["id"], "1")
    stale = _promote(call, reported["id"], uuid4())
    assert _promote(call, reported["id"], record.version).status == 200
    decided = _promote(call, reported["id"], record.version)
    moved_on = _promote(call, str(late.id), record.version)

    assert malformed.refusal == (400, "invalid_feedback")
    assert malformed.message == 'Field "expected_version" must be a canonical UUID.'
    assert stale.refusal == moved_on.refusal == (409, "record_conflict")
    assert decided.refusal == (409, "feedback_already_promoted")
    assert len({malformed.message, stale.message, decided.message}) == 3
    assert [row["id"] for row in _listed(call, open_only=True)] == [str(late.id)]


def test_already_promoted_is_told_before_a_wrong_version(call: InProcess, agent: Actor) -> None:
    reported, record = _record(call, agent)
    _promote(call, reported["id"], record.version)

    assert _promote(call, reported["id"], uuid4()).code == "feedback_already_promoted"


def test_a_report_about_a_closed_record_is_taken_and_never_ready(
    call: InProcess, agent: Actor
) -> None:
    reported, record = _record(call, agent)
    promoted = _promote(call, reported["id"], record.version)

    late = call("/v1/feedback/record", {"record_id": str(record.id), "note": "Still no."})

    assert late.status == 200
    assert late.body["record_version"] == promoted.body["version"]
    assert _listed(call, ready_only=True) == []
    [listed] = _listed(call, open_only=True)
    assert (listed["id"], listed["ready"]) == (late.body["id"], False)
    version = listed["target"]["version"]
    assert _promote(call, late.body["id"], version).refusal == (409, "record_conflict")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ["late", "sibling", "promoted", "ready"]),
        ({"open_only": True}, ["late", "sibling", "ready"]),
        ({"ready_only": True}, ["ready"]),
        ({"open_only": True, "ready_only": True}, ["ready"]),
        ({"order": "oldest"}, ["ready", "promoted", "sibling", "late"]),
        ({"order": "oldest", "open_only": True, "limit": 2}, ["ready", "sibling"]),
        ({"open_only": False, "ready_only": None}, ["late", "sibling", "promoted", "ready"]),
    ],
)
def test_the_queue_shows_what_was_asked_for_in_order(
    asked: dict[str, Any], expected: list[str], call: InProcess, agent: Actor
) -> None:
    ready = a_report(agent)
    record = a_record(agent)
    promoted, sibling = a_report(agent, record), a_report(agent, record)
    _promote(call, str(promoted.id), record.version)
    late = a_report(agent, record)
    names = {
        str(report.id): name
        for name, report in zip(
            ("ready", "promoted", "sibling", "late"),
            (ready, promoted, sibling, late),
            strict=True,
        )
    }

    assert [names[row["id"]] for row in _listed(call, **asked)] == expected
    whole = {name: value for name, value in asked.items() if name != "limit"}
    about = _listed(call, **whole, record_id=str(record.id))
    everything = _listed(call, **whole)
    assert about == [row for row in everything if row["record_id"] == str(record.id)]


def test_a_replayed_report_answers_the_text_of_its_row(call: InProcess, agent: Actor) -> None:
    record = a_record(agent)
    body = {"record_id": str(record.id), "note": NOTE, "proposed_object": " x "}
    key = {"Idempotency-Key": "k1"}
    first = call("/v1/feedback/record", body, headers=key)
    _promote(call, first.body["id"], record.version)

    again = call("/v1/feedback/record", body, headers=key)

    assert again.body == {**first.body, "replayed": True}
    assert entries_of(again) == [("feedback.record", "allowed", "", 0)]
