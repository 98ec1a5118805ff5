"""Frames: the strict reading of bytes that are to be one JSON-RPC message of a client.

The SDK reads more leniently, and quotes in its errors what it could not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from feedback.mcp.registry import TOOLS
from memory.http import strict_json
from memory.http.errors import InvalidBody

if TYPE_CHECKING:
    from feedback.mcp.tool import Tool


@dataclass(frozen=True, slots=True)
class Frame:
    """A request, or a notification, which has no id."""

    id: int | str | None
    method: str
    params: dict[str, Any]

    @property
    def tool(self) -> Tool | None:
        """The tool that it calls, if it calls one of ours."""
        name = self.params.get("name")
        is_call = self.method == "tools/call" and isinstance(name, str)
        return TOOLS.get(str(name)) if is_call else None


def frame_of(raw: bytes) -> Frame:
    """The frame that the bytes are. Raises InvalidBody, PayloadTooLarge."""
    message = strict_json.parse_object(raw)
    method, params = message.get("method"), message.get("params", {})
    is_fine = (
        message.get("jsonrpc") == "2.0"
        and isinstance(method, str)
        and isinstance(params, dict)
        and type(message.get("id", 0)) in (int, str)
        and not message.keys() & {"result", "error"}
    )
    if not is_fine:
        raise InvalidBody("The body must be one JSON-RPC request or notification.")
    return Frame(message.get("id"), str(method), params)
