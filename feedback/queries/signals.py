"""Reads of signals: lists, sums by record, how much one sender says, and what is old."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Q

from feedback.models import IntegrityItem, Signal
from feedback.vocabulary import IntegrityState
from memory import policies
from memory.errors import NotFound
from memory.paging import Page, Seek
from memory.queries.records import find_statuses
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRow:
    """What a client said of a record; None for what it did not say."""

    id: UUID
    record_id: UUID
    record_version: UUID | None
    is_used: bool | None
    is_cited: bool | None
    is_helpful: bool | None
    reward: float | None
    is_poison_suspected: bool | None
    is_injection_suspected: bool | None
    session_digest: bytes | None
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime


_COLUMNS: Final = (
    "id",
    "record_id",
    "record_version",
    "is_used",
    "is_cited",
    "is_helpful",
    "reward",
    "is_poison_suspected",
    "is_injection_suspected",
    "session_digest",
    "recorded_by_id",
    "recorded_by_kind",
    "recorded_via",
    "recorded_at",
)
_SUSPECTED: Final = Q(is_poison_suspected=True) | Q(is_injection_suspected=True)


@audited_read(Operation.SIGNAL_LIST)
def list_signals(
    *,
    actor: Actor,
    record_id: UUID | None = None,
    is_suspected_only: bool = False,
    after: Seek | None = None,
    limit: int,
) -> Page[SignalRow]:
    """One page of bound signals, newest first.

    One statement. Indexes: feedback_signal_{bound,record,suspected,suspect}_idx.
    """
    policies.can_read(actor).require()
    return page_of_signals(
        actor,
        record_id=record_id,
        is_suspected_only=is_suspected_only,
        after=after,
        limit=limit,
    )


def page_of_signals(
    actor: Actor,
    *,
    record_id: UUID | None = None,
    is_suspected_only: bool = False,
    after: Seek | None = None,
    limit: int,
) -> Page[SignalRow]:
    """The same inside another audited read."""
    rows = Signal.objects.visible_to(actor)
    rows = rows.filter(record__isnull=False)  # as the indexes have it, with a record_id too
    if record_id is not None:
        rows = rows.filter(record_id=record_id)
    if is_suspected_only:
        rows = rows.filter(_SUSPECTED)
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    found = rows.read_page(*_COLUMNS, limit=limit)
    return Page.cut([_signal_row(values) for values in found.rows], limit)


def _signal_row(values: tuple[Any, ...]) -> SignalRow:
    return SignalRow(
        id=values[0],
        record_id=values[1],
        record_version=values[2],
        is_used=values[3],
        is_cited=values[4],
        is_helpful=values[5],
        reward=values[6],
        is_poison_suspected=values[7],
        is_injection_suspected=values[8],
        session_digest=None if values[9] is None else bytes(values[9]),
        recorded_by=values[10],
        recorded_by_kind=values[11],
        recorded_via=values[12],
        recorded_at=values[13],
    )


@dataclass(frozen=True, slots=True)
class YesNo:
    """How many signals said yes and how many no."""

    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class Rewards:
    """The rewards that were sent; the numbers are None where none was."""

    count: int
    mean: float | None
    min: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class Suspicions:
    """How many signals suspect it, from how many distinct actors."""

    signals: int
    actors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSummary:
    """All signals about one record. `integrity` is None where no quorum ever suspected it."""

    record_id: UUID
    signals: int
    distinct_actors: int
    used: YesNo
    cited: YesNo
    helpful: YesNo
    reward: Rewards
    poison_suspected: Suspicions
    injection_suspected: Suspicions
    is_in_utility: bool
    integrity: IntegrityState | None
    magnitude: int = 1


_SUMMARY: Final = """
SELECT count(*), count(DISTINCT actor),
  count(*) FILTER (WHERE is_used), count(*) FILTER (WHERE NOT is_used),
  count(*) FILTER (WHERE is_cited), count(*) FILTER (WHERE NOT is_cited),
  count(*) FILTER (WHERE is_helpful), count(*) FILTER (WHERE NOT is_helpful),
  count(reward), avg(reward), min(reward), max(reward),
  count(*) FILTER (WHERE is_poison_suspected),
  count(DISTINCT actor) FILTER (WHERE is_poison_suspected),
  count(*) FILTER (WHERE is_injection_suspected),
  count(DISTINCT actor) FILTER (WHERE is_injection_suspected)
