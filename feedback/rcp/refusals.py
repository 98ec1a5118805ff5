"""What a fault is answered, and that it is audited as every edge's refusals are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog

from feedback.rcp.errors import RcpError, internal, rcp_error_of
from memory import audit
from memory.errors import DomainError, Kind
from memory.http import rates
from memory.http.error_table import domain_error_of
from memory.http.errors import RateLimited

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.vocabulary import Operation

_log: Final = structlog.get_logger("errata")


def refuse(error: Exception, actor: Actor | None, operation: Operation | None) -> RcpError:
    """The answer to any fault, once its entry is written: without one the answer is -32010.

    Calls that reach nothing have no operation and leave no entry, as unknown routes do.
    """
    refused = error if isinstance(error, RcpError) else domain_error_of(error)
    if refused is None:
        _log.error("unexpected_error", route="rcp", exc_info=error)
    answer = _answer_of(refused)
    if actor is None or operation is None or _is_audited(refused):
        return answer
    try:
        _audit(actor, operation, refused, answer.word)
    except DomainError as unaudited:
        return rcp_error_of(unaudited)
    return answer


def _answer_of(refused: RcpError | DomainError | None) -> RcpError:
    if isinstance(refused, RcpError):
        return refused
    return internal() if refused is None else rcp_error_of(refused)


def _is_audited(refused: RcpError | DomainError | None) -> bool:
    """Whether its entry is written, or a busy database was asked in vain already."""
    return isinstance(refused, DomainError) and (
        refused.is_audited or refused.kind is Kind.UNAVAILABLE
    )


def _audit(
    actor: Actor, operation: Operation, refused: RcpError | DomainError | None, code: str
) -> None:
    left_out: int | None = 0
    if isinstance(refused, RateLimited):
        left_out = rates.audited_refusals.admit((actor.project_id, code))
    if left_out is not None:
        audit.refused(actor, operation, code, magnitude=left_out)
