"""One id and one log line a request, with names instead of paths; JSON for all of `/v1`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from structlog.testing import capture_logs

from memory.http.context import context_of, route_of
from memory.http.middleware import RequestContextMiddleware, WireMiddleware
from tests.memory.http.conftest import Call, Tenant

ID = "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"


def _lines(logs: Any) -> list[dict[str, Any]]:
    return [dict(line) for line in logs if line["event"] == "request"]


def test_each_request_writes_one_line_without_path_query_or_body(
    call: Call, tenant: Tenant
) -> None:
    with capture_logs() as logs:
        call(f"/v1/rows/{ID}?secret=marker", method="GET")
        call("/v1/write", b'{"id":"marker"}', HTTP_USER_AGENT="marker", HTTP_COOKIE="a=marker")
        call("/v1/marker", token="marker")

    duration = [line.pop("duration_ms") for line in _lines(logs)]
    lines = [{k: v for k, v in line.items() if k != "duration_ms"} for line in _lines(logs)]
    public_id = tenant.read_write.public_id
    assert all(0 <= took < 60_000 for took in duration)
    assert lines == [
        _line("wire:get", "GET", 200, public_id),
        _line("wire:write", "POST", 400, public_id),
        _line("unknown", "POST", 404, ""),
    ]
    assert "marker" not in json.dumps(logs)


def _line(route: str, method: str, status: int, credential: str) -> dict[str, Any]:
    return {
        "event": "request",
        "log_level": "info",
        "route": route,
        "method": method,
        "status": status,
        "credential": credential,
    }


@pytest.mark.usefixtures("wire", "db")
def test_a_method_nobody_knows_is_not_written_into_the_log() -> None:
    with capture_logs() as logs:
        response = Client().generic("MARKER", "/v1/write")

    assert response.status_code == 405
    assert _lines(logs)[0]["method"] == "unknown"


def test_lines_of_a_request_carry_its_id(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    responses = [call("/v1/write", b"{"), call("/v1/broken")]

    logged = [record.msg["request_id"] for record in caplog.records]  # type: ignore[index]
    first, second = (response["X-Request-Id"] for response in responses)
    assert logged == [first, second, second]


@pytest.mark.usefixtures("wire", "db")
def test_pages_get_an_id_too_and_keep_their_own_headers() -> None:
    response = Client().get("/page")

    assert response.status_code == 200
    assert response.content == b"page"
    assert response["X-Request-Id"].startswith("req_")
    assert response["Content-Type"].startswith("text/html")


def test_an_exception_outside_of_our_views_is_json_on_the_wire(call: Call) -> None:
    response = call("/v1/broken")

    assert response.status_code == 500
    assert json.loads(response.content) == {
        "error": {"code": "internal", "message": "The server failed. Repeat the call later."},
        "meta": {"request_id": response["X-Request-Id"]},
    }


@pytest.mark.parametrize(
    ("status", "code"), [(400, "invalid_body"), (403, "forbidden"), (418, "internal")]
)
def test_an_error_page_of_another_middleware_becomes_json(
    status: int, code: str, rf: RequestFactory
) -> None:
    middleware = RequestContextMiddleware(lambda _: HttpResponse("<h1>No</h1>", status=status))

    response = middleware(rf.post("/v1/write"))

    assert isinstance(response, HttpResponse)
    assert json.loads(response.content)["error"]["code"] == code
    assert response["Content-Type"] == "application/json; charset=utf-8"


def test_a_redirect_to_https_stays(rf: RequestFactory) -> None:
    middleware = RequestContextMiddleware(lambda _: HttpResponse(status=301))

    assert middleware(rf.get("/v1/write")).status_code == 301


@pytest.mark.usefixtures("wire")
def test_nothing_behind_the_wire_middleware_sees_v1(rf: RequestFactory) -> None:
    seen: list[str] = []

    def inner(request: HttpRequest) -> HttpResponse:
        seen.append(request.path)
        return HttpResponse()

    middleware = WireMiddleware(inner)
    for path in ("/", "/v1x", "/v12/write", "/queue"):
        middleware(rf.get(path))
    middleware(rf.get("/v1/nothing"))
    middleware(rf.get("/v1"))

    assert seen == ["/", "/v1x", "/v12/write", "/queue"]


def test_the_wire_stands_behind_the_security_middleware(settings: LazySettings) -> None:
    assert settings.MIDDLEWARE[:3] == [
        "memory.http.middleware.RequestContextMiddleware",
        "django.middleware.security.SecurityMiddleware",
        "memory.http.middleware.WireMiddleware",
    ]


def test_a_request_without_the_middleware_has_an_id_and_no_route(rf: RequestFactory) -> None:
    request = rf.get("/v1/x")

    assert context_of(request).request_id == context_of(request).request_id
    assert route_of(request) == "unknown"
