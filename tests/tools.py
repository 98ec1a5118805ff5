"""Calling the tools: valid arguments of each, frames, the SDK's client in both revisions."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import httpx2
from django.conf import settings
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from typing_extensions import override

from tests.commands import environment
from tests.factories import MARKER, a_record
from tests.factories.loop import a_run

if TYPE_CHECKING:
    from memory.actor import Actor
    from tests.serving import Server

NAMES: Final = (
    "recall",
    "compile_context",
    "resolve_citation",
    "observe",
    "report_feedback",
    "record_outcome",
)
WRITING: Final = NAMES[3:]
OPERATIONS: Final = {
    "recall": "recall",
    "compile_context": "context.compile",
    "resolve_citation": "citation.resolve",
    "observe": "observe",
    "report_feedback": "feedback.record",
    "record_outcome": "outcome.record",
}
#: What no model may do; a name of a route, or of an operation.
ABSENT: Final = (
    "promote_feedback",
    "list_feedback",
    "correct_record",
    "retract_record",
    "assert_records",
    "erase",
    "export",
)
#: The revisions by what the SDK's client calls them.
REVISIONS: Final = {"2025-11-25": "legacy", "2026-07-28": "2026-07-28"}
TIMEOUT_SECONDS: Final = 30


def valid_arguments(actor: Actor) -> dict[str, dict[str, Any]]:
    """Arguments of each tool that are right, about a new record and a new run."""
    record, run = a_record(actor), a_run(actor)
    return {
        "recall": {"question": f"Which town of the {MARKER}?"},
        "compile_context": {"task": f"Find a town of the {MARKER}."},
        "resolve_citation": {"id": str(record.id)},
        "observe": {
            "idempotency_key": str(uuid4()),
            "messages": [{"role": "user", "content": f"The {MARKER} has moved."}],
        },
        "report_feedback": {"record_id": str(record.id), "note": f"No {MARKER} is there."},
        "record_outcome": {"context_id": f"ctx_{run.run_id.hex}", "outcome": "useful"},
    }


def frame(method: str, params: Mapping[str, Any] | None = None, id_: Any = 1) -> dict[str, Any]:
    """A request of the older revision, or with `id_` None a notification."""
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return {name: value for name, value in message.items() if value is not None}


def call_frame(name: str, arguments: Mapping[str, Any], id_: Any = 1) -> dict[str, Any]:
    """A call of a tool."""
    return frame("tools/call", {"name": name, "arguments": arguments}, id_)


INITIALIZE: Final = frame(
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
    0,
)


@dataclass(frozen=True, slots=True)
class Way:
    """A transport and a revision."""

    transport: str
    revision: str

    @override
    def __str__(self) -> str:
        return f"{self.transport}-{self.revision}"

    @asynccontextmanager
    async def connected(self, server: Server, token: str, home: Path) -> AsyncIterator[Client]:
        """The SDK's client, connected with this token."""
        mode = REVISIONS[self.revision]
        if self.transport == "http":
            async with over_http(server, token, mode) as client:
                yield client
            return
        with (home / "stdio.log").open("a") as log:
            transport = stdio_client(stdio_parameters(home, token), errlog=log)
            async with Client(transport, mode=mode) as client:
                yield client


WAYS: Final = [
    Way(transport, revision) for transport in ("http", "stdio") for revision in REVISIONS
]


@asynccontextmanager
async def over_http(server: Server, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    """The SDK's client at a server."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_SECONDS) as http:
        transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def stdio_parameters(home: Path, token: str) -> StdioServerParameters:
    """How a program starts the tools for itself."""
    return StdioServerParameters(
        command=sys.executable,
        args=[str(settings.BASE_DIR / "manage.py"), "mcp", "--stdio"],
        env=environment(home) | {"ERRATA_TOKEN": token},
    )


def content_of(result: Any) -> dict[str, Any]:
    """The structured content of a result, which its one block of text repeats."""
    [block] = result.content
    content: dict[str, Any] = result.structured_content
    if result.is_error:
        assert block.text == f"{content['status']} {content['code']}: {content['message']}"
    else:
        assert json.loads(block.text) == content
    return content


def code_of(result: Any) -> str:
    """The code of a refusal."""
    assert result.is_error
    return str(content_of(result)["code"])
