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
from tests.valid_calls import ALL, KEYED, READS, Route, a_body, a_draft, route
from tests.wire import InProcess, entries_of

#: Fields that take any text.
WORDS: Final = frozenset(
    {"subject", "object", "statement", "note", "text", "proposed_object", "data_subject_id"}
    | {"task", "question", "content", "reason_code", "agent_id", "run_id"}
)
#: What a valid call of a route is audited as; the rows that it concerned.
ALLOWED: Final[dict[str, list[tuple[str, int]]]] = {
    "memory:record-assert": [("record.assert", 1)],
    "memory:record-correct": [("record.correct", 1)],
    "memory:record-retract": [("record.retract", 1)],
    "memory:record-list": [("record.list", 0)],
    "memory:record-get": [("record.get", 1)],
    "memory:record-history": [("record.history", 1)],
    "memory:citation-resolve": [("citation.resolve", 1)],
    "memory:source-observe/turn": [("observe", 1)],
    "memory:source-observe/evidence": [("observe", 1)],
    "memory:freshness": [("freshness", 1)],
    "memory:context-assemble": [("context.assemble", 0)],
    "memory:record-consolidate": [("record.consolidate", 1)],
    "memory:record-evidence": [("record.evidence", 1)],
    "feedback:report-record": [("feedback.record", 1)],
    "feedback:report-list": [("feedback.list", 0)],
    "feedback:report-promote": [("feedback.promote", 1), ("record.correct", 1)],
    "feedback:recall": [("recall", 1)],
    "feedback:context-compile": [("context.compile", 1)],
    "feedback:context-list": [("context.list", 0)],
    "feedback:outcome-list": [("outcome.list", 0)],
    "feedback:context-get": [("context.get", 1)],
    "feedback:outcome-record": [("outcome.record", 1)],
    "feedback:outcome-summary": [("outcome.summary", 1)],
    "feedback:signal-list": [("signal.list", 0)],
    "feedback:signal-summary": [("signal.summary", 1)],
}


@pytest.mark.parametrize("at", ALL, ids=str)
def test_a_call_is_audited_as_its_operation_with_the_rows_it_concerned(
    at: Route, call: InProcess, agent: Actor
) -> None:
    answer = at.send(call, a_body(at, agent))

    assert answer.status == at.made
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
    key = str(uuid4())
    body, headers = at.keyed(a_body(at, agent), key), {"Idempotency-Key": key}
    at.send(call, body, headers=headers)

    again = at.send(call, body, headers=headers)

    assert at.is_replay(again)
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
    path = at.path.replace("{", "").replace("}", "")
    for answer in (call(f"{path}/"), call(path, method="PUT"), call("/v1/nothing")):
        assert answer.status in (404, 405)
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
    for name in WORDS & at.members.keys():
        said = at.keyed(body | {name: text}, str(uuid4()))
        assert at.send(call, said).status in (200, 201)
    at.send(call, body | {text: text})
    at.send(call, body | dict.fromkeys(at.members, text))
    at.send(call, body | dict.fromkeys(at.ids, text))
    at.send(call, body, raw=text.encode())
    call(f"{at.address(body)}/{text.replace(' ', '-')}?{text.replace(' ', '=')}")
    at.send(call, body, headers={"Idempotency-Key": text})
    at.send(call, body, headers={"Idempotency-Key": "quagga", "User-Agent": text})
    at.send(call, body, token=agent_credential.token[:-1])


def test_markers_in_what_is_inside_of_a_body_reach_no_log(call: InProcess, agent: Actor) -> None:
    """Quotes, origins, names of agents and observers, reasons: found or refused, never noted."""
    text = "the quagga was here"
    observe, consolidate = (
        route("memory:source-observe/evidence"),
        route("memory:record-consolidate"),
    )
    seen = a_body(observe, agent) | {"content": f"He says {text}.", "agent_id": text}
    seen |= {"run_id": text, "source": dict.fromkeys(("type", "ref", "id"), text)}
    stored = observe.told(observe.send(call, seen))
    [claim] = a_body(consolidate, agent)["claims"]
    cited = {"observation_id": stored["observation_id"], "relation": "supports", "quote": text}
    claim |= {"sources": [cited], "object": text, "predicate": "quagga", "observer_id": text}
    body = {"subject_id": seen["subject_id"], "claims": [claim]}
    assert consolidate.send(call, body).status == 201
    for name, value in (("quote", "quagga of elsewhere"), ("relation", "contradicts")):
        [claim] = body["claims"]
        wrong = {**body, "claims": [{**claim, "sources": [{**cited, name: value}]}]}
        assert consolidate.send(call, wrong).status == 400
    assert observe.send(call, seen | {"content": text}).refusal == (409, "CONFLICT")


@pytest.mark.django_db(transaction=True)
def test_a_read_whose_entry_cannot_be_written_is_not_made(call: InProcess, agent: Actor) -> None:
    body = {"id": str(a_record(agent).id)}
    asked = [(at, a_body(at, agent)) for at in READS if at.is_loop]
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
        loop = [at.send(call, values) for at, values in asked]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse_entries() CASCADE")

    assert {answer.refusal for answer in answers} == {(503, "unavailable")}
    assert {answer.refusal for answer in loop} == {(503, "UNAVAILABLE")}
    assert {answer.headers["retry-after"] for answer in answers + loop} == {"1"}
