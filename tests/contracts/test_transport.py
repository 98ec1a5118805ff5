"""What only a real server shows: bytes on a connection, as clients and attackers send them."""

from __future__ import annotations

import http.client
import json
import re
import socket
import time
from typing import Any, Final

import pytest
import yaml
from django.conf import settings

from memory.actor import Actor
from memory.models import AuditEntry
from tests.factories import a_record
from tests.serving import HOST, Server
from tests.valid_calls import ALL, a_body, route
from tests.wire import OverHttp, entries_of

pytestmark = [pytest.mark.slow]

LIST: Final = "/v1/records/list"
SAFE_HEADERS: Final = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
}


def _request(
    token: str | None,
    body: bytes = b"{}",
    *,
    path: str = LIST,
    headers: str = "",
    method: str = "POST",
) -> bytes:
    """The bytes of a request; `headers` ends its lines with \\r\\n."""
    lines = f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
    if token:
        lines += f"Authorization: Bearer {token}\r\n"
    if "ength:" not in headers and "ncoding:" not in headers:
        headers += f"Content-Length: {len(body)}\r\n"
    return f"{lines}{headers}\r\n".encode("latin-1") + body


def _answers(received: bytes) -> list[tuple[int, dict[str, str], Any]]:
    """Status, headers and JSON of every answer in these bytes."""
    found = []
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
        length = int(headers.get("content-length", len(rest)))
        body, received = rest[:length], rest[length:]
        is_json = headers.get("content-type", "").startswith("application/json")
        found.append(
            (int(status.split()[1]), headers, json.loads(body) if is_json and body else body)
        )
    return found


def _refusal(server: Server, sent: bytes) -> tuple[int, str]:
    """Status and code of the one answer."""
    [(status, headers, body)] = _answers(server.exchange(sent, timeout=1))
    assert {name: headers[name] for name in SAFE_HEADERS} == SAFE_HEADERS
    assert re.fullmatch("req_[0-9a-f]{32}", headers["x-request-id"])
    assert body["meta"] == {"request_id": headers["x-request-id"]}
    return status, body["error"]["code"]


def test_every_route_answers_over_a_real_connection(live: OverHttp, agent: Actor) -> None:
    for at in ALL:
        answer = at.send(live, a_body(at, agent))
        assert answer.status == at.made, answer.content
        assert {name: answer.headers[name] for name in SAFE_HEADERS} == SAFE_HEADERS
        assert not {"vary", "set-cookie", "access-control-allow-origin"} & answer.headers.keys()
        assert entries_of(answer)[0][:2] == (at.view.operation_name, "allowed")


def test_a_fresh_installation_answers_every_documented_example(live: OverHttp) -> None:
    """An empty project: nothing is found, nothing fails."""
    document = yaml.safe_load((settings.BASE_DIR / "docs" / "openapi.yaml").read_text())
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            place = re.sub(r"\{\w+\}", "claim_does_not_exist", path)
            if method == "get":
                answer = live(place, b"", method="GET")
                assert answer.status == (200 if place == path else 404), (path, answer.content)
                continue
            media = operation["requestBody"]["content"]["application/json"]
            for example in media["examples"].values():
                answer = live(place, example["value"], method=method.upper())
                # A trust of `verified` in an example is above the cap of this credential.
                refused = (403, "FORBIDDEN") if "trust" in example["value"] else None
                assert answer.status in (200, 201, 404) or answer.refusal == refused
    for path, status in (("/healthz", 200), ("/readyz", 200), ("/docs/", 200), ("/", 303)):
        assert live(path, b"", method="GET", token=None).status == status


def test_a_body_without_a_length_is_refused(server: Server, live: OverHttp) -> None:
    token, end = live.default_token, "Connection: close\r\n"
    chunked = b"2\r\n{}\r\n0\r\n\r\n"
    bare = _request(token, b"", headers=f"X-Length: 0\r\n{end}").replace(b"X-Length: 0\r\n", b"")

    assert b"ength" not in bare
    for sent in (
        bare,
        _request(token, chunked, headers=f"Transfer-Encoding: chunked\r\n{end}"),
        _request(token, b"", headers=end),
        _request(token, b"{}", headers=f"Content-Length: 0\r\n{end}"),
    ):
        assert _refusal(server, sent) == (400, "invalid_body")


def test_a_body_that_ends_early_is_refused(server: Server, live: OverHttp) -> None:
    request = _request(live.default_token, b"{", headers="Content-Length: 2\r\n")
    [(status, _, body)] = _answers(server.exchange(request, timeout=3, ends=True))

    assert (status, body["error"]["code"]) == (400, "invalid_body")


def test_a_declared_size_is_refused_before_the_body_is_sent(server: Server, live: OverHttp) -> None:
    headers = "Content-Length: 104857600\r\nConnection: close\r\n"
    began = time.monotonic()

    assert _refusal(server, _request(live.default_token, b"", headers=headers)) == (
        413,
        "payload_too_large",
    )
    assert time.monotonic() - began < 5


def test_two_credentials_are_none(server: Server, live: OverHttp) -> None:
    token = live.default_token
    twice = f"Authorization: Bearer {token}\r\nConnection: close\r\n"
    for sent in (
        _request(token, headers=twice),
        _request(None, headers=twice.replace(token, token + "\xe9")),
        _request(None, headers="Connection: close\r\n"),
    ):
        assert _refusal(server, sent) == (401, "unauthenticated")


