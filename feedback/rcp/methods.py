"""The methods there are, and the order in which a call is checked (`protocols.md` 1.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from feedback.rcp import errors
from feedback.rcp.callers import Caller, take_rate
from feedback.rcp.feedback import feedback
from feedback.rcp.frames import Answer, Call
from feedback.rcp.lifecycle import info, initialize, ping, shutdown
from feedback.rcp.refusals import refuse
from feedback.rcp.retrieve import retrieve
from memory.errors import Denied, FieldInvalid
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor

Run: TypeAlias = Callable[[Caller, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Method:
    """What a method does, under which name it is audited, and who may call it when."""

    run: Run
    operation: Operation | None = None
    is_write: bool = False
    #: Answered before `initialize` too.
    is_always_open: bool = False


METHODS: Final = {
    "initialize": Method(initialize, is_always_open=True),
    "info": Method(info, is_always_open=True),
    "ping": Method(ping, is_always_open=True),
    "shutdown": Method(shutdown, is_always_open=True),
    "retrieve": Method(retrieve, Operation.RETRIEVE),
    "feedback": Method(feedback, Operation.SIGNAL_RECORD, is_write=True),
}
#: Methods of RCP whose capabilities are not offered.
UNADVERTISED: Final = frozenset(
    {
        *("embed", "embed/sparse", "embed/multi", "rerank", "query/transform", "graph"),
        *("index/add", "index/delete", "memory/build", "memory/recall", "catalog/list"),
    }
)
#: What never has an id.
NOTIFICATIONS: Final = frozenset(
    {"notifications/cancel", "notifications/progress", "notifications/log"}
)


def admit(actor: Actor, name: str) -> None:
    """Take the rate of a method and refuse who may not call it. Raises RateLimited, Denied."""
    method = METHODS.get(name)
    is_write = method is not None and method.is_write
    take_rate(actor, is_write=is_write)
    if is_write and not actor.can_write:
        raise Denied("read_only")


def operation_of(name: str) -> Operation | None:
    """The name under which calls of a method are audited; None where they reach nothing."""
    method = METHODS.get(name)
    return method.operation if method else None


def perform(call: Call, caller: Caller, *, is_admitted: bool = False) -> Answer:
    """Answer a call; no exception leaves it. A door that has admitted the method says so."""
    try:
        if not is_admitted:
            admit(caller.actor, call.method)
        result = _checked(call, caller)
    except Exception as error:  # noqa: BLE001 - every fault has an answer
        return Answer(call.id, error=refuse(error, caller.actor, operation_of(call.method)))
    return Answer(call.id, result=result)


def _checked(call: Call, caller: Caller) -> dict[str, Any]:
    method = METHODS.get(call.method)
    if call.method in NOTIFICATIONS:
        raise errors.invalid_request("A notification has no id.")
    if caller.is_late:
        raise errors.timed_out()
    is_open = method is not None and method.is_always_open
    if not is_open and not caller.session.is_open(caller.actor):
        raise errors.not_initialized()
    if method is None:
        raise _missing(call.method)
    if call.params is not None and not isinstance(call.params, dict):
        raise FieldInvalid("params", "must be an object.")
    return method.run(caller, call.params or {})


def _missing(name: str) -> errors.RcpError:
    return errors.capability_missing() if name in UNADVERTISED else errors.unknown_method()
