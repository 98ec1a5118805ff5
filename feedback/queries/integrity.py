"""Reads of integrity items: the records that a quorum of distinct actors suspects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, Subquery, Value
from django.db.models.lookups import IsNull

from feedback.models import IntegrityItem, Signal
from feedback.queries.signals import SENDERS, SenderRow
from feedback.vocabulary import IntegrityState, Suspicion
from memory import policies
from memory.errors import NotFound
from memory.paging import Page, Seek
from memory.transactions import audited_read
from memory.vocabulary import Operation, RecordStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

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
    Indexes: feedback_integrity_{all,state}_idx, feedback_signal_suspect_idx.
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
    found = rows.read_page(*_COLUMNS, limit=limit, rest=rest)
    return Page.cut(_rows(actor, found.rows), limit, bound=found.bound)


#: As the index has it.
_SUSPECTING: Final = Q(is_poison_suspected=True) | Q(is_injection_suspected=True)


def _suspected_of(suspicion: Suspicion) -> Q:
    is_suspected = {
        Suspicion.POISON: Q(is_poison_suspected=True),
        Suspicion.INJECTION: Q(is_injection_suspected=True),
    }[suspicion]
    signals = Signal.objects.filter(
        is_suspected,
        _SUSPECTING,
        project_id=OuterRef("project_id"),
        record_id=OuterRef("record_id"),
    ).in_order(is_newest_first=True)
    # A value, not EXISTS: the planner would answer that for all records, by reading all signals.
    return Q(IsNull(Subquery(signals.values("id")[:1]), rhs=False))


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


@dataclass(frozen=True, slots=True)
class ItemStanding:
    """How an item and its record stand; `is_repeated`: some row told of an earlier such call."""

    state: IntegrityState
    record_status: RecordStatus
    record_version: UUID
    is_repeated: bool

    def is_current_at(self, version: UUID) -> bool:
        """Whether the record is believed, in this version."""
        return self.record_status is RecordStatus.CURRENT and self.record_version == version


def find_standing(
    actor: Actor, item_id: UUID, earlier: QuerySet[Any] | None
) -> ItemStanding | None:
    """An item, its record and whether a query finds something, as at one moment. One statement."""
    items = IntegrityItem.objects.visible_to(actor).filter(id=item_id)
    known = items.annotate(again=Value(value=False) if earlier is None else Exists(earlier))
    found = known.values_list("state", "record__status", "record__version", "again").first()
    if found is None:
        return None
    return ItemStanding(IntegrityState(found[0]), RecordStatus(found[1]), *found[2:])


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


@dataclass(frozen=True, slots=True)
class SuspectedRow:
    """An item with all who suspect its record, and the newest of what they sent."""

    item: IntegrityRow
    senders: tuple[SenderRow, ...]
    suspicions: tuple[SuspicionRow, ...]


# One reading of the signals that suspect a record, told three ways: in sum by kind, by sender, and
# the newest one by one.
_SUSPECTED: Final = """
WITH suspecting AS MATERIALIZED (
  SELECT id, record_version, session_digest, reward, coalesce(is_poison_suspected, false) AS poison,
    coalesce(is_injection_suspected, false) AS injection, recorded_by_id, recorded_by_kind,
    recorded_via, recorded_at
  FROM feedback_signal
  WHERE project_id = %(project)s AND record_id = %(record)s
    AND (is_poison_suspected OR is_injection_suspected)
)
SELECT kind.name, count(*), count(DISTINCT (recorded_by_kind, recorded_by_id)), min(recorded_at),
  max(recorded_at), NULL::uuid, NULL, NULL, NULL::float8, NULL::bigint, NULL::bigint, NULL::uuid,
  NULL::bytea
FROM suspecting JOIN (VALUES ('poison'), ('injection')) AS kind (name)
  ON CASE kind.name WHEN 'poison' THEN poison ELSE injection END
GROUP BY kind.name
UNION ALL (
SELECT 'sender', count(*), NULL, min(recorded_at), max(recorded_at), recorded_by_id,
  recorded_by_kind, min(recorded_via), sum(reward), count(*) FILTER (WHERE poison),
  count(*) FILTER (WHERE injection), NULL, NULL
FROM suspecting GROUP BY recorded_by_kind, recorded_by_id
ORDER BY max(recorded_at) DESC, recorded_by_id LIMIT %(senders)s)
UNION ALL (
SELECT 'told', 1, NULL, recorded_at, recorded_at, recorded_by_id, recorded_by_kind, recorded_via,
  NULL, poison::int, injection::int, record_version, session_digest
FROM suspecting ORDER BY recorded_at DESC, id DESC LIMIT %(told)s)
"""


def get_suspected_for(actor: Actor, item_id: UUID, *, told: int) -> SuspectedRow:
    """One item with its senders, at most `SENDERS`, and as many suspicions; or NotFound.

    Not audited by itself. Two statements; feedback_signal_suspect_idx.
    """
    items = IntegrityItem.objects.visible_to(actor).filter(id=item_id).values_list(*_COLUMNS)
    found = items.first()
    if found is None:
        raise NotFound
    wanted = {"project": actor.project_id, "record": found[1], "senders": SENDERS, "told": told}
    with connection.cursor() as cursor:
        cursor.execute(_SUSPECTED, wanted)
        rows = cursor.fetchall()
    sums = {row[0]: list(row[1:5]) for row in rows}
    counts = [number for kind in Suspicion for number in sums.get(kind.value, _NONE[:4])]
    return SuspectedRow(
        item=_row(found, counts),
        senders=tuple(_sender(row) for row in rows if row[0] == "sender"),
        suspicions=tuple(_suspicion(row) for row in rows if row[0] == "told"),
    )


def _sender(row: tuple[Any, ...]) -> SenderRow:
    return SenderRow(
        recorded_by=row[5],
        recorded_by_kind=row[6],
        recorded_via=row[7],
        signals=row[1],
        reward_sum=row[8],
        poison_suspected=row[9],
        injection_suspected=row[10],
        first_at=row[3],
        last_at=row[4],
    )


def _suspicion(row: tuple[Any, ...]) -> SuspicionRow:
    return SuspicionRow(
        is_poison=bool(row[9]),
        is_injection=bool(row[10]),
        record_version=row[11],
        session_digest=None if row[12] is None else bytes(row[12]),
        recorded_by=row[5],
        recorded_by_kind=row[6],
        recorded_via=row[7],
        recorded_at=row[3],
    )


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
WHERE project_id = %s AND record_id = ANY (%s::uuid[]) AND record_id IS NOT NULL
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
