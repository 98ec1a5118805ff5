"""Stands between a client and the server: keeps what was asked, and answers 503 for some routes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from typing_extensions import override

from tests.serving import HOST, Server
from tests.wire import Answer, OverHttp

#: What a balancer says for a server that is away, in our words.
AWAY: Final = Answer(
    503,
    {"content-type": "application/json; charset=utf-8", "retry-after": "1"},
    b'{"error":{"code":"unavailable","message":"Away."},"meta":{"request_id":"req_0"}}',
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a client sent, whether or not it came through."""

    path: str
    body: Any


@dataclass(slots=True)
class Outage:
    """Where a client finds the server while some of its routes are down."""

    server: Server
    port: int = 0
    down: set[str] = field(default_factory=set)
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{HOST}:{self.port}"

    @property
    def paths(self) -> list[str]:
        """The routes that were asked, in order."""
        return [asked.path for asked in self.asked]

    def bodies(self, path: str) -> list[Any]:
        """What was sent to a route, in order."""
        return [asked.body for asked in self.asked if asked.path == path]

    def answer(self, method: str, path: str, content: bytes, headers: dict[str, str]) -> Answer:
        """What the server answers, or that it is away."""
        self.asked.append(Asked(path, json.loads(content or b"null")))
        if path in self.down:
            return AWAY
        passed = {name: headers[name] for name in ("Authorization", "Content-Type")}
        call = OverHttp(HOST, self.server.port, "")
        return call(path, content, token=None, method=method, headers=passed)


@contextmanager
def standing_before(server: Server) -> Iterator[Outage]:
    """An outage of nothing yet, which lives as long as the context."""
    outage = Outage(server)

    class Passage(BaseHTTPRequestHandler):
        """One request, on a connection of its own."""

        def do_GET(self) -> None:
            self._pass_on()

        def do_POST(self) -> None:
            self._pass_on()

        def _pass_on(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = outage.answer(self.command, self.path, content, dict(self.headers.items()))
            self.send_response(answer.status)
            for name in ("content-type", "retry-after", "x-request-id"):
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: standard error is the test run's."""

    with ThreadingHTTPServer((HOST, 0), Passage) as listener:
        outage.port = listener.server_address[1]
        serving = threading.Thread(target=listener.serve_forever, args=[0.05], daemon=True)
        serving.start()
        try:
            yield outage
        finally:
            listener.shutdown()
            serving.join()
