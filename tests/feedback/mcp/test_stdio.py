"""Lines of a stream as frames, and answers to what is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from feedback.mcp.stdio import Answers, FrameLines
from memory.http.strict_json import BODY_BYTES
from tests.tools import call_frame, frame


async def _read(raw: bytes, on_frame: Callable[[Answers, str], Any]) -> tuple[list[str], list[Any]]:
    """The frames of a stream, and what was answered meanwhile."""
    send, receive = anyio.create_memory_object_stream[SessionMessage](100)
    lines, answers, frames = FrameLines(BytesIO(raw)), Answers(send), []
    lines.attach(answers)
    async with send, receive:
        async for line in lines:
            frames.append(line)
            await on_frame(answers, line)
        await answers.aclose()
        answered = [message.message.model_dump(mode="json") async for message in receive]
    return frames, answered


async def _give(answers: Answers, line: str) -> None:
    id_ = json.loads(line).get("id")
    if id_ is not None:
        answer = JSONRPCResponse(jsonrpc="2.0", id=id_, result={})
        await answers.send(SessionMessage(answer))


def _frames(*lines: bytes) -> tuple[list[str], list[Any]]:
    return anyio.run(partial(_read, b"\n".join(lines), _give))


def _encoded(message: Any) -> bytes:
    return json.dumps(message).encode()


def test_frames_pass_and_blank_lines_do_not_count() -> None:
    first, second = _encoded(frame("ping")), _encoded(frame("notifications/initialized", id_=None))
    frames, answered = _frames(first + b"\r", b"", b"  ", second)
    assert [json.loads(line) for line in frames] == [json.loads(first), json.loads(second)]
    assert [answer["id"] for answer in answered] == [1]


@pytest.mark.parametrize(
    ("line", "id_", "code", "message"),
    [
        (b"{oops", None, -32700, "The body must be valid JSON, and nothing else."),
        (b"\xff", None, -32700, "The body must be UTF-8."),
        (b'{"id":7,"id":8}', 8, -32600, 'Field "id" is given twice.'),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":NaN}}', "a", -32600, "finite"),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"\\ud800"}}', 3, -32600, "lone"),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32700, "lone"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32700, "one JSON-RPC"),
        (b'{"id":1,"x":' + b"[" * 5_000 + b"]" * 5_000 + b"}", 1, -32600, "open brackets"),
        (b'{"id":1,"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}", None, -32700, "lists"),
        (b"[]", None, -32700, "one JSON object"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_frame_is_answered_to_whoever_waits(
    line: bytes, id_: Any, code: int, message: str
) -> None:
    frames, [answer] = _frames(line)
    assert frames == []
    assert (answer["id"], answer["error"]["code"]) in ((id_, code), (None, -32700))
    assert message in answer["error"]["message"]


def test_a_line_that_is_too_long_is_refused_once() -> None:
    long = _encoded(call_frame("observe", {"text": "x" * 3 * BODY_BYTES}))
    frames, answered = _frames(long, _encoded(frame("ping")))
    assert [json.loads(line)["method"] for line in frames] == ["ping"]
    assert answered[0]["error"]["message"] == "The body must be at most 1048576 bytes."
    assert len(answered) == 2


def test_the_end_waits_for_what_runs() -> None:
    async def read(answered: list[Any]) -> None:
        async with anyio.create_task_group() as tasks:

            async def answer(answers: Answers, line: str) -> None:
                await anyio.sleep(0.2)
                await _give(answers, line)

            async def later(answers: Answers, line: str) -> None:
                tasks.start_soon(answer, answers, line)

            answered += (await _read(_encoded(frame("ping")), later))[1]

    answered: list[Any] = []
    anyio.run(read, answered)
    assert [message["id"] for message in answered] == [1]
