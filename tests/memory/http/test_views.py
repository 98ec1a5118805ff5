"""What every route does, in the order of `contract.md` 0.5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import Client

from memory.http.strict_json import BODY_BYTES
from memory.keys import fingerprint
from memory.models import AuditEntry
from memory.operations.revoke_credential import revoke_credential
from tests.memory.http.conftest import Call, Tenant, entries
from tests.memory.http.wire_urls import CALLS

ID = "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"
WRITE = json.dumps({"id": ID, "note": "é 文"}).encode()
HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


@pytest.fixture(autouse=True)
def calls() -> Iterator[None]:
    CALLS.clear()
    yield
    CALLS.clear()


def _body(**changes: Any) -> bytes:
    return json.dumps({"id": ID, "note": "x"} | changes).encode()


def _code(response: HttpResponse) -> tuple[int, str]:
    body = json.loads(response.content)
    assert list(body) == ["error", "meta"]
    assert list(body["error"]) == ["code", "message"]
    assert body["meta"] == {"request_id": response["X-Request-Id"]}
    return response.status_code, body["error"]["code"]


def test_a_call_is_answered_with_the_plain_body_of_its_dialect(call: Call) -> None:
    response = call("/v1/write", WRITE)

    assert response.status_code == 200
    assert response.content == f'{{"id":"{ID}","note":"é 文","replayed":false}}'.encode()
    assert entries() == [("feedback.record", "allowed", "", 1)]


def test_the_upper_case_dialect_wraps_and_answers_a_replay_with_200(call: Call) -> None:
    first = call("/v1/context/write", WRITE)
    again = call("/v1/context/write", _body(note="again"))

    assert (first.status_code, again.status_code) == (201, 200)
    assert json.loads(first.content) == {
        "data": {"id": ID, "note": "é 文", "replayed": False},
        "meta": {"request_id": first["X-Request-Id"], "replayed": False},
    }
    assert json.loads(again.content)["meta"]["replayed"] is True


def test_every_answer_has_the_headers_of_the_wire_and_no_others(call: Call) -> None:
    answers = [
        call("/v1/write", WRITE),
        call("/v1/write", b"{"),
        call("/v1/write", token=None),
        call("/v1/write", method="PUT"),
        call("/v1/nothing"),
        call(f"/v1/rows/{ID}", method="GET"),
    ]

    for answer in answers:
        assert {name: answer[name] for name in HEADERS} == HEADERS
        assert answer["X-Request-Id"].startswith("req_")
        assert len(answer["X-Request-Id"]) == 36
        assert answer["Content-Length"] == str(len(answer.content))
        for absent in ("Vary", "Set-Cookie", "Access-Control-Allow-Origin"):
            assert absent not in answer.headers
    assert len({answer["X-Request-Id"] for answer in answers}) == len(answers)


def test_the_actors_request_id_is_the_answers(call: Call) -> None:
    response = call("/v1/write", WRITE, HTTP_X_REQUEST_ID="req_" + "0" * 32)

    assert CALLS[0][1]["request_id"] == response["X-Request-Id"] != "req_" + "0" * 32
    assert AuditEntry.objects.get(edge="api").request_id == response["X-Request-Id"]


@pytest.mark.parametrize("accept", ["text/html", "application/xml;q=1", "*/*;q=0", "x" * 500])
def test_accept_and_format_change_nothing(call: Call, accept: str) -> None:
    response = call("/v1/write?format=api", WRITE, HTTP_ACCEPT=accept)

    assert response.status_code == 200
    assert response["Content-Type"] == HEADERS["Content-Type"]


def test_a_view_without_a_perform_calls_its_operation_with_the_values(call: Call) -> None:
    response = call("/v1/context/count", b'{"status":"current"}')

    assert json.loads(response.content) == {
        "data": {"count": 0, "trust": "verified", "disputed": None, "status": None},
        "meta": {"request_id": response["X-Request-Id"]},
    }
    called = CALLS[0][1]
    assert (called["status"], called["since"], called["above"]) == ("current", None, 0.5)
    assert "key" not in called


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_other_methods_are_refused_before_the_credential(call: Call, method: str) -> None:
    response = call("/v1/write", method=method, token=None)

    assert response.status_code == 405
    assert response["Allow"] == "POST"
    if method != "HEAD":
        assert _code(response) == (405, "method_not_allowed")
    assert entries() == []


def test_head_works_where_get_does(call: Call) -> None:
    got = call(f"/v1/rows/{ID}", method="GET")
    head = call(f"/v1/rows/{ID}", method="HEAD")
    post = call(f"/v1/rows/{ID}")

    assert head.status_code == got.status_code == 200
    assert head.content == b""
    assert head["Content-Length"] == got["Content-Length"]
    assert post["Allow"] == "GET, HEAD"


def test_a_method_in_a_header_is_not_looked_at(call: Call) -> None:
    response = call("/v1/write", method="GET", HTTP_X_HTTP_METHOD_OVERRIDE="POST")

    assert response.status_code == 405


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/nothing", "/v1/write/", "/v1/WRITE", "/v1/rows/zz", "/v1//write"]
)
def test_a_path_that_is_no_route_is_unknown_without_a_credential(call: Call, path: str) -> None:
    response = call(path, token=None)

    assert _code(response) == (404, "unknown_route")
    assert json.loads(response.content)["error"]["message"] == "No such route."
    assert entries() == []


def test_an_unknown_route_of_the_loop_is_refused_in_its_dialect(call: Call) -> None:
    assert _code(call("/v1/context/nothing")) == (404, "NOT_FOUND")


def test_an_unknown_host_is_refused_in_json(call: Call) -> None:
    assert _code(call("/v1/write", WRITE, HTTP_HOST="evil.example")) == (400, "invalid_body")


@pytest.mark.parametrize("path", ["/v1/write", "/v1/context/write", "/v1/list"])
def test_without_a_credential_nothing_else_is_looked_at(call: Call, path: str) -> None:
    response = call(path, b"{", token=None, content_type="text/plain")

    assert _code(response) in [(401, "unauthenticated"), (401, "UNAUTHENTICATED")]
    assert response["WWW-Authenticate"] == "Bearer"
    assert entries() == [("authenticate", "refused", "unauthenticated", 0)]


def test_all_refused_credentials_get_the_same_bytes(call: Call, tenant: Tenant) -> None:
    revoke_credential(actor=tenant.owner, credential_id=tenant.read_write.id)
    answers = [call("/v1/write", WRITE, token=t) for t in (None, "x", tenant.read_write.token)]

    bodies = {a.content.replace(a["X-Request-Id"].encode(), b"") for a in answers}

    assert len(bodies) == 1
    assert len({tuple(sorted(a.headers)) for a in answers}) == 1


def test_a_session_cookie_opens_nothing(call: Call) -> None:
    response = call("/v1/write", WRITE, token=None, HTTP_COOKIE="sessionid=x; csrftoken=y")

    assert response.status_code == 401


def test_too_many_calls_are_refused_before_access_and_body(
    call: Call, tenant: Tenant, settings: LazySettings
) -> None:
    settings.WRITES_PER_MINUTE, settings.READS_PER_MINUTE = 60, 0
    assert call("/v1/write", WRITE).status_code == 200

    response = call("/v1/write", b"{")

    assert _code(response) == (429, "rate_limited")
    assert response["Retry-After"] == "1"
    assert entries()[1:] == [("feedback.record", "refused", "rate_limited", 0)]
    assert call("/v1/list").status_code == 200
    other = call("/v1/write", WRITE, token=tenant.read_only.token)
    assert other.status_code == 403


def test_reads_have_a_rate_of_their_own(call: Call, settings: LazySettings) -> None:
    settings.WRITES_PER_MINUTE, settings.READS_PER_MINUTE = 0, 60

    assert [call("/v1/list").status_code for _ in range(2)] == [200, 429]
    assert call("/v1/write", WRITE).status_code == 200


def test_only_sixty_refusals_for_the_rate_are_audited(call: Call, settings: LazySettings) -> None:
    settings.WRITES_PER_MINUTE = 1
    answers = [call("/v1/write", WRITE).status_code for _ in range(72)]

    assert answers == [200] + [429] * 71
    assert len(entries()) == 61


def test_a_read_only_credential_is_refused_before_size_and_body(call: Call, tenant: Tenant) -> None:
    token = tenant.read_only.token
    answers = [
        call("/v1/write", WRITE, token=token),
        call("/v1/write", b"{", token=token, content_type="text/plain"),
        call("/v1/write", WRITE, token=token, CONTENT_LENGTH="9" * 12),
    ]

    assert [_code(answer) for answer in answers] == [(403, "forbidden")] * 3
    assert entries() == [("feedback.record", "refused", "forbidden", 0)] * 3
    assert CALLS == []


def test_a_read_only_credential_may_read(call: Call, tenant: Tenant) -> None:
    assert call("/v1/list", token=tenant.read_only.token).status_code == 200


def test_size_comes_before_the_other_headers_and_those_before_the_body(call: Call) -> None:
    too_long = call("/v1/write", b"{", CONTENT_LENGTH=str(BODY_BYTES + 1), content_type="text/x")
    compressed = call("/v1/write", b"{", HTTP_CONTENT_ENCODING="gzip", HTTP_IDEMPOTENCY_KEY="é")
    bad_key = call("/v1/write", b"{", HTTP_IDEMPOTENCY_KEY="a b")

    assert _code(too_long) == (413, "payload_too_large")
    assert _code(compressed) == (400, "invalid_body")
    assert _code(bad_key) == (400, "invalid_feedback")
    assert [entry[2] for entry in entries()] == [
        "payload_too_large",
        "invalid_body",
        "invalid_feedback",
    ]


def test_a_body_above_the_limit_is_refused_in_our_body(call: Call) -> None:
    assert _code(call("/v1/write", b" " * (BODY_BYTES + 1))) == (413, "payload_too_large")
    assert _code(call("/v1/context/write", b" " * (BODY_BYTES + 1))) == (413, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_body"),
        (b"[]", "invalid_body"),
        (_body(id="zz", nope=1), "invalid_body"),
        (_body(id="zz"), "invalid_feedback"),
        (_body(note="\0"), "invalid_feedback"),
        (_body(note="\u200b"), "invalid_feedback"),
        (_body(note=None), "invalid_feedback"),
    ],
)
def test_body_comes_before_fields_and_fields_have_the_routes_code(
    call: Call, body: bytes, code: str
) -> None:
    records, loop = call("/v1/write", body), call("/v1/context/write", body)

    assert _code(records) == (400, code)
    assert _code(loop) == (400, "VALIDATION_ERROR")
    assert [entry[:3] for entry in entries()] == [
        ("feedback.record", "refused", code),
        ("feedback.promote", "refused", "validation_error" if code == "invalid_feedback" else code),
    ]
    assert CALLS == []


def test_the_message_names_field_and_rule_and_never_the_value(call: Call) -> None:
    response = call("/v1/write", _body(note="marker " * 20))

    assert json.loads(response.content)["error"]["message"] == (
        'Field "note" must be 1 to 64 bytes.'
    )
    assert b"marker" not in response.content


@pytest.mark.parametrize("key", ["x", "!~", "a,b", "k" * 255])
def test_a_key_reaches_the_operation_with_route_and_fingerprint(call: Call, key: str) -> None:
    call("/v1/write", WRITE, HTTP_IDEMPOTENCY_KEY=key)

    request = CALLS[0][1]["key"]
    assert (request.key, request.route) == (key, "wire:write")
    assert request.fingerprint == fingerprint("POST", "wire:write", json.loads(WRITE))


@pytest.mark.parametrize("key", ["", " ", "a b", "k" * 256, "é", "a\x7f", "a\tb"])
def test_a_malformed_key_is_refused(call: Call, key: str) -> None:
    response = call("/v1/write", WRITE, HTTP_IDEMPOTENCY_KEY=key)

    assert _code(response) == (400, "invalid_feedback")
    assert json.loads(response.content)["error"]["message"] == (
        'Field "Idempotency-Key" must be 1 to 255 visible ASCII characters.'
    )


def test_a_route_without_keys_does_not_look_at_one(call: Call) -> None:
    assert call("/v1/list", HTTP_IDEMPOTENCY_KEY="a b").status_code == 200


def test_a_refusal_of_the_operation_is_audited_once(call: Call) -> None:
    response = call("/v1/write", _body(fault="conflict"))

    assert _code(response) == (409, "record_conflict")
    assert entries() == [("feedback.record", "refused", "record_conflict", 0)]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("value", 500, "internal"),
        ("statement", 500, "internal"),
        ("denied", 403, "forbidden"),
        ("suspicious", 400, "invalid_body"),
    ],
)
def test_an_exception_says_nothing_of_itself(
    call: Call, fault: str, status: int, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    response = call("/v1/write", _body(fault=fault, note="marker"))

    assert _code(response) == (status, code)
    assert entries() == [("feedback.record", "refused", code, 0)]
    shown = response.content.decode() + "".join(capsys.readouterr())
    for secret in ("secret", "marker", "memory_project", "/v1/write"):
        assert secret not in shown


def test_not_found_is_the_one_body_and_is_audited(call: Call) -> None:
    response = call("/v1/rows/00000000-0000-0000-0000-000000000007", method="GET")

    assert _code(response) == (404, "not_found")
    assert entries() == [("record.get", "refused", "not_found", 0)]


@pytest.mark.parametrize(("path", "upper"), [("/v1/write", False), ("/v1/context/write", True)])
def test_a_database_that_is_down_is_unavailable_with_our_body(
    call: Call,
    path: str,
    upper: bool,  # noqa: FBT001
) -> None:
    def fail(*_: Any) -> Any:
        raise OperationalError("connection to server at 192.0.2.1 failed")

    with connection.execute_wrapper(fail):
        response = call(path, WRITE)

    assert _code(response) == (503, "UNAVAILABLE" if upper else "unavailable")
    assert response["Retry-After"] == "1"
    assert b"192.0.2.1" not in response.content


@pytest.mark.parametrize("fault", ["none", "value"])
def test_an_entry_that_cannot_be_written_makes_the_call_unavailable(call: Call, fault: str) -> None:
    def fail_audit(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
        if "memory_auditentry" in sql:
            raise OperationalError("no more disk")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail_audit):
        allowed = call("/v1/write", _body(fault=fault))
        refused = call("/v1/write", b"{")
        listed = call("/v1/list")

    assert [r.status_code for r in (allowed, refused, listed)] == [503, 503, 503]


def test_a_list_gives_a_cursor_that_opens_its_next_page(call: Call) -> None:
    first = json.loads(call("/v1/list", b'{"open_only":true,"limit":2}').content)
    second = json.loads(
        call(
            "/v1/list", json.dumps({"open_only": True, "limit": 1, "after": first["next"]}).encode()
        ).content
    )

    assert len(first["rows"]) == 2
    assert "next" not in second
    assert CALLS[1][1]["after"].id == UUID(first["rows"][-1]["id"])
    assert entries() == [("feedback.list", "allowed", "", 2)] * 2


def test_a_cursor_fits_one_route_filter_and_path_only(call: Call) -> None:
    cursor = json.loads(call("/v1/list", b'{"open_only":true}').content)["next"]
    here, there = uuid4(), uuid4()
    of_row = json.loads(call(f"/v1/rows/{here}/list").content)["next"]

    answers = [
        call("/v1/list", json.dumps({"after": cursor}).encode()),
        call(f"/v1/rows/{here}/list", json.dumps({"open_only": True, "after": cursor}).encode()),
        call(f"/v1/rows/{there}/list", json.dumps({"after": of_row}).encode()),
        call("/v1/list", json.dumps({"after": "made up"}).encode()),
    ]

    codes = ["invalid_feedback", "invalid_record_page", "invalid_record_page", "invalid_feedback"]
    assert [_code(answer) for answer in answers] == [(400, code) for code in codes]
    assert [entry[2] for entry in entries()[2:]] == codes


def test_a_post_route_reads_no_query(call: Call) -> None:
    assert call("/v1/list?limit=zz&nope=1").status_code == 200
    assert CALLS[0][1]["limit"] == 20


def test_a_list_that_is_read_with_get_takes_its_own_names_only(call: Call) -> None:
    good = call("/v1/lists?limit=7&open_only=true", method="GET")
    unknown = call("/v1/lists?format=json", method="GET")
    faulty = call("/v1/lists?limit=0", method="GET")

    assert good.status_code == 200
    assert CALLS[0][1]["limit"] == 7
    assert _code(unknown) == (400, "invalid_body")
    assert _code(faulty) == (400, "invalid_record_page")


def test_get_takes_a_content_type_and_a_body_without_looking(call: Call) -> None:
    response = call(f"/v1/rows/{ID}", b"nonsense", method="GET", content_type="text/plain")

    assert response.status_code == 200
    assert CALLS == [("get", {"values": {}})]


def test_a_client_without_our_middleware_settings_still_gets_no_cookie(call: Call) -> None:
    call("/v1/write", WRITE)
    client = Client()
    client.cookies["sessionid"] = "x"

    response = client.post("/v1/write", WRITE, "application/json")

    assert response.status_code == 401
    assert not response.cookies
