"""Who calls a tool: found out anew for every call, and handed to it explicitly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from memory.actor import new_request_id
from memory.http import rates
from memory.http.authentication import Arrival, authenticate_token
from memory.http.errors import RateLimited
from memory.http.refusals import audit_refusal
from memory.vocabulary import Access, Edge

if TYPE_CHECKING:
    from feedback.mcp.tool import Tool
    from memory.actor import Actor

#: Failed authentications over stdio are counted together: nothing but one process is behind them.
_STDIO_ADDRESS: Final = "stdio"


class Caller(Protocol):
    """Whoever sent a frame."""

    @property
    def request_id(self) -> str:
        """The id of the request."""

    def identify(self, tool: Tool | None) -> Actor:
        """The actor of a call of this tool, or of a frame that calls none of ours."""


@dataclass(frozen=True, slots=True)
class KnownCaller:
    """Somebody whose credential and rate were checked at the door."""

    actor: Actor

    @property
    def request_id(self) -> str:
        """The id of the request."""
        return self.actor.request_id

    def identify(self, tool: Tool | None) -> Actor:  # noqa: ARG002 - as `Caller` has it
        """The actor."""
        return self.actor


@dataclass(frozen=True, slots=True)
class TokenCaller:
    """Somebody with a token, looked up at every call."""

    token: str
    request_id: str = field(default_factory=new_request_id)

    def identify(self, tool: Tool | None) -> Actor:
        """The credential as an actor. Raises Unauthenticated, RateLimited, Unavailable."""
        arrival = Arrival(Edge.MCP, self.request_id, _STDIO_ADDRESS)
        actor = authenticate_token(self.token, arrival)
        take_call(actor, tool)
        return actor


def take_call(actor: Actor, tool: Tool | None) -> None:
    """Count one call. Raises RateLimited, audited where a tool says what was called."""
    try:
        rates.take_call(actor.id, tool.access if tool else Access.READ_ONLY)
    except RateLimited as refused:
        if tool:
            audit_refusal(actor, tool.operation, refused, refused.code)
            refused.is_audited = True
        raise
