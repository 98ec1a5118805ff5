"""The entries of refusals that an edge decides, and not an operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory import audit
from memory.errors import Kind
from memory.http import rates
from memory.http.errors import RateLimited

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.errors import DomainError
    from memory.vocabulary import Operation


def audit_refusal(
    actor: Actor, operation: Operation, refused: DomainError | None, code: str
) -> None:
    """Write the entry of a refusal; None is a fault of ours. Raises Unavailable when it cannot.

    Nothing is written where whoever raised it has done so, for a busy database, which was asked in
    vain already, and for most of the calls above the rate (`contract.md` 0.9).
    """
    if refused is not None and (refused.is_audited or refused.kind is Kind.UNAVAILABLE):
        return
    left_out: int | None = 0
    if isinstance(refused, RateLimited):
        left_out = rates.audited_refusals.admit((actor.project_id, code))
    if left_out is not None:
        audit.refused(actor, operation, code, magnitude=left_out)