def test_what_a_refused_call_left_unread_is_no_request(server: Server, live: OverHttp) -> None:
    """The rest of a body that nobody read must not be taken for the next request."""
    token = live.default_token
    smuggled = _request(token, b"{}", headers="X-Smuggled: yes\r\n")
    refused = _request(None, smuggled)
    method = _request(token, smuggled, method="PUT")
    good = _request(token, headers="Connection: close\r\n")

    statuses = [
        status for status, _, _ in _answers(server.exchange(refused + method + good, timeout=3))
    ]

    assert statuses in ([401, 405, 200], [401])
    assert AuditEntry.objects.filter(operation="record.list").count() == statuses.count(200)


AMBIGUOUS: Final = (
    "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
    "Content-Length: 2\r\nContent-Length: 3\r\n",
    "Content-Length: -1\r\n",
    "Content-Length: +2\r\n",
    "Content-Length: 2, 2\r\n",
    "Content-Length: 0x2\r\n",
    "Transfer-Encoding: chunked, identity\r\n",
    "Transfer-Encoding: xchunked\r\n",
    "Transfer-Encoding : chunked\r\n",
    " Content-Length: 2\r\n",
    "X: 1\r\n" * 101,
    "X: " + "x" * 9_000 + "\r\n",
)


def test_a_request_that_two_servers_would_read_differently_is_one_refusal(
    server: Server, live: OverHttp
) -> None:
    for headers in AMBIGUOUS:
        sent = _request(live.default_token, b"{}", headers=headers + "Connection: close\r\n")
        answers = _answers(server.exchange(sent, timeout=2))
        assert [status for status, _, _ in answers] in ([400], [431], [501]), headers


def test_another_method_is_refused_with_the_one_there_is(server: Server, live: OverHttp) -> None:
    end = "Content-Length: 0\r\nConnection: close\r\n"
    for method in ("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "FOO"):
        sent = _request(live.default_token, b"", method=method, headers=end)
        received = server.exchange(sent, timeout=3)
        [(status, headers, body)] = _answers(received)
        assert (status, headers["allow"]) == (405, "POST")
        assert not body if method == "HEAD" else body["error"]["code"] == "method_not_allowed"
        assert live.default_token not in received.decode("latin-1")


def test_one_connection_serves_many_calls_in_order(server: Server, live: OverHttp) -> None:
    token = live.default_token
    together = b"".join(
        _request(token, b'{"limit":%d}' % limit) for limit in (1, 0, 100, 101)
    ) + _request(token, headers="Connection: close\r\n")

    answers = _answers(server.exchange(together, timeout=3))

    assert [status for status, _, _ in answers] == [200, 400, 200, 400, 200]
    kept = OverHttp(HOST, server.port, token, keeps_alive=True)
    try:
        assert [kept(LIST, body).status for body in (b"{}", b"{", b"{}")] == [200, 400, 200]
    finally:
        kept.close()


def test_an_old_client_is_served(server: Server, live: OverHttp) -> None:
    sent = _request(live.default_token).replace(b"HTTP/1.1", b"HTTP/1.0")

    assert [status for status, _, _ in _answers(server.exchange(sent, timeout=3))] == [200]


def test_a_header_with_an_underscore_is_not_taken_for_one_with_a_hyphen(
    live: OverHttp, agent: Actor
) -> None:
    at = route("feedback:report-record")
    body = a_body(at, agent)

    answers = [live(at.path, body, headers={"Idempotency_Key": "k1"}) for _ in range(2)]

    assert [answer.body["replayed"] for answer in answers] == [False, False]


def test_a_key_sent_twice_is_one_odd_key(server: Server, live: OverHttp, agent: Actor) -> None:
    at = route("feedback:report-record")
    body = json.dumps(a_body(at, agent)).encode()
    twice = "Idempotency-Key: a b\r\nIdempotency-Key: c\r\nConnection: close\r\n"
    length = f"Content-Length: {len(body)}\r\n"

    sent = _request(live.default_token, body, path=at.path, headers=twice + length)

    assert _refusal(server, sent) == (400, "invalid_feedback")


def test_the_documentation_is_served_with_its_own_assets_only(live: OverHttp) -> None:
    page = live("/docs/", b"", method="GET", token=None)
    document = live("/docs/openapi.yaml", b"", method="GET", token=None)

    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "set-cookie" not in page.headers
    assert document.content == (settings.BASE_DIR / "docs" / "openapi.yaml").read_bytes()
    text = page.content.decode()
    assets = re.findall(r'(?:src|href)="([^"#]+)"', text)
    for asset in {asset for asset in assets if asset.startswith("/static/")}:
        assert live(asset, b"", method="GET", token=None).status == 200
    assert not [asset for asset in assets if "//" in asset]
    assert live("/docs/", b"", method="HEAD", token=None).content == b""
    assert live("/docs/", b"", method="PUT").status in (403, 405)


def test_a_client_that_hangs_up_harms_nobody(server: Server, live: OverHttp, agent: Actor) -> None:
    a_record(agent)
    for sent in (b"", b"POST", _request(live.default_token)[:-1], _request(live.default_token)):
        with socket.create_connection((HOST, server.port), 5) as connection:
            connection.sendall(sent)

    assert live(LIST).status == 200


def test_the_log_of_the_server_has_route_names_and_no_paths(server: Server, live: OverHttp) -> None:
    for path in (LIST, "/v1/quagga/4711", "/quagga", "/docs/?quagga=1"):
        live(path, {"text": "quagga"})
    connection = http.client.HTTPConnection(HOST, server.port, timeout=5)
    connection.request("GET", "/p/quagga/", headers={"User-Agent": "quagga", "Referer": "quagga"})
    connection.getresponse().read()
    connection.close()

    said = server.said()
    assert '"route": "memory:record-list"' in said
    assert "quagga" not in said
    assert "/v1/" not in said
    assert live.default_token not in said
