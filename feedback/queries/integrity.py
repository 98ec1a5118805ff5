"""Reads of integrity items: the records that a quorum of distinct actors suspects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from feedback.models import IntegrityItem, Signal
from feedback.vocabulary import IntegrityState, Suspicion
from memory import policies
from memory.errors import NotFound
from memory.paging import Page, Seek
from memory.transactions import audited_read
from memory.vocabulary import Operation, RecordStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspicionCount:
    """How a record is suspected of one thing."""

    signals: int
    actors: int
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityRow:
    """A suspected record, who suspects it of what, and where the look at it stands."""

    id: UUID
    record_id: UUID
    version: UUID
    subject: str
    predicate: str
    object: str
    status: RecordStatus
    state: IntegrityState
    recorded_at: datetime
    decided_at: datetime | None
    decided_by: UUID | None
    decided_by_kind: str | None
    reason: str | None
    report_id: UUID | None
    poison: SuspicionCount
    injection: SuspicionCount

    @property
    def magnitude(self) -> int:
        """One row, for the audit entry of a single read."""
        return 1


_COLUMNS: Final = (
    "id",
    "record_id",
    "record__version",
    "record__subject",
    "record__predicate",
    "record__object",
    "record__status",
    "state",
    "recorded_at",
    "decided_at",
    "decided_by_id",
    "decided_by_kind",
    "reason",
    "report_id",
)


@audited_read(Operation.SIGNAL_LIST)
def list_integrity(
    *,
    actor: Actor,
    state: IntegrityState | None = None,
    suspicion: Suspicion | None = None,
    after: Seek | None = None,
    limit: int,
) -> Page[IntegrityRow]:
    """One page of integrity items, the latest opened first.

    Two statements, the first of which reads at most `SCANNED_ROWS` rows for one kind of suspicion.
    Indexes: feedback_integrity_{all,state}_idx, feedback_signal_record_idx.
    """
    policies.can_read(actor).require()
    return page_of_integrity(actor, state=state, suspicion=suspicion, after=after, limit=limit)


def page_of_integrity(
    actor: Actor,
    *,
    state: IntegrityState | None = None,
    suspicion: Suspicion | None = None,
    after: Seek | None = None,
    limit: int,
) -> Page[IntegrityRow]:
    """The same inside another audited read."""
    rows = IntegrityItem.objects.visible_to(actor)
    if state is not None:
        rows = rows.filter(state=state)
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    rest = None if suspicion is None else _suspected_of(suspicion)
    found = rows.page(*_COLUMNS, limit=limit, rest=rest)
    return Page.cut(_rows(actor, found.rows), limit, bound=found.bound)


def _suspected_of(suspicion: Suspicion) -> Q:
    is_suspected = {
        Suspicion.POISON: Q(is_poison_suspected=True),
        Suspicion.INJECTION: Q(is_injection_suspected=True),
    }[suspicion]
    signals = Signal.objects.filter(
        is_suspected, project_id=OuterRef("project_id"), record_id=OuterRef("record_id")
    )
    return Q(Exists(signals))


@audited_read(Operation.SIGNAL_LIST)
def get_integrity(*, actor: Actor, item_id: UUID) -> IntegrityRow:
    """One item, or NotFound. Two statements."""
    policies.can_read(actor).require()
    return get_integrity_for(actor, item_id)


def get_integrity_for(actor: Actor, item_id: UUID) -> IntegrityRow:
    """The same inside another audited read."""
    found = IntegrityItem.objects.visible_to(actor).filter(id=item_id).values_list(*_COLUMNS)
    rows = _rows(actor, list(found))
    if not rows:
        raise NotFound
    return rows[0]


def get_record_of(actor: Actor, item_id: UUID) -> UUID:
    """The record that an item is about, or NotFound. One statement."""
    items = IntegrityItem.objects.visible_to(actor).filter(id=item_id)
    found = items.values_list("record_id", flat=True).first()
    if found is None:
        raise NotFound
    return found


def find_integrity_of(actor: Actor, record_id: UUID) -> tuple[UUID, IntegrityState] | None:
    """The item about a record and its state, if there is one. One statement."""
    items = IntegrityItem.objects.visible_to(actor).filter(record_id=record_id)
    found = items.values_list("id", "state").first()
    return None if found is None else (found[0], IntegrityState(found[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspicionRow:
    """One signal that suspects a record: of what, which version, in which session, by whom."""

    is_poison: bool
    is_injection: bool
    record_version: UUID | None
    session_digest: bytes | None
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime


def list_suspicions(actor: Actor, record_id: UUID, *, limit: int) -> list[SuspicionRow]:
    """The newest signals that suspect a record; not audited by itself. One statement.

    feedback_signal_record_idx.
    """
    rows = Signal.objects.visible_to(actor).filter(record_id=record_id)
    suspecting = rows.filter(Q(is_poison_suspected=True) | Q(is_injection_suspected=True))
    found = suspecting.in_order(is_newest_first=True).values_list(
        "is_poison_suspected",
        "is_injection_suspected",
        "record_version",
        "session_digest",
        "recorded_by_id",
        "recorded_by_kind",
        "recorded_via",
        "recorded_at",
    )
    return [
        SuspicionRow(
            is_poison=bool(poison),
            is_injection=bool(injection),
            record_version=version,
            session_digest=None if session is None else bytes(session),
            recorded_by=by,
            recorded_by_kind=kind,
            recorded_via=via,
            recorded_at=at,
        )
        for poison, injection, version, session, by, kind, via, at in found[:limit]
    ]


_COUNTS: Final = """
SELECT record_id,
  count(*) FILTER (WHERE is_poison_suspected),
  count(DISTINCT (recorded_by_kind, recorded_by_id)) FILTER (WHERE is_poison_suspected),
  min(recorded_at) FILTER (WHERE is_poison_suspected),
  max(recorded_at) FILTER (WHERE is_poison_suspected),
  count(*) FILTER (WHERE is_injection_suspected),
  count(DISTINCT (recorded_by_kind, recorded_by_id)) FILTER (WHERE is_injection_suspected),
  min(recorded_at) FILTER (WHERE is_injection_suspected),
  max(recorded_at) FILTER (WHERE is_injection_suspected)
FROM feedback_signal
WHERE project_id = %s AND record_id = ANY (%s::uuid[])
  AND (is_poison_suspected OR is_injection_suspected)
GROUP BY record_id
"""


def _rows(actor: Actor, found: Sequence[tuple[Any, ...]]) -> list[IntegrityRow]:
    if not found:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, [actor.project_id, [values[1] for values in found]])
        counts = {record_id: numbers for record_id, *numbers in cursor}
    return [_row(values, counts.get(values[1], _NONE)) for values in found]


_NONE: Final = [0, 0, None, None, 0, 0, None, None]


def _row(values: tuple[Any, ...], counts: list[Any]) -> IntegrityRow:
    return IntegrityRow(
        id=values[0],
        record_id=values[1],
        version=values[2],
        subject=values[3],
        predicate=values[4],
        object=values[5],
        status=RecordStatus(values[6]),
        state=IntegrityState(values[7]),
        recorded_at=values[8],
        decided_at=values[9],
        decided_by=values[10],
        decided_by_kind=values[11],
        reason=values[12],
        report_id=values[13],
        poison=SuspicionCount(
            signals=counts[0], actors=counts[1], first_at=counts[2], last_at=counts[3]
        ),
        injection=SuspicionCount(
            signals=counts[4], actors=counts[5], first_at=counts[6], last_at=counts[7]
        ),
    )
