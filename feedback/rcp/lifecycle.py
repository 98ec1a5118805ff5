"""`initialize`, `info`, `ping` and `shutdown` (`protocols.md` 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from feedback.rcp.capabilities import PROTOCOL_VERSION, introduction
from feedback.rcp.errors import Code, RcpError, invalid_request
from memory.errors import FieldInvalid

if TYPE_CHECKING:
    from feedback.rcp.callers import Caller

_LEAST_VERSION: Final = 1


def initialize(caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
    """Agree on a version and open the session; client and its capabilities are hints, unread."""
    session, actor = caller.session, caller.actor
    if session.is_strict and session.is_open(actor):
        raise _initialized_already()
    version = params.get("protocolVersion")
    if type(version) is not int:
        raise FieldInvalid("protocolVersion", "must be an integer.")
    if version < _LEAST_VERSION:
        raise RcpError(
            Code.VERSION_MISMATCH,
            f"There is no common version. This server speaks version {PROTOCOL_VERSION}.",
        )
    if not session.open(actor):
        raise _initialized_already()
    return introduction(actor)


def _initialized_already() -> RcpError:
    return invalid_request("The session is initialized already.")


def info(caller: Caller, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - takes none
    """The same as `initialize` answers, at any time."""
    return introduction(caller.actor)


def ping(caller: Caller, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - for anybody
    """The nonce, unchanged."""
    nonce = params.get("nonce")
    if nonce is None:
        return {}
    if not isinstance(nonce, str) and type(nonce) not in (int, float):
        raise FieldInvalid("nonce", "must be a string or a number.")
    return {"nonce": nonce}


def shutdown(caller: Caller, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - takes none
    """Drop the session."""
    caller.session.close(caller.actor)
    return {}
