"""RCP over HTTP: paths, statuses, headers, credentials, sessions (`protocols.md` 1.3)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection
from psycopg.errors import LockNotAvailable, QueryCanceled

from feedback.models import RcpSession, Signal
from feedback.vocabulary import SESSION_MINUTES, SESSIONS_PER_CREDENTIAL
from memory.actor import Actor
from memory.http import rates
from memory.http.strict_json import BODY_BYTES
from memory.models import AuditEntry
from memory.operations.issue_credential import CredentialReceipt
from memory.operations.revoke_credential import revoke_credential
from tests.factories import fresh
from tests.rcp import Client, HttpDoor, a_call, assert_answer
from tests.statements import Failing, watched
from tests.wire import Answer, Foreigner, InProcess

pytestmark = pytest.mark.django_db

PING: Final = a_call("ping", {"nonce": "a"}, id="one")
SIGNALS: Final = {"signals": [{"hitId": "elsewhere#1", "used": True}]}


def code_of(answer: Answer) -> int:
    """The code of the one refusal."""
    assert_answer(answer.body)
    return int(answer.body["error"]["code"])


def entries(answer: Answer) -> list[tuple[str, str, str, str, int]]:
    """What a request left in the audit log."""
    rows = AuditEntry.objects.filter(request_id=answer.request_id)
    return [(row.operation, row.edge, row.outcome, row.code, row.magnitude) for row in rows]


@pytest.fixture
def door(call: InProcess) -> HttpDoor:
    """The read-write agent at `/rcp`."""
    return HttpDoor(call)


# --- Paths and statuses --------------------------------------------------------------------------


def test_a_call_goes_to_the_path_of_its_method(door: HttpDoor) -> None:
    assert door.post("/ping", PING).body["result"] == {"nonce": "a"}
    for path in ("/info", "/retrieve", "/no/such"):
        answer = door.post(path, PING)
        assert (answer.status, code_of(answer), answer.body["id"]) == (200, -32600, "one")


def test_one_object_at_the_bare_base_is_refused(call: InProcess) -> None:
    for base in ("/rcp", "/rcp/s/one"):
        answer = HttpDoor(call, base).post("", PING)
        assert (answer.status, code_of(answer)) == (200, -32600)


def test_a_list_goes_to_any_path(door: HttpDoor) -> None:
    for path in ("", "/ping", "/retrieve", "/no/such"):
        answer = door.post(path, [PING, PING])
        assert answer.status == 200
        assert [member["id"] for member in answer.body] == ["one", "one"]


def test_an_unknown_method_is_an_answer(door: HttpDoor) -> None:
    answer = door.post("/does/not/exist", a_call("does/not/exist", {}))

    assert (answer.status, code_of(answer)) == (200, -32004)


def test_a_notification_is_answered_with_nothing(door: HttpDoor) -> None:
    notification = {"jsonrpc": "2.0", "method": "feedback", "params": SIGNALS}
    for path, body in (("/feedback", notification), ("", notification), ("", [notification] * 2)):
        answer = door.post(path, body)
        assert (answer.status, answer.content) == (204, b"")
        assert "content-type" not in answer.headers
        assert answer.request_id.startswith("req_")
    assert not Signal.objects.exists()


@pytest.mark.parametrize(
    "path",
    ["/rcp/", "/rcp/s/", "/rcp/s/two words", "/rcp/s/ü", "/rcp/s/" + "a" * 65, "/rcp/s//ping"],
)
def test_below_s_there_are_well_formed_names_only(path: str, call: InProcess) -> None:
    answer = call(path, PING)

    assert answer.refusal == (404, "unknown_route")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_post_is_a_method(method: str, call: InProcess) -> None:
    for path in ("/rcp", "/rcp/ping", "/rcp/s/one", "/rcp/s/one/ping"):
        answer = call(path, PING, method=method, token=None)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")
        if method != "HEAD":
            assert answer.code == "method_not_allowed"


def test_a_path_that_only_begins_so_is_another(call: InProcess) -> None:
    for path in ("/rcpx", "/rcpx/ping", "/rcp.json"):
        assert call(path, PING).headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("headers", "content_type"),
    [
        ({}, "text/plain"),
        ({}, "application/json; charset=latin-1"),
        ({}, ""),
        ({"Content-Encoding": "gzip"}, "application/json"),
    ],
)
def test_another_media_type_is_no_request(
    headers: dict[str, str], content_type: str, door: HttpDoor
) -> None:
    answer = door.post("/ping", PING, headers=headers, content_type=content_type)

    assert (answer.status, code_of(answer), answer.body["id"]) == (400, -32600, None)


def test_a_body_above_the_limit_is_refused(door: HttpDoor) -> None:
    answer = door.post("/ping", b"[" * (BODY_BYTES + 1))

    assert (answer.status, code_of(answer), answer.body["id"]) == (413, -32013, None)


def test_answers_have_the_headers_of_the_wire_and_no_others(door: HttpDoor) -> None:
    for accept in ("*/*", "text/event-stream", "text/html"):
        answer = door.post("/ping", PING, headers={"Accept": accept, "Origin": "https://a.example"})
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not {"set-cookie", "vary", "access-control-allow-origin"} & answer.headers.keys()


# --- Credentials ---------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [None, "wrong", "errata_aaaaaaaa_" + "b" * 49])
def test_who_has_no_credential_is_told_so_with_their_id(
    token: str | None, door: HttpDoor, settings: LazySettings
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 0
    for method in ("initialize", "info", "ping", "retrieve", "feedback", "no/such"):
        answer = door.post(f"/{method}", a_call(method, {}, id="mine"), token=token)
        assert (answer.status, code_of(answer), answer.body["id"]) == (401, -32012, "mine")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert entries(answer) == [("authenticate", "rcp", "refused", "unauthenticated", 0)]


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", json.dumps([PING]).encode(), b'{"id":true}', b"[" * (BODY_BYTES + 1)],
    ids=["broken", "empty", "batch", "no id", "long"],
)
def test_without_a_readable_id_they_are_told_so_without_one(body: bytes, door: HttpDoor) -> None:
    answer = door.post("/ping", body, token=None)

    assert (answer.status, code_of(answer), answer.body["id"]) == (401, -32012, None)


def test_no_credential_is_read_from_anywhere_else(door: HttpDoor, agent_token: str) -> None:
    params = {"token": agent_token, "authorization": f"Bearer {agent_token}"}

    answer = door.post(f"/ping?token={agent_token}", a_call("ping", params), token=None)

    assert answer.status == 401


def test_too_many_failed_authentications_are_slowed_down(
    door: HttpDoor, settings: LazySettings
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 1
    door.post("/ping", PING, token=None)

    answer = door.post("/ping", PING, token=None)

    assert (answer.status, code_of(answer)) == (429, -32011)
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.body["error"]["data"]["retryAfterMs"] == 1_000 * int(
        answer.headers["retry-after"]
    )
    assert door.post("/ping", PING).status == 200


def test_a_read_only_credential_is_refused_before_the_body_is_read(
    door: HttpDoor, agent_ro_token: str
) -> None:
    for body in (a_call("feedback", SIGNALS), b"{", b"[" * (BODY_BYTES + 1)):
        answer = door.post("/feedback", body, token=agent_ro_token)
        assert (answer.status, code_of(answer), answer.body["id"]) == (403, -32012, None)
        assert entries(answer) == [("signal.record", "rcp", "refused", "forbidden", 0)]


def test_inside_a_batch_refusals_are_entries(
    door: HttpDoor, agent_ro_token: str, settings: LazySettings
) -> None:
    batch = [a_call("feedback", SIGNALS, id=1), a_call("ping", id=2)]
    answer = door.post("", batch, token=agent_ro_token)

    assert answer.status == 200
    assert answer.body[0]["error"]["code"] == -32012
    assert answer.body[1]["result"] == {}
    settings.WRITES_PER_MINUTE = 1
    answer = door.post("", [a_call("feedback", SIGNALS, id=n) for n in range(2)])
    assert [member.get("error", {}).get("code") for member in answer.body] == [None, -32011]
    assert "retry-after" not in answer.headers


@pytest.mark.parametrize(("method", "setting"), [("feedback", "WRITES"), ("retrieve", "READS")])
def test_a_credential_has_the_rates_of_the_api(
    method: str, setting: str, door: HttpDoor, settings: LazySettings
) -> None:
    setattr(settings, f"{setting}_PER_MINUTE", 1)
    frame = a_call(method, {"signals": [], "query": "test"})
    assert door.post(f"/{method}", frame).status == 200

    answer = door.post(f"/{method}", frame)

    assert (answer.status, code_of(answer), answer.body["id"]) == (429, -32011, None)
    assert int(answer.headers["retry-after"]) > 1
    assert [row[3] for row in entries(answer)] == ["rate_limited"]


def test_a_credential_revoked_in_mid_use_is_refused(
    call: InProcess, agent_credential: CredentialReceipt, operator: Actor
) -> None:
    session = Client(HttpDoor(call, "/rcp/s/mine")).initialized()
    assert session.hits("test") == []
    revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)

    for base in ("/rcp", "/rcp/s/mine"):
        answer = HttpDoor(call, base).post("/retrieve", a_call("retrieve", {"query": "test"}))
        assert (answer.status, code_of(answer)) == (401, -32012)


# --- Busy and broken -----------------------------------------------------------------------------


def failing(number: int, cause: Exception) -> Failing:
    """Fails the n-th statement as the database would."""
    error = OperationalError("secret text")
    error.__cause__ = cause
    return Failing(number, is_sent=False, error=error)


@pytest.mark.parametrize("path", ["/rcp", "/rcp/s/one"])
def test_a_busy_database_is_503_with_a_hint_when_to_come_back(path: str, call: InProcess) -> None:
    door = HttpDoor(call, path)
    Client(door).initialized()
    for number in (1, 2, 3):
        with connection.execute_wrapper(failing(number, LockNotAvailable())):
            answer = door.post("/retrieve", a_call("retrieve", {"query": "test"}, id=1))
        assert (answer.status, code_of(answer)) == (503, -32010), number
        assert answer.headers["retry-after"] == "1"
        assert answer.body["error"]["data"] == {"retryable": True, "retryAfterMs": 1_000}
        assert b"secret" not in answer.content


def test_a_statement_that_takes_too_long_is_a_time_out(door: HttpDoor) -> None:
    with connection.execute_wrapper(failing(3, QueryCanceled())):
        answer = door.post("/retrieve", a_call("retrieve", {"query": "test"}))

    assert (answer.status, code_of(answer)) == (200, -32014)
    assert answer.body["error"]["data"] == {"retryable": True}


def test_a_fault_of_ours_says_nothing(door: HttpDoor) -> None:
    with connection.execute_wrapper(Failing(3, is_sent=False, error=RuntimeError("secret text"))):
        answer = door.post("/retrieve", a_call("retrieve", {"query": "test"}, id=9))

    assert (answer.status, code_of(answer), answer.body["id"]) == (200, -32603, 9)
    assert b"secret" not in answer.content
    assert entries(answer) == [("retrieve", "rcp", "refused", "internal", 0)]


def test_the_time_of_a_batch_is_that_of_one_request(
    door: HttpDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feedback.rcp.callers.REQUEST_SECONDS", -1.0)

    answer = door.post("", [PING, a_call("retrieve", {"query": "test"})])

    assert [member["error"]["code"] for member in answer.body] == [-32014, -32014]


# --- Sessions ------------------------------------------------------------------------------------


def test_a_session_belongs_to_its_credential(
    call: InProcess, agent_ro_token: str, foreigner: Foreigner
) -> None:
    Client(HttpDoor(call, "/rcp/s/mine")).initialized()

    for token in (agent_ro_token, foreigner.token):
        assert Client(HttpDoor(call, "/rcp/s/mine", token)).code("retrieve") == -32001
    assert Client(HttpDoor(call, "/rcp/s/mine")).hits("test") == []


def test_a_session_ends_after_a_while_without_use(call: InProcess) -> None:
    session = Client(HttpDoor(call, "/rcp/s/mine")).initialized()
    row = RcpSession.objects.get()

    def unused_for(time: timedelta) -> None:
        RcpSession.objects.update(last_used_at=row.last_used_at - time)

    unused_for(timedelta(minutes=SESSION_MINUTES - 1))
    assert session.hits("test") == []
    assert RcpSession.objects.get().last_used_at >= row.last_used_at
    unused_for(timedelta(minutes=SESSION_MINUTES, seconds=1))
    assert session.code("retrieve", {"query": "test"}) == -32001
    assert session.initialized().hits("test") == []
    assert RcpSession.objects.count() == 1


def test_the_longest_unused_session_makes_room(call: InProcess) -> None:
    sessions = [
        Client(HttpDoor(call, f"/rcp/s/s{number}")).initialized()
        for number in range(SESSIONS_PER_CREDENTIAL)
    ]
    sessions[0].hits("test")
    Client(HttpDoor(call, "/rcp/s/one-more")).initialized()

    assert RcpSession.objects.count() == SESSIONS_PER_CREDENTIAL
    assert sessions[0].hits("test") == []
    assert sessions[1].code("retrieve", {"query": "test"}) == -32001


def test_a_session_that_was_shut_down_begins_anew(call: InProcess) -> None:
    session = Client(HttpDoor(call, "/rcp/s/mine")).initialized()
    session.result("shutdown")

    assert not RcpSession.objects.exists()
    assert session.code("retrieve", {"query": "test"}) == -32001
    assert session.initialized().hits("test") == []


def test_the_name_of_a_session_is_kept_nowhere(call: InProcess, agent: Actor) -> None:
    Client(HttpDoor(call, "/rcp/s/quagga")).initialized()

    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(s)::text FROM feedback_rcpsession s")
        [(row,)] = cursor.fetchall()
    assert str(agent.id) in row
    assert b"quagga".hex() not in row
    assert "quagga" not in row


def test_calls_of_a_session_in_one_batch_see_each_other(call: InProcess) -> None:
    door = HttpDoor(call, "/rcp/s/mine")
    batch: list[Any] = [
        a_call("retrieve", {"query": "test"}),
        a_call("initialize", {"protocolVersion": 1}),
        a_call("retrieve", {"query": "test"}),
        a_call("shutdown"),
        a_call("retrieve", {"query": "test"}),
    ]

    codes = [member.get("error", {}).get("code") for member in door.post("", batch).body]

    assert codes == [-32001, None, None, None, -32001]


# --- Audit and statements ------------------------------------------------------------------------


@pytest.mark.usefixtures("records")
def test_a_retrieve_and_a_feedback_are_one_entry_each(door: HttpDoor, word: str) -> None:
    found = door.post("/retrieve", a_call("retrieve", {"query": word, "k": 3}))
    said = door.post("/feedback", a_call("feedback", SIGNALS))

    assert entries(found) == [("retrieve", "rcp", "allowed", "", 3)]
    assert entries(said) == [("signal.record", "rcp", "allowed", "", 1)]


def test_refused_params_are_audited_with_a_word(door: HttpDoor) -> None:
    for path, body, expected in (
        ("/retrieve", a_call("retrieve", {"query": "x", "k": 0}), "invalid_params"),
        ("/retrieve", a_call("retrieve", {"query": "x", "mode": "dense"}), "option_unsupported"),
        ("/retrieve", b"{", "parse_error"),
        ("/retrieve", a_call("ping"), "invalid_request"),
        ("/feedback", a_call("feedback", {"signals": 1}), "invalid_params"),
        ("/feedback", a_call("feedback", {"signals": [{}] * 257}), "payload_too_large"),
    ):
        rows = entries(door.post(path, body))
        assert [(row[2], row[3], row[4]) for row in rows] == [("refused", expected, 0)]


def test_what_reaches_nothing_leaves_no_entry(door: HttpDoor) -> None:
    for method in ("initialize", "info", "ping", "shutdown", "index/add", "no/such"):
        assert entries(door.post(f"/{method}", a_call(method, {"protocolVersion": 1}))) == []


@pytest.mark.parametrize("number", [1, 10])
def test_a_feedback_sends_at_most_seven_statements(
    number: int, door: HttpDoor, records: tuple[Any, ...]
) -> None:
    signals = [
        {"hitId": f"{record.id}@{record.version}", "poisonSuspected": True}
        for record in records[:number]
    ]
    door.post("/ping", PING)  # the first call of a credential notes its use
    for extra in ({}, {"_meta": {"idempotencyKey": str(uuid4())}}):
        with watched() as statements:
            answer = door.post("/feedback", a_call("feedback", {"signals": signals, **extra}))
        assert answer.body["result"] == {"accepted": number}
        assert len(statements) <= 7, str(statements)


@pytest.mark.usefixtures("records")
@pytest.mark.parametrize("number", [1, 10])
def test_a_retrieve_sends_as_many_statements_at_ten_hits_as_at_one(
    number: int, door: HttpDoor, word: str
) -> None:
    door.post("/ping", PING)
    with watched() as statements:
        answer = door.post("/retrieve", a_call("retrieve", {"query": word, "k": number}))

    assert len(answer.body["result"]["hits"]) == number
    assert len(statements) <= 7, str(statements)


def test_a_refusal_that_cannot_be_audited_is_answered_as_busy(door: HttpDoor) -> None:
    door.post("/ping", PING)  # the first call of a credential notes its use
    with connection.execute_wrapper(failing(2, LockNotAvailable())):
        answer = door.post("/retrieve", a_call("retrieve", {"query": "x", "k": 0}, id=1))

    assert (answer.status, code_of(answer), answer.body["id"]) == (503, -32010, 1)
    assert entries(answer) == []


def test_a_loop_of_refused_calls_fills_no_audit_log(door: HttpDoor, settings: LazySettings) -> None:
    settings.READS_PER_MINUTE = 1
    frame = a_call("retrieve", {"query": "test"})
    for _ in range(rates.AUDITED_A_MINUTE + 5):
        door.post("/retrieve", frame)

    refused = AuditEntry.objects.filter(operation="retrieve", code="rate_limited")
    assert refused.count() == rates.AUDITED_A_MINUTE
