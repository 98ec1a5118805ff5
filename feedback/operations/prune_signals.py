"""Let old signals go whose hits were no records here; bound ones stay and keep counting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.db import connection

from memory import audit, policies
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor

SIGNALS_PER_CALL: Final = 5_000


@dataclass(frozen=True, slots=True)
class SignalPruneReceipt:
    """How many signals went in one call; whether more are old enough."""

    signals: int
    is_more: bool


@operation(Operation.SIGNAL_PRUNE)
def prune_signals(
    *, actor: Actor, before: datetime, most: int = SIGNALS_PER_CALL
) -> SignalPruneReceipt:
    """Delete up to `most` unbound signals from before a time, oldest first.

    May: owner, the operator. Refuses: Denied. Writes: the deletions, one audit entry.
    """
    policies.can_own(actor).require()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('errata.pruning', %s, true)", [str(actor.operation_id)])
        cursor.execute(
            "DELETE FROM feedback_signal WHERE id IN (SELECT id FROM feedback_signal"
            " WHERE project_id = %s AND record_id IS NULL AND recorded_at < %s"
            " ORDER BY recorded_at, id LIMIT %s)",
            [actor.project_id, before, most],
        )
        number = cursor.rowcount
    audit.allowed(actor, audit.Call(Operation.SIGNAL_PRUNE, number))
    return SignalPruneReceipt(number, number == most)
