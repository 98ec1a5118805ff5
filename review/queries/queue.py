"""What the list of reports shows (S6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from feedback.queries import reports
from feedback.vocabulary import Order, Queue
from memory import policies
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation
from review.queries.names import Names, names_in

if TYPE_CHECKING:
    from uuid import UUID

    from feedback.queries.reports import QueueSize, ReportRow
    from memory.actor import Actor
    from memory.paging import Page, Seek
    from review.vocabulary import QueueView


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueReading:
    """One page of a view, the size of the view, and the report that was just decided."""

    now: datetime
    page: Page[ReportRow]
    size: QueueSize
    names: Names
    is_ever: bool  # whether anybody ever reported anything here
    decided: ReportRow | None = None

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.page.magnitude


@audited_read(Operation.FEEDBACK_LIST)
def read_queue(
    *,
    actor: Actor,
    view: QueueView,
    order: Order,
    after: Seek | None,
    limit: int,
    decided: UUID | None = None,
) -> QueueReading:
    """One page of a view of the queue.

    Three statements, one more where the view is empty and no report was just decided;
    feedback_report_{open,ready,closed,all}_idx.
    """
    policies.can_read(actor).require()
    page, just = reports.page_and_report(
        actor, queue=view.queue, order=order, after=after, limit=limit, report_id=decided
    )
    size = reports.measure_queue(actor, view.queue)
    is_ever = size.count > 0 or just is not None
    return QueueReading(
        now=current_scope().opened_at,
        page=page,
        size=size,
        names=names_in(actor, reports=page.rows),
        is_ever=is_ever or reports.find_oldest(actor, Queue.ALL) is not None,
        decided=just,
    )
