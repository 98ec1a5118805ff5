"""Let old context runs go, with their items; the outcomes about them stay and keep counting."""

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

RUNS_PER_CALL: Final = 500


@dataclass(frozen=True, slots=True)
class PruneReceipt:
    """How many runs and items went in one call; whether more are old enough."""

    runs: int
    items: int
    is_more: bool


_ITEMS: Final = (
    "DELETE FROM feedback_contextitem WHERE project_id = %s AND run_id = ANY (%s::uuid[])"
)
_RUNS: Final = "DELETE FROM feedback_contextrun WHERE project_id = %s AND id = ANY (%s::uuid[])"


@operation(Operation.CONTEXT_PRUNE)
def prune_runs(*, actor: Actor, before: datetime, most: int = RUNS_PER_CALL) -> PruneReceipt:
    """Delete up to `most` runs compiled before a time, oldest first; call it until none is left.

    May: owner, the operator. Refuses: Denied. Writes: the deletions (the trigger lets them pass in
    a transaction that names its pruning), one audit entry with the number of runs.
    """
    policies.can_own(actor).require()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('errata.pruning', %s, true)", [str(actor.operation_id)])
        cursor.execute(
            "SELECT id FROM feedback_contextrun WHERE project_id = %s AND recorded_at < %s"
            " ORDER BY recorded_at, id LIMIT %s FOR UPDATE SKIP LOCKED",
            [actor.project_id, before, most],
        )
        runs = [id_ for (id_,) in cursor]
        cursor.execute(_ITEMS, [actor.project_id, runs])
        items = cursor.rowcount
        cursor.execute(_RUNS, [actor.project_id, runs])
    audit.allowed(actor, audit.Call(Operation.CONTEXT_PRUNE, len(runs)))
    return PruneReceipt(len(runs), items, len(runs) == most)
