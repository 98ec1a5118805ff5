"""What the page of records in trouble shows (S18)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedback.queries.trouble import Trouble, find_trouble
from memory import policies
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleReading:
    """The records in trouble."""

    now: datetime
    trouble: Trouble

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.trouble.magnitude


@audited_read(Operation.OUTCOME_LIST)
def read_trouble(*, actor: Actor, days: int, is_with_closed: bool) -> TroubleReading:
    """Records that clients complained of in the last days, most distinct senders first.

    One statement; feedback_outcome_all_idx.
    """
    policies.can_read(actor).require()
    now = current_scope().opened_at
    since = now - timedelta(days=days)
    trouble = find_trouble(actor, since=since, is_with_closed=is_with_closed)
    return TroubleReading(now=now, trouble=trouble)
