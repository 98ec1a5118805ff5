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
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCResponse

from feedback.mcp.callers import TokenCaller
from feedback.mcp.frames import frame_of
from feedback.mcp.server import build_server
from memory.errors import DomainError
from memory.http.strict_json import BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import TracebackType
    from typing import BinaryIO, Self

    from mcp.shared._stream_protocols import WriteStream

#: How many calls of one process run at once, each with a connection of its own.
_CALLS_AT_ONCE: Final = 4
#: How long the end of the input waits for calls: longer than the database lets one take.
_LAST_SECONDS: Final = 15
_POLL_SECONDS: Final = 0.01


class FrameLines:
    """The lines of a stream that are frames; what is none is answered here and goes no further.

    The end of the stream is passed on when what runs is answered: the SDK would break it off.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._answers: Answers | None = None
        self._is_attached = anyio.Event()

    def attach(self, answers: Answers) -> None:
        """Say where answers go."""
        self._answers = answers
        self._is_attached.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield each frame, until the stream ends."""
        await self._is_attached.wait()
        assert self._answers is not None  # noqa: S101 - set before the event
        while line := await self._next_line():
            if not line.strip():
                continue
            try:
                frame = frame_of(line)
            except DomainError as refused:
                await self._answers.refuse(_id_in(line), refused)
            else:
                self._answers.expect(frame.id)
                yield line.decode()
        await self._answers.until_given()

    async def _next_line(self) -> bytes:
        """One line; of a line that is too long as much as shows that it is."""
        read = partial(self._stream.readline, BODY_BYTES + 2)
        line: bytes = await to_thread.run_sync(read, abandon_on_cancel=True)
        rest = line
        while len(rest) > BODY_BYTES and not rest.endswith(b"\n"):
            rest = await to_thread.run_sync(read, abandon_on_cancel=True)
        return line


class Answers:
    """The stream of answers, and which requests still wait for theirs."""

    def __init__(self, stream: WriteStream[SessionMessage]) -> None:
        self._stream = stream
        self._awaited: set[int | str] = set()

    def expect(self, id_: int | str | None) -> None:
        """Note a request; a notification has no answer."""
        if id_ is not None:
            self._awaited.add(id_)

    async def until_given(self) -> None:
        """Wait for the answers of what runs; a call that was cancelled gets none."""
        with anyio.move_on_after(_LAST_SECONDS):
            while self._awaited:
                await anyio.sleep(_POLL_SECONDS)

    async def refuse(self, id_: int | str | None, refused: DomainError) -> None:
        """Answer what is no frame."""
        code = PARSE_ERROR if id_ is None else INVALID_REQUEST
        error = ErrorData(code=code, message=refused.message)
        await self.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=id_, error=error)))

    async def send(self, item: SessionMessage) -> None:
        """Pass an answer on."""
        await self._stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
            self._awaited.discard(item.message.id)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, trace)


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
        tracked = Answers(answers)
        lines.attach(tracked)
        await server.run(received, tracked, server.create_initialization_options())
