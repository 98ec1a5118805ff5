"""One call of a tool: who, whether they may, what they say, what they get; refusals included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import structlog

from feedback.mcp.registry import TOOLS
from memory.errors import Denied, FieldInvalid
from memory.http.answers import json_text
from memory.http.error_table import Dialect, Refusal, domain_error_of, internal, refusal_of
from memory.http.errors import InvalidBody
from memory.http.refusals import audit_refusal
from memory.vocabulary import Access

if TYPE_CHECKING:
    from collections.abc import Mapping

    from feedback.mcp.callers import Caller
    from feedback.mcp.tool import Tool
    from memory.actor import Actor
    from memory.errors import DomainError

INVALID_ARGUMENTS: Final = "invalid_arguments"
UNKNOWN_TOOL: Final = Refusal(404, "unknown_tool", "No such tool.")
_log: Final = structlog.get_logger("errata")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call answers: structured content, and the same as text."""

    content: dict[str, Any]
    text: str
    is_error: bool = False


def call_tool(caller: Caller, name: str, arguments: Mapping[str, Any] | None) -> ToolAnswer:
    """Call a tool. Whatever goes wrong is an answer."""
    try:
        tool = TOOLS.get(name)
        actor = caller.identify(tool)
        if tool is None:
            return answer_of(UNKNOWN_TOOL, caller.request_id)
        content = _perform(tool, actor, arguments or {})
    except Exception as error:  # noqa: BLE001 - the SDK would send the error's text
        return answer_of(refusal_for(error, name if name in TOOLS else ""), caller.request_id)
    return ToolAnswer(content, json_text(content))


def _perform(tool: Tool, actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The structured content of a success; a refusal is audited on its way out."""
    try:
        if tool.access is Access.READ_WRITE and not actor.can_write:
            raise Denied("read_only")  # noqa: TRY301 - to be audited like the others
        values = tool.values_of(arguments)
        return tool.answer_of(tool.perform(actor, values, arguments))
    except Exception as error:
        refused = domain_error_of(error)
        audit_refusal(actor, tool.operation, refused, refused_code(refused))
        raise


def refused_code(refused: DomainError | None) -> str:
    """The code of a refusal: every fault of an argument has the same."""
    if refused is None:
        return "internal"
    is_about_arguments = isinstance(refused, FieldInvalid | InvalidBody)
    return INVALID_ARGUMENTS if is_about_arguments else refused.code


def refusal_for(error: Exception, tool: str = "") -> Refusal:
    """The refusal that an error stands for; a fault of ours is logged and says nothing."""
    refused = domain_error_of(error)
    if refused is None:
        _log.error("unexpected_error", tool=tool, exc_info=error)
        return internal(Dialect.RECORDS)
    refusal = refusal_of(refused, Dialect.RECORDS, INVALID_ARGUMENTS)
    return Refusal(refusal.status, refused_code(refused), refusal.message)


def refusal_text(refusal: Refusal) -> str:
    """A refusal as a sentence."""
    return f"{refusal.status} {refusal.code}: {refusal.message}"


def answer_of(refusal: Refusal, request_id: str) -> ToolAnswer:
    """The answer that a refusal is."""
    content = {
        "status": refusal.status,
        "code": refusal.code,
        "message": refusal.message,
        "request_id": request_id,
    }
    return ToolAnswer(content, refusal_text(refusal), is_error=True)
