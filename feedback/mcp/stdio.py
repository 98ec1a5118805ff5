"""Frames over standard input and output: the same server, a credential checked on every call."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import anyio
from anyio import to_thread
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

from feedback.mcp.callers import TokenCaller
from feedback.mcp.frames import frame_of
from feedback.mcp.server import build_server
from memory.errors import DomainError
from memory.http.strict_json import BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import BinaryIO

    from mcp.shared._stream_protocols import WriteStream

#: How many calls of one process run at once, each with a connection of its own.
_CALLS_AT_ONCE: Final = 4


class FrameLines:
    """The lines of a stream that are frames; what is none is answered here and goes no further."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._answers: WriteStream[SessionMessage] | None = None
        self._is_attached = anyio.Event()

    def attach(self, answers: WriteStream[SessionMessage]) -> None:
        """Say where refusals go."""
        self._answers = answers
        self._is_attached.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield each frame, until the stream ends."""
        while line := await self._next_line():
            if not line.strip():
                continue
            try:
                frame_of(line)
            except DomainError as refused:
                await self._refuse(line, refused)
            else:
                yield line.decode()

    async def _next_line(self) -> bytes:
        """One line; of a line that is too long as much as shows that it is."""
        read = partial(self._stream.readline, BODY_BYTES + 2)
        line: bytes = await to_thread.run_sync(read, abandon_on_cancel=True)
        rest = line
        while len(rest) > BODY_BYTES and not rest.endswith(b"\n"):
            rest = await to_thread.run_sync(read, abandon_on_cancel=True)
        return line

    async def _refuse(self, line: bytes, refused: DomainError) -> None:
        await self._is_attached.wait()
        assert self._answers is not None  # noqa: S101 - set before the event
        id_ = _id_in(line)
        code = PARSE_ERROR if id_ is None else INVALID_REQUEST
        error = ErrorData(code=code, message=refused.message)
        answer = JSONRPCError(jsonrpc="2.0", id=id_, error=error)
        await self._answers.send(SessionMessage(answer))


def _id_in(line: bytes) -> int | str | None:
    """The id of a refused frame, where a lenient reader finds one: somebody waits for it."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    id_ = message.get("id") if isinstance(message, dict) else None
    is_plain = type(id_) is int or (isinstance(id_, str) and id_.isascii())
    return id_ if is_plain else None


def serve(token: str) -> None:
    """Answer frames until the input ends."""
    anyio.run(partial(_serve, token))


async def _serve(token: str) -> None:
    server = build_server(partial(TokenCaller, token), anyio.CapacityLimiter(_CALLS_AT_ONCE))
    lines = FrameLines(sys.stdin.buffer)
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (received, answers):
        lines.attach(answers)
        await server.run(received, answers, server.create_initialization_options())
