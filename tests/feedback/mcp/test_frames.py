"""What is a frame and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from feedback.mcp.frames import frame_of
from feedback.mcp.registry import TOOLS
from memory.http.errors import InvalidBody
from tests.tools import call_frame, frame


def _read(message: Any) -> Any:
    return frame_of(json.dumps(message).encode())


@pytest.mark.parametrize("id_", [0, -1, 7, "", "a", None])
def test_a_request_has_an_id_and_a_notification_none(id_: Any) -> None:
    read = _read(frame("ping", id_=id_))
    assert (read.id, read.method, read.params, read.tool) == (id_, "ping", {}, None)


def test_the_tool_that_is_called_is_known() -> None:
    assert _read(call_frame("observe", {})).tool is TOOLS["observe"]
    assert _read(call_frame("promote_feedback", {})).tool is None
    assert _read(frame("tools/call", {"name": ["observe"]})).tool is None
    assert _read(frame("tools/list", {"name": "observe"})).tool is None


@pytest.mark.parametrize(
    "change",
    [
        {"jsonrpc": "1.0"},
        {"jsonrpc": None},
        {"method": None},
        {"method": 5},
        {"params": []},
        {"params": None},
        {"params": "x"},
        {"id": None},
        {"id": True},
        {"id": 1.0},
        {"id": {"secret": 1}},
        {"id": [1]},
        {"result": {}},
        {"error": {"code": 1, "message": "x"}},
    ],
    ids=str,
)
def test_what_the_sdk_would_quote_is_refused_first(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidBody) as refused:
        _read({**frame("ping", {}), **change})
    assert refused.value.message == "The body must be one JSON-RPC request or notification."


@pytest.mark.parametrize("raw", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b"1"])
def test_a_batch_is_none(raw: bytes) -> None:
    with pytest.raises(InvalidBody):
        frame_of(raw)
