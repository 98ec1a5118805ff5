"""The SDK's server with our list of tools and our way of calling them, for both transports.

The SDK is heavy: this module is imported when the first frame arrives.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from anyio import to_thread
from django.db import connections
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_REQUEST,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as PublishedTool

from feedback.mcp.calls import call_tool, refusal_for, refusal_text
from feedback.mcp.registry import INSTRUCTIONS, TOOLS
from feedback.mcp.schemas import input_schema, output_schema
from memory import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio import CapacityLimiter
    from mcp.server.context import ServerRequestContext

    from feedback.mcp.callers import Caller
    from feedback.mcp.tool import Tool

T = TypeVar("T")

#: The tools change with a new version only.
_LIST_IS_FRESH: Final = CacheHint(ttl_ms=3_600_000)


def build_server(
    caller: Callable[[], Caller], limiter: CapacityLimiter | None = None
) -> Server[Any]:
    """A server whose frames come from `caller()`; `limiter` bounds how many run at once."""

    async def list_tools(
        _: ServerRequestContext[Any], __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        await in_worker(partial(_require, caller()), limiter)
        return ListToolsResult(tools=list(published()))

    async def call(_: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        run = partial(call_tool, caller(), params.name, params.arguments)
        answer = await in_worker(run, limiter)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)],
            structured_content=answer.content,
            is_error=answer.is_error,
        )

    server: Server[Any] = Server(
        "errata",
        version=__version__,
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": _LIST_IS_FRESH},
        get_tool_input_schema=_schema_of,
        on_list_tools=list_tools,
        on_call_tool=call,
    )
    server.middleware.clear()  # it would describe calls to a tracer
    return server


async def in_worker(run: Callable[[], T], limiter: CapacityLimiter | None = None) -> T:
    """Run in a thread, where Django's database may be used, and give back its connection.

    A thread has a connection of its own, and nobody else closes it: after errors and cancellation
    too, or a slot of the pool stays taken. Cancelling waits for the thread.
    """

    def run_and_close() -> T:
        try:
            return run()
        finally:
            connections.close_all()

    return await to_thread.run_sync(run_and_close, limiter=limiter)


@cache
def published() -> tuple[PublishedTool, ...]:
    """The tools as clients read them."""
    return tuple(_published(tool) for tool in TOOLS.values())


def _published(tool: Tool) -> PublishedTool:
    return PublishedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool),
        output_schema=output_schema(tool),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=False,
            idempotent_hint=tool.is_idempotent,
            open_world_hint=False,
        ),
    )


def _schema_of(name: str) -> dict[str, Any] | None:
    return next((tool.input_schema for tool in published() if tool.name == name), None)


def _require(caller: Caller) -> None:
    """Refuse a list to whoever has no valid credential."""
    try:
        caller.identify(None)
    except Exception as error:  # noqa: BLE001 - the SDK would send the error's text
        message = refusal_text(refusal_for(error))
        raise MCPError(code=INVALID_REQUEST, message=message) from None