FROM (
  SELECT *, (recorded_by_kind, recorded_by_id) AS actor FROM feedback_signal
  WHERE project_id = %s AND record_id = %s) AS signal
"""


@audited_read(Operation.SIGNAL_SUMMARY)
def get_signal_summary(*, actor: Actor, record_id: UUID) -> SignalSummary:
    """The signals about a record in any state, or NotFound. Three statements."""
    policies.can_read(actor).require()
    if not find_statuses(actor, [record_id]):
        raise NotFound
    return summarise_signals(actor, record_id)


def summarise_signals(actor: Actor, record_id: UUID) -> SignalSummary:
    """The same for a record that is known to be visible, inside another audited read."""
    with connection.cursor() as cursor:
        cursor.execute(_SUMMARY, [actor.project_id, record_id])
        row: tuple[Any, ...] = cursor.fetchone()
    items = IntegrityItem.objects.visible_to(actor).filter(record_id=record_id)
    state = items.values_list("state", flat=True).first()
    return SignalSummary(
        record_id=record_id,
        signals=row[0],
        distinct_actors=row[1],
        used=YesNo(row[2], row[3]),
        cited=YesNo(row[4], row[5]),
        helpful=YesNo(row[6], row[7]),
        reward=Rewards(row[8], row[9], row[10], row[11]),
        poison_suspected=Suspicions(row[12], row[13]),
        injection_suspected=Suspicions(row[14], row[15]),
        is_in_utility=current_scope().utility.are_signals_counted,
        integrity=None if state is None else IntegrityState(state),
    )


@dataclass(frozen=True, slots=True)
class SenderRow:
    """What one sender says of one record, summed: fifty signals of one key are one voice."""

    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    signals: int
    reward_sum: float | None
    poison_suspected: int
    injection_suspected: int
    first_at: datetime
    last_at: datetime


SENDERS: Final = 100

_SENDERS: Final = """
SELECT recorded_by_id, recorded_by_kind, min(recorded_via), count(*), sum(reward),
  count(*) FILTER (WHERE is_poison_suspected), count(*) FILTER (WHERE is_injection_suspected),
  min(recorded_at), max(recorded_at)
FROM feedback_signal WHERE project_id = %s AND record_id = %s
GROUP BY recorded_by_kind, recorded_by_id ORDER BY max(recorded_at) DESC, recorded_by_id LIMIT %s
"""


def list_senders(actor: Actor, record_id: UUID) -> list[SenderRow]:
    """Who sent signals about a record, at most `SENDERS`, the latest first.

    Not audited by itself. One statement; feedback_signal_record_idx.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SENDERS, [actor.project_id, record_id, SENDERS])
        return [SenderRow(*row) for row in cursor]


@dataclass(frozen=True, slots=True)
class UnboundRow:
    """How many signals of one sender named no record of the project."""

    recorded_by: UUID
    recorded_by_kind: str
    signals: int
    last_at: datetime


_UNBOUND: Final = """
SELECT recorded_by_id, recorded_by_kind, count(*), max(recorded_at) FROM (
  SELECT recorded_by_id, recorded_by_kind, recorded_at FROM feedback_signal
  WHERE project_id = %s AND record_id IS NULL ORDER BY recorded_at DESC, id DESC LIMIT %s) AS newest
GROUP BY recorded_by_kind, recorded_by_id ORDER BY count(*) DESC, recorded_by_id LIMIT %s
"""


def count_unbound(actor: Actor, *, newest: int = 10_000) -> list[UnboundRow]:
    """The newest signals whose hit is no record here, by sender. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(_UNBOUND, [actor.project_id, newest, SENDERS])
        return [UnboundRow(*row) for row in cursor]


@dataclass(frozen=True, slots=True)
class OldSignals:
    """How many signals about no record are older than a time."""

    before: datetime
    signals: int

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return self.signals


@audited_read(Operation.SIGNAL_LIST)
def count_old_signals(*, actor: Actor, days: int) -> OldSignals:
    """The unbound signals that are older than so many days by the database's clock.

    One statement. Index: feedback_signal_unbound_idx.
    """
    policies.can_read(actor).require()
    before = current_scope().opened_at - timedelta(days=days)
    unbound = Signal.objects.visible_to(actor).filter(record__isnull=True).order_by()
    return OldSignals(before, unbound.filter(recorded_at__lt=before).count())
