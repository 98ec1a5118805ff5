"""Every authenticated call leaves its entry: operation, outcome, code, rows (`contract.md` 0.9)."""

from __future__ import annotations

import logging
from typing import Any, Final
from uuid import uuid4

import pytest
from django.db import connection, transaction

from memory.actor import Actor
from memory.models import AuditEntry
from memory.operations.issue_credential import CredentialReceipt
from tests.factories import a_record, a_report, some_records
from tests.invariants import assert_invariants
from tests.leaks import LogReader
from tests.valid_calls import ALL, KEYED, Route, a_body, a_draft, route
from tests.wire import InProcess, entries_of

#: What a valid call of a route is audited as; the rows that it concerned.
ALLOWED: Final[dict[str, list[tuple[str, int]]]] = {
    "memory:record-assert": [("record.assert", 1)],
    "memory:record-correct": [("record.correct", 1)],
    "memory:record-retract": [("record.retract", 1)],
    "memory:record-list": [("record.list", 0)],
    "memory:record-get": [("record.get", 1)],
    "memory:record-history": [("record.history", 1)],
    "memory:citation-resolve": [("citation.resolve", 1)],
    "feedback:report-record": [("feedback.record", 1)],
    "feedback:report-list": [("feedback.list", 0)],
    "feedback:report-promote": [("feedback.promote", 1), ("record.correct", 1)],
}


@pytest.mark.parametrize("at", ALL, ids=str)
def test_a_call_is_audited_as_its_operation_with_the_rows_it_concerned(
    at: Route, call: InProcess, agent: Actor
) -> None:
    answer = call(at.path, a_body(at, agent))

    assert entries_of(answer) == [
        (operation, "allowed", "", magnitude) for operation, magnitude in ALLOWED[at.name]
    ]
    rows = AuditEntry.objects.filter(request_id=answer.request_id)
    assert {(row.project_id, row.actor_kind, row.actor_id, row.edge) for row in rows} == {
        (agent.project_id, "credential", agent.id, "api")
    }


def test_a_retraction_by_promotion_is_audited_as_one(call: InProcess, agent: Actor) -> None:
    record = a_record(agent)
    report = a_report(agent, record)

    answer = call(
        "/v1/feedback/promote", {"id": str(report.id), "expected_version": str(record.version)}
    )

    assert entries_of(answer) == [
        ("feedback.promote", "allowed", "", 1),
        ("record.retract", "allowed", "", 1),
    ]


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_a_replay_concerns_no_row(at: Route, call: InProcess, agent: Actor) -> None:
    body, key = a_body(at, agent), {"Idempotency-Key": str(uuid4())}
    call(at.path, body, headers=key)

    again = call(at.path, body, headers=key)

    operation = ALLOWED[at.name][0][0]
    assert entries_of(again) == [(operation, "allowed", "", 0)]
    assert_invariants()


@pytest.mark.parametrize(
    ("name", "rows"),
    [("memory:record-assert", 7), ("memory:record-correct", 3), ("memory:record-retract", 4)],
)
def test_a_batch_counts_its_records(name: str, rows: int, call: InProcess, agent: Actor) -> None:
    at = route(name)
    records = [a_body(at, agent)["records"][0] for _ in range(rows)]

    answer = call(at.path, {"records": records})

    assert entries_of(answer) == [(ALLOWED[name][0][0], "allowed", "", rows)]


def test_of_a_batch_only_new_records_count(call: InProcess) -> None:
    draft = a_draft()
    call("/v1/records/assert", {"records": [draft]})

    answer = call("/v1/records/assert", {"records": [draft, a_draft(), a_draft()]})

    assert [row["replayed"] for row in answer.body["records"]] == [True, False, False]
    assert answer.body["replayed"] is False
    assert entries_of(answer) == [("record.assert", "allowed", "", 2)]


def test_a_list_counts_the_rows_of_its_page(call: InProcess, agent: Actor) -> None:
    for record in some_records(agent, 5):
        a_report(agent, record)

    for path in ("/v1/records/list", "/v1/feedback/list"):
        assert [entry[3] for entry in entries_of(call(path, {"limit": 3}))] == [3]
        assert [entry[3] for entry in entries_of(call(path, {}))] == [5]


