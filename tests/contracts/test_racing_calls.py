"""Calls at once over HTTP, calls whose answer is lost, calls that wait for somebody else.

Rules: `assurance.md` 3, faults 1, 8, 9 and 18.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection

from memory.actor import Actor
from memory.models import AuditEntry, IdempotencyKey, Record
from tests.factories import a_record, a_report
from tests.factories.loop_calls import claim_id
from tests.invariants import assert_invariants
from tests.relay import relaying
from tests.serving import HOST, Server
from tests.statements import Execute
from tests.valid_calls import KEYED, Route, a_body, a_person, route
from tests.wire import Answer, InProcess, OverHttp

pytestmark = [pytest.mark.slow]

CALLERS: Final = 32
LOCK_SECONDS: Final = 2.0
SPARE_SECONDS: Final = 0.5  # what a refused call may take beyond the time-out of its lock
IN_PROGRESS: Final = (409, "idempotency_in_progress")


def _at_once(calls: list[Callable[[], Answer]]) -> list[Answer]:
    """The answers to calls that start together."""
    barrier = threading.Barrier(len(calls))

    def wait_and(call: Callable[[], Answer]) -> Answer:
        barrier.wait(20)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(wait_and, calls))


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_the_same_key_from_many_callers_has_one_effect(
    at: Route, live: OverHttp, agent: Actor
) -> None:
    key = str(uuid4())
    body, headers = at.keyed(a_body(at, agent), key), {"Idempotency-Key": key}

    answers = _at_once([lambda: at.send(live, body, headers=headers)] * CALLERS)

    made = [answer for answer in answers if answer.status < 400]
    in_progress = at.refusal(*IN_PROGRESS)
    waiting = [answer for answer in answers if answer.status >= 400]
    assert {answer.refusal for answer in waiting} <= {in_progress}
    assert all(answer.headers["retry-after"] == "1" for answer in waiting)
    assert Counter(at.is_replay(answer) for answer in made)[False] == 1
    receipts = {
        json.dumps(at.told(answer)).replace("true", "").replace("false", "") for answer in made
    }
    assert len(receipts) == 1
    assert IdempotencyKey.objects.filter(scope="request").count() == 1
    allowed = AuditEntry.objects.filter(operation=at.view.operation_name, outcome="allowed")
    effects = [entry for entry in allowed.filter(edge="api") if entry.magnitude]
    assert len({entry.request_id for entry in effects} & {a.request_id for a in made}) == 1
    assert_invariants()


def test_of_racing_promotions_one_wins_and_all_others_are_told_to_stop(
    live: OverHttp, agent: Actor
) -> None:
    for said in ({}, {"proposed_object": "x"}) * 2:
        record = a_record(agent)
        report = a_report(agent, record, **said)
        body = {"id": str(report.id), "expected_version": str(record.version)}

        answers = _at_once([lambda body=body: live("/v1/feedback/promote", body)] * CALLERS)  # type: ignore[misc]

        refused = [answer.refusal for answer in answers if answer.status != 200]
        assert Counter(refused) == {(409, "feedback_already_promoted"): CALLERS - 1}
        got = live("/v1/records/get", {"id": str(record.id)}).body
        assert got["version_number"] == 2
    assert_invariants()


@contextmanager
def _stalled(word: str, until: threading.Event) -> Iterator[None]:
    """Statements of this thread that hold a word wait before they are sent."""

    def stall(execute: Execute, sql: str, params: Any, many: Any, context: Any) -> Any:
        if word in sql:
            until.wait(20)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(stall):
        yield


def test_while_the_first_call_is_stuck_its_key_is_in_progress(
    live: OverHttp, call: InProcess, agent: Actor
) -> None:
    at = route("feedback:report-record")
    body, headers = a_body(at, agent), {"Idempotency-Key": "k1"}
    release = threading.Event()
    first: list[Answer] = []

    def stuck() -> None:
        with _stalled('INSERT INTO "feedback_report"', release):
            first.append(call(at.path, body, headers=headers))
        connection.close()

    thread = threading.Thread(target=stuck)
    thread.start()
    try:
        time.sleep(0.3)  # the first call has claimed its key by now
        began = time.monotonic()
        second = live(at.path, body, headers=headers)
        waited = time.monotonic() - began
        other = live(at.path, body, headers={"Idempotency-Key": "k2"})
    finally:
        release.set()
        thread.join()
    third = live(at.path, body, headers=headers)

    assert second.refusal == IN_PROGRESS
    assert second.headers["retry-after"] == "1"
    assert LOCK_SECONDS - 0.2 < waited < LOCK_SECONDS + SPARE_SECONDS + 1
    assert other.body["replayed"] is False
    assert first[0].body["replayed"] is False
    assert (third.body["replayed"], third.body["id"]) == (True, first[0].body["id"])
    assert_invariants()


@contextmanager
def _locked(table: str, id_: object) -> Iterator[None]:
    """Somebody else holds a row, in a session that the application knows nothing of."""
    parameters = connection.get_connection_params()
    parameters.pop("options", None)
    parameters.pop("context", None)
    wanted = {
        name: parameters[name]
        for name in ("dbname", "user", "password", "host", "port", "passfile")
        if name in parameters
    }
    with psycopg.connect(**wanted) as other:
        other.execute(f"SELECT 1 FROM {table} WHERE id = %s FOR UPDATE", [id_])  # noqa: S608
        yield
        other.rollback()


def test_a_call_waits_for_a_lock_no_longer_than_the_time_out(live: OverHttp, agent: Actor) -> None:
    bodies = {at: a_body(at, agent) for at in KEYED if at.name.endswith(("promote", "retract"))}
    rows = live("/v1/records/list", {"status": "current"}).body["records"]
    with _locked("memory_record", rows[0]["id"]), _locked("memory_record", rows[1]["id"]):
        for at, body in bodies.items():
            began = time.monotonic()
            answer = live(at.path, body)
            waited = time.monotonic() - began
            assert answer.refusal == (503, "unavailable")
            assert answer.headers["retry-after"] == "1"
            assert LOCK_SECONDS - 0.1 < waited < LOCK_SECONDS + SPARE_SECONDS + 1
        assert live("/v1/records/get", {"id": rows[0]["id"]}).status == 200
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
        )
        assert cursor.fetchone() == (0,)

    assert [live(at.path, body).status for at, body in bodies.items()] == [200, 200]
    assert_invariants()


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_a_call_whose_answer_was_lost_is_repeated_safely_with_its_key(
    at: Route, server: Server, live: OverHttp, agent: Actor
) -> None:
    key = str(uuid4())
    body, headers = at.keyed(a_body(at, agent), key), {"Idempotency-Key": key}
    with relaying((HOST, 0), (HOST, server.port)) as relay:
        assert not isinstance(relay.address, str)
        through = OverHttp(HOST, relay.address[1], live.default_token)
        relay.loses_answers = True
        with pytest.raises(OSError, match=r"(?i)reset|closed|aborted"):
            at.send(through, body, headers=headers)
        relay.loses_answers = False
        again = at.send(through, body, headers=headers)

    assert at.is_replay(again) is True
    operation = at.view.operation_name
    effects = AuditEntry.objects.filter(operation=operation, outcome="allowed", edge="api")
    assert [entry.magnitude for entry in effects.order_by("recorded_at")][-2:] == [1, 0]
    assert_invariants()


def test_without_a_key_a_lost_report_is_made_twice_and_a_lost_promotion_is_told(
    server: Server, live: OverHttp, agent: Actor
) -> None:
    promotion = a_body(route("feedback:report-promote"), agent)
    report = a_body(route("feedback:report-record"), agent)
    with relaying((HOST, 0), (HOST, server.port)) as relay:
        assert not isinstance(relay.address, str)
        through = OverHttp(HOST, relay.address[1], live.default_token)
        relay.loses_answers = True
        for path, body in (("/v1/feedback/record", report), ("/v1/feedback/promote", promotion)):
            with pytest.raises(OSError, match=r"(?i)reset|closed|aborted"):
                through(path, body)

    assert live("/v1/feedback/record", report).status == 200
    listed = live("/v1/feedback/list", {"record_id": report["record_id"]}).body["feedback"]
    assert len(listed) == 2
    assert live("/v1/feedback/promote", promotion).refusal == (409, "feedback_already_promoted")


def test_racing_outcomes_of_many_callers_are_each_one_signal(live: OverHttp, agent: Actor) -> None:
    at, summary = route("feedback:outcome-record"), route("feedback:outcome-summary")
    body = a_body(at, agent)

    answers = _at_once([lambda: at.send(live, body)] * CALLERS)

    assert {answer.status for answer in answers} == {201}
    assert len({at.told(answer)["feedback_id"] for answer in answers}) == CALLERS
    told = summary.told(summary.send(live, {"claim_id": body["claim_id"]}))
    assert told["counted"] == {"positive": CALLERS, "negative": 0, "total": CALLERS}
    assert (told["distinct_actors"], told["utility"]) == (1, 1)
    assert_invariants()


def test_compiles_and_outcomes_at_once_while_the_record_is_retracted_are_all_answered(
    live: OverHttp, agent: Actor
) -> None:
    compile_, outcome = route("feedback:context-compile"), route("feedback:outcome-record")
    person = {"subject_id": a_person()}
    record = a_record(agent, data_subject=person["subject_id"])
    task = a_body(compile_, agent) | person | {"task": record_words(record.id)}
    run = compile_.told(compile_.send(live, task))
    told = {"outcome": "useful", "context_id": run["context_id"]}
    change = {"id": str(record.id), "expected_version": str(record.version)}
    calls: list[Callable[[], Answer]] = [
        *[lambda: compile_.send(live, task)] * 8,
        *[lambda: outcome.send(live, told | {"claim_id": claim_id(record.id)})] * 8,
        lambda: live("/v1/records/retract", {"records": [change]}),
    ]

    answers = _at_once(calls)

    assert [answer.status for answer in answers] == [200] * 8 + [201] * 8 + [200]
    assert {len(compile_.told(answer)["items"]) for answer in answers[:8]} <= {0, 1}
    assert compile_.told(compile_.send(live, task))["items"] == []
    assert_invariants()


def record_words(record_id: UUID) -> str:
    """What a record says, to be asked for."""
    statement: str = Record.objects.values_list("statement", flat=True).get(id=record_id)
    return statement
