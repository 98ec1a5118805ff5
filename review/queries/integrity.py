"""What the pages of suspected records show (S19), and the tab of a record's signals (S12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from feedback.queries.integrity import (
    find_integrity_of,
    get_suspected_for,
    page_of_integrity,
)
from feedback.queries.signals import count_unbound, list_senders, summarise_signals
from feedback.vocabulary import IntegrityState
from memory import policies
from memory.queries import records
from memory.scope import current_scope
from memory.transactions import audited_read, project_scope
from memory.vocabulary import Operation
from review.queries.names import Names, names_in

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from feedback.queries.integrity import IntegrityRow, SuspicionRow
    from feedback.queries.signals import SenderRow, SignalSummary, UnboundRow
    from feedback.vocabulary import Suspicion
    from memory.actor import Actor
    from memory.paging import Page, Seek
    from memory.queries.records import RecordDetail

#: Suspicions of one record that its item tells one by one.
TOLD_SUSPICIONS: Final = 20
#: Signals without a record here that are looked at, the newest first.
NEWEST_UNBOUND: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityReading:
    """One page of suspected records, and who sent signals about none."""

    now: datetime
    page: Page[IntegrityRow]
    unbound: tuple[UnboundRow, ...]
    names: Names

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.page.magnitude


@audited_read(Operation.SIGNAL_LIST)
def read_integrity(
    *,
    actor: Actor,
    state: IntegrityState | None,
    suspicion: Suspicion | None,
    after: Seek | None,
    limit: int,
) -> IntegrityReading:
    """One page of suspected records. At most four statements."""
    policies.can_read(actor).require()
    page = page_of_integrity(actor, state=state, suspicion=suspicion, after=after, limit=limit)
    unbound = tuple(count_unbound(actor, newest=NEWEST_UNBOUND))
    return IntegrityReading(
        now=current_scope().opened_at,
        page=page,
        unbound=unbound,
        names=names_in(actor, ids=[row.recorded_by for row in unbound]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReading:
    """A suspected record, who suspects it, and what came of that."""

    now: datetime
    item: IntegrityRow
    record: RecordDetail
    senders: tuple[SenderRow, ...]
    suspicions: tuple[SuspicionRow, ...]
    names: Names
    magnitude: int = 1


@audited_read(Operation.SIGNAL_LIST)
def read_item(*, actor: Actor, item_id: UUID) -> ItemReading:
    """One item. Four statements."""
    policies.can_read(actor).require()
    return _item(actor, item_id)


def read_item_again(*, actor: Actor, item_id: UUID) -> ItemReading:
    """The same after a form that was not taken.

    Not audited by itself: it is drawn in the request whose refusal is its entry.
    """
    with project_scope(actor.project_id):
        policies.can_read(actor).require()
        return _item(actor, item_id)


def _item(actor: Actor, item_id: UUID) -> ItemReading:
    found = get_suspected_for(actor, item_id, told=TOLD_SUSPICIONS)
    item, senders, suspicions = found.item, found.senders, found.suspicions
    record = records.get_detail(actor, item.record_id)
    return ItemReading(
        now=current_scope().opened_at,
        item=item,
        record=record,
        senders=senders,
        suspicions=suspicions,
        names=names_in(
            actor,
            records=[record],
            others=[*senders, *suspicions],
            ids=[item.decided_by] if item.decided_by else [],
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSignalsReading:
    """What clients say of a record by signals: in sum, and by sender."""

    now: datetime
    record: RecordDetail
    open_item: UUID | None
    summary: SignalSummary
    senders: tuple[SenderRow, ...]
    names: Names

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return len(self.senders)


@audited_read(Operation.SIGNAL_LIST)
def read_record_signals(*, actor: Actor, record_id: UUID) -> RecordSignalsReading:
    """The signals about a record. Six statements; feedback_signal_record_idx."""
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    senders = list_senders(actor, record.id)
    return RecordSignalsReading(
        now=current_scope().opened_at,
        record=record,
        open_item=find_open_item(actor, record.id),
        summary=summarise_signals(actor, record.id),
        senders=tuple(senders),
        names=names_in(actor, records=[record], others=senders),
    )


def find_open_item(actor: Actor, record_id: UUID) -> UUID | None:
    """The integrity item of a record, while it is open. One statement."""
    found = find_integrity_of(actor, record_id)
    return found[0] if found and found[1] is IntegrityState.OPEN else None
