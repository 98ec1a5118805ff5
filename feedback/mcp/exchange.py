"""One request and its answer through the SDK, in this process: no session, no stream, no loop kept.

A session manager of the SDK starts once, hence one for each request.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from feedback.mcp.server import build_server
from memory.http.strict_json import BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from feedback.mcp.callers import Caller

_JSON: Final = b"application/json"


@dataclass(slots=True)
class Exchange:
    """A request, and what the SDK answers to it."""

    headers: list[tuple[bytes, bytes]]
    body: bytes
    status: int = 500
    content: bytes = b""
    is_sent: bool = False

    async def receive(self) -> dict[str, Any]:
        """Give the body, once; then the client is gone."""
        if self.is_sent:
            return {"type": "http.disconnect"}
        self.is_sent = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Any) -> None:
        """Keep a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.content += message.get("body", b"")

    def scope(self) -> dict[str, Any]:
        """The request as ASGI describes it."""
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "root_path": "",
            "query_string": b"",
            "headers": self.headers,
        }


def exchange(caller: Caller, headers: Mapping[str, str], body: bytes) -> Exchange:
    """Answer the body; `headers` are those of the protocol, in lower case."""
    # Whatever the client accepts, it gets JSON: nothing here can open a stream.
    own = [(b"content-type", _JSON), (b"accept", _JSON)]
    given = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    exchanged = Exchange([*own, *given], body)
    anyio.run(partial(_drive, caller, exchanged))
    return exchanged


async def _drive(caller: Caller, exchanged: Exchange) -> None:
    manager = StreamableHTTPSessionManager(
        build_server(lambda: caller),
        json_response=True,
        stateless=True,
        max_request_body_size=BODY_BYTES,
    )
    async with manager.run():
        await manager.handle_request(exchanged.scope(), exchanged.receive, exchanged.send)