def _conflict(body: dict[str, Any]) -> dict[str, Any]:
    if "records" in body:
        return {"records": [{**body["records"][0], "expected_version": str(uuid4())}]}
    return {**body, "expected_version": str(uuid4())}


@pytest.mark.parametrize(
    "name", ["memory:record-correct", "memory:record-retract", "feedback:report-promote"]
)
def test_a_conflict_is_audited_under_the_operation_that_was_asked_for(
    name: str, call: InProcess, agent: Actor
) -> None:
    at = route(name)

    answer = call(at.path, _conflict(a_body(at, agent)))

    assert answer.refusal == (409, "record_conflict")
    assert entries_of(answer) == [(ALLOWED[name][0][0], "refused", "record_conflict", 0)]


def test_a_second_promotion_is_audited_with_its_code(call: InProcess, agent: Actor) -> None:
    at = route("feedback:report-promote")
    body = a_body(at, agent)
    call(at.path, body)

    answer = call(at.path, body)

    assert answer.refusal == (409, "feedback_already_promoted")
    assert entries_of(answer) == [("feedback.promote", "refused", "feedback_already_promoted", 0)]


@pytest.mark.parametrize("at", ALL, ids=str)
def test_paths_and_methods_that_do_not_exist_leave_no_entry(at: Route, call: InProcess) -> None:
    for answer in (call(at.path + "/"), call(at.path, method="PUT"), call("/v1/nothing")):
        assert entries_of(answer) == []


def test_expected_refusals_are_one_quiet_line_each(
    call: InProcess, agent: Actor, log_reader: LogReader, caplog: pytest.LogCaptureFixture
) -> None:
    at = route("feedback:report-promote")
    body = a_body(at, agent)
    stale = call(at.path, _conflict(body))
    call(at.path, body)
    decided = call(at.path, body)
    malformed = call(at.path, b"{")

    for answer in (stale, decided, malformed):
        [line] = [line for line in log_reader.lines if answer.request_id in line]
        assert at.name in line
        assert str(answer.status) in line
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert not [record for record in caplog.records if record.exc_info]
    assert not [line for line in log_reader.lines if "Traceback" in line or "/v1/" in line]


@pytest.mark.parametrize("at", ALL, ids=str)
def test_markers_in_every_text_reach_no_log(
    at: Route, call: InProcess, agent: Actor, agent_credential: CredentialReceipt
) -> None:
    """The watch in `tests/leaks.py` looks for them after this test, and for each id and token."""
    body = a_body(at, agent)
    text = "the quagga was here"
    words = {"subject", "object", "statement", "note", "text", "proposed_object", "data_subject_id"}
    for name in words & at.input.members.keys():
        assert call(at.path, body | {name: text}).status == 200
    call(at.path, body | {text: text})
    call(at.path, dict.fromkeys(at.input.members, text))
    call(at.path, text.encode())
    call(f"{at.path}/{text.replace(' ', '-')}?{text.replace(' ', '=')}")
    call(at.path, body, headers={"Idempotency-Key": text})
    call(at.path, body, headers={"Idempotency-Key": "quagga", "User-Agent": text})
    call(at.path, token=agent_credential.token[:-1])


@pytest.mark.django_db(transaction=True)
def test_a_read_whose_entry_cannot_be_written_is_not_made(call: InProcess, agent: Actor) -> None:
    body = {"id": str(a_record(agent).id)}
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute(
            "CREATE FUNCTION refuse_entries() RETURNS trigger LANGUAGE plpgsql AS $$"
            " BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;"
            "CREATE TRIGGER refuse_entries BEFORE INSERT ON memory_auditentry"
            " FOR EACH ROW EXECUTE FUNCTION refuse_entries()"
        )
    try:
        answers = [call("/v1/records/get", body), call("/v1/records/get", {"id": 5})]
        answers.append(call("/v1/records/list", token=None))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse_entries() CASCADE")

    assert {answer.refusal for answer in answers} == {(503, "unavailable")}
    assert {answer.headers["retry-after"] for answer in answers} == {"1"}
