"""The door of `/mcp`, and frames that pass it (`protocols.md` 2.1)."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from pytest_django import Settings

from memory.http.strict_json import BODY_BYTES
from memory.models import AuditEntry
from tests.contracts.hostile_bodies import HOSTILE, Hostile
from tests.tools import INITIALIZE, call_frame, frame, valid_arguments
from tests.wire import Answer, InProcess

PING: Final = frame("ping")
DECIDED_BELOW: Final = "an unknown name"


def _is_rest(answer: Answer) -> None:
    """The refusal has the body, the headers and nothing else of the REST routes."""
    assert answer.body.keys() == {"error", "meta"}
    assert answer.body["meta"] == {"request_id": answer.request_id}
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers


@pytest.mark.django_db
class TestTheDoor:
    """Refusals that the SDK never sees."""

    @pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS"])
    @pytest.mark.parametrize("token", ["", None])
    def test_only_post_is_known(self, method: str, token: str | None, call: InProcess) -> None:
        answer = call("/mcp", PING, method=method, token=token)
        assert answer.status == 405
        assert answer.headers["allow"] == "POST"
        if method != "HEAD":
            assert answer.code == "method_not_allowed"
            _is_rest(answer)

    @pytest.mark.parametrize("path", ["/mcp/", "/mcp/sse", "/mcp/recall"])
    def test_nothing_is_below_it(self, path: str, call: InProcess) -> None:
        answer = call(path, PING)
        assert answer.refusal == (404, "unknown_route")
        _is_rest(answer)

    def test_another_host_is_refused(self, call: InProcess) -> None:
        answer = call("/mcp", PING, headers={"Host": "rebound.example"}, token=None)
        assert answer.refusal == (403, "forbidden")
        assert answer.message == "The Host header is not allowed."
        _is_rest(answer)

    @pytest.mark.parametrize(
        "origin",
        ["https://other.example", "null", "", "http://testserver:81", "https://testserver", "x"],
    )
    def test_a_page_of_another_site_is_refused(self, origin: str, call: InProcess) -> None:
        entries = AuditEntry.objects.count()
        answer = call("/mcp", PING, headers={"Origin": origin})
        assert answer.refusal == (403, "forbidden")
        assert answer.message == "The Origin header is not allowed."
        _is_rest(answer)
        assert AuditEntry.objects.count() == entries

    @pytest.mark.parametrize("origin", ["http://testserver", "https://errata.example"])
    def test_pages_of_this_server_get_further(
        self, origin: str, call: InProcess, settings: Settings
    ) -> None:
        settings.CSRF_TRUSTED_ORIGINS = ["https://errata.example"]
        answer = call("/mcp", PING, headers={"Origin": origin}, token=None)
        assert answer.refusal == (401, "unauthenticated")

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Authorization": "nobody"},
            {"Authorization": "Bearer nobody"},
            {"Authorization": "Basic bm9ib2R5"},
            {"Cookie": "sessionid=x"},
        ],
        ids=str,
    )
    def test_without_a_credential_nothing_is_told(
        self, headers: dict[str, str], call: InProcess
    ) -> None:
        answer = call("/mcp", frame("tools/list"), headers=headers, token=None)
        assert answer.refusal == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
        _is_rest(answer)
        [entry] = AuditEntry.objects.filter(request_id=answer.request_id)
        assert (entry.operation, entry.outcome, entry.edge) == ("authenticate", "refused", "mcp")

    @pytest.mark.parametrize(
        "hostile", [h for h in HOSTILE if h.name != DECIDED_BELOW], ids=lambda h: h.name
    )
    def test_bytes_that_no_route_takes_are_none_here(
        self, hostile: Hostile, call: InProcess
    ) -> None:
        raw = hostile.spoil(json.dumps(call_frame("recall", {"question": "q"})).encode())
        answer = call("/mcp", raw, headers=hostile.headers, content_type=hostile.content_type)
        assert answer.refusal == (400, "invalid_body")
        assert answer.message == hostile.message
        _is_rest(answer)

    @pytest.mark.parametrize(
        "message",
        [
            {},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
            {"jsonrpc": "2.0", "id": {"secret": 1}, "method": "ping"},
            {"method": "recall", "params": {"question": "q"}},
        ],
        ids=str,
    )
    def test_what_is_no_request_is_refused_without_a_quote(
        self, message: dict[str, Any], call: InProcess
    ) -> None:
        answer = call("/mcp", message)
        assert answer.refusal == (400, "invalid_body")
        assert answer.message == "The body must be one JSON-RPC request or notification."

    def test_a_body_that_is_too_large_is_refused(self, call: InProcess) -> None:
        answer = call("/mcp", b" " * (BODY_BYTES + 1))
        assert answer.refusal == (413, "payload_too_large")
        _is_rest(answer)

    def test_calls_above_the_rate_are_refused_as_what_they_are(
        self, call: InProcess, settings: Settings
    ) -> None:
        settings.READS_PER_MINUTE = settings.WRITES_PER_MINUTE = 1
        assert call("/mcp", {}).status == 400  # counts as a read
        reads = [
            call("/mcp", call_frame("recall", {"question": "q"})),
            call("/mcp", frame("tools/list")),
            call("/mcp", b"{"),
            call("/v1/recalls", {"question": "q"}),
        ]
        for answer in reads:
            assert answer.refusal == (429, "rate_limited")
            assert int(answer.headers["retry-after"]) >= 1
            _is_rest(answer)
        [entry] = AuditEntry.objects.filter(request_id=reads[0].request_id)
        assert (entry.operation, entry.outcome, entry.code, entry.edge) == (
            *("recall", "refused", "rate_limited", "mcp"),
        )
        assert not AuditEntry.objects.filter(request_id=reads[1].request_id).exists()


@pytest.mark.django_db(transaction=True)
class TestFrames:
    """What passes the door; no client of the SDK is between."""

    def test_a_client_may_begin_any_number_of_times(self, call: InProcess) -> None:
        for _ in range(2):
            answer = call("/mcp", INITIALIZE)
            assert answer.status == 200
            result = answer.body["result"]
            assert result["protocolVersion"] == "2025-11-25"
            assert list(result["capabilities"]) == ["tools"]
            assert "mcp-session-id" not in answer.headers
            assert answer.headers["content-type"] == "application/json; charset=utf-8"
            assert answer.request_id.startswith("req_")

    @pytest.mark.parametrize("accept", ["text/event-stream", "text/html", "*/*", ""])
    def test_accept_and_sessions_change_nothing(self, accept: str, call: InProcess) -> None:
        headers = {"Accept": accept, "Mcp-Session-Id": "mine"}
        answer = call("/mcp", frame("tools/list"), headers=headers)
        assert len(answer.body["result"]["tools"]) == 6

    def test_a_notification_is_accepted_and_answered_by_nothing(self, call: InProcess) -> None:
        for method in ("notifications/initialized", "notifications/cancelled", "tools/call", "x"):
            answer = call("/mcp", frame(method, {"name": "recall"}, id_=None))
            assert (answer.status, answer.content) == (202, b"")

    @pytest.mark.parametrize(
        "method",
        ["resources/list", "prompts/list", "completion/complete", "logging/setLevel", "x/y"],
    )
    def test_there_are_tools_only(self, method: str, call: InProcess) -> None:
        answer = call("/mcp", frame(method, {}))
        assert answer.status < 500
        assert answer.body["error"]["code"] in (-32601, -32602)

    @pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": "recall", "arguments": ["x"]}])
    def test_a_malformed_call_is_refused_without_a_quote(
        self, params: dict[str, Any], call: InProcess
    ) -> None:
        answer = call("/mcp", frame("tools/call", params))
        assert answer.body["error"] == {
            **{"code": -32602, "message": "Invalid request parameters", "data": ""},
        }

    def test_no_stream_can_be_opened(self, call: InProcess) -> None:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers = {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "subscriptions/listen",
            "Accept": "application/json, text/event-stream",
        }
        message = frame("subscriptions/listen", {"_meta": meta, "notifications": {}})
        answer = call("/mcp", message, headers=headers)
        assert 400 <= answer.status < 500

    def test_a_revision_that_nobody_knows_is_refused(self, call: InProcess) -> None:
        answer = call("/mcp", PING, headers={"MCP-Protocol-Version": "1999-01-01"})
        assert answer.status == 400
        assert answer.headers["content-type"] == "application/json; charset=utf-8"

    def test_a_call_has_one_request_id_everywhere(self, call: InProcess, agent: Any) -> None:
        answer = call("/mcp", call_frame("recall", {"question": 5}))
        result = answer.body["result"]
        assert (answer.status, result["isError"]) == (200, True)
        assert result["structuredContent"]["request_id"] == answer.request_id
        [entry] = AuditEntry.objects.filter(request_id=answer.request_id)
        assert (entry.actor_id, entry.edge, entry.code) == (agent.id, "mcp", "invalid_arguments")

    def test_every_tool_answers(self, call: InProcess, agent: Any) -> None:
        for name, arguments in valid_arguments(agent).items():
            answer = call("/mcp", call_frame(name, arguments))
            assert answer.body["result"]["isError"] is False, answer.content
