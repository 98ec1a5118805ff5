"""Reads of reports: the queues, one report, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Count, Exists, Min, Value

from feedback.models import Report
from feedback.vocabulary import Order, Queue
from memory import audit, policies
from memory.errors import NotFound
from memory.paging import Page, Seek
from memory.transactions import audited_read, audited_statement
from memory.vocabulary import Operation, RecordStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from feedback.models.reports import ReportQuerySet
    from memory.actor import Actor

COUNTED_REPORTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Promotion:
    """What a report was turned into, by whom and when."""

    change: str
    promoted_by: UUID
    promoted_by_kind: str
    promoted_via: str
    promoted_at: datetime
    request_id: str
    expected_version: UUID
    version: UUID
    replacement_record_id: UUID | None


@dataclass(frozen=True, slots=True)
class TargetRow:
    """The record that a report is about, as it is now."""

    status: RecordStatus
    version: UUID
    version_number: int
    closed_at: datetime | None
    replaced_by: UUID | None
    subject: str
    predicate: str
    object: str
    statement_preview: str


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A report and its target (`contract.md` 2.2)."""

    id: UUID
    record_id: UUID
    record_version: UUID
    note: str
    proposed_object: str | None
    reporter_subject: str | None
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    target: TargetRow
    promotion: Promotion | None

    @property
    def is_promoted(self) -> bool:
        """Whether somebody decided it."""
        return self.promotion is not None

    @property
    def is_ready(self) -> bool:
        """Whether it could be promoted now: open, and its record still current."""
        return self.promotion is None and self.target.closed_at is None

    @property
    def promoted_by(self) -> UUID | None:
        """Who decided it, if anybody has."""
        return self.promotion.promoted_by if self.promotion else None

    @property
    def promoted_by_kind(self) -> str | None:
        """What kind of actor decided it."""
        return self.promotion.promoted_by_kind if self.promotion else None

    @property
    def promoted_at(self) -> datetime | None:
        """When it was decided."""
        return self.promotion.promoted_at if self.promotion else None

    @property
    def replacement_record_id(self) -> UUID | None:
        """The record that a correction put in place of the reported one."""
        return self.promotion.replacement_record_id if self.promotion else None

    @property
    def magnitude(self) -> int:
        """One row, for the audit entry of a single read."""
        return 1


# By hand, since building the statement would cost more than running it. One table, one index.
_COLUMNS: Final = (
    *("id", "record_id", "record_version", "note", "proposed_object", "reporter_name"),
    *("recorded_by_id", "recorded_by_kind", "recorded_via", "recorded_at"),
)
_TARGET: Final = (
    *("target_status", "target_version", "target_version_number", "target_closed_at"),
    *("target_replaced_by", "target_subject", "target_predicate", "target_object"),
    "target_preview",
)
_PROMOTION: Final = (
    *("promotion_change", "promoted_by_id", "promoted_by_kind", "promoted_via", "promoted_at"),
    *("promotion_request_id", "promotion_expected_version", "promotion_version"),
    "replacement_record_id",
)
_PROMOTION_AT: Final = len(_COLUMNS) + len(_TARGET)
_SHOWN: Final = ", ".join((*_COLUMNS, *_TARGET, *_PROMOTION))
_SELECT_OF: Final = f'SELECT {_SHOWN} FROM "feedback_report" WHERE project_id = '  # noqa: S608 - ours
_SELECT: Final = f"{_SELECT_OF}%s"
_SELECT_AUDITED: Final = f"{_SELECT_OF}{audit.PROJECT}"
#: The conditions of the queues' partial indexes, as `in_queue` has them.
_IN_QUEUE: Final = {
    Queue.ALL: "",
    Queue.OPEN: " AND promoted_at IS NULL",
    Queue.READY: " AND promoted_at IS NULL AND target_closed_at IS NULL",
    Queue.TARGET_CLOSED: " AND promoted_at IS NULL AND target_closed_at IS NOT NULL",
}
_NEWEST_FIRST: Final = " ORDER BY recorded_at DESC, id DESC"
_OLDEST_FIRST: Final = " ORDER BY recorded_at, id"


@audited_statement(Operation.FEEDBACK_LIST)
def list_reports(
    *,
    actor: Actor,
    queue: Queue,
    record_id: UUID | None = None,
    order: Order = Order.NEWEST,
    after: Seek | None = None,
    limit: int,
) -> Page[ReportRow]:
    """One page of a queue, or of the reports about one record.

    One statement, its entry included; feedback_report_{open,ready,closed,all}_idx, for one record
    feedback_report_target_idx and feedback_report_t_ready_idx.
    """
    policies.can_read(actor).require()
    sql, values = _page(queue, record_id, order, after, limit)
    call = audit.Call(Operation.FEEDBACK_LIST, limit)
    rows = audit.read(actor, call, f"{_SELECT_AUDITED}{sql}", values)
    return Page.cut([_row(row) for row in rows], limit)


def page_of_reports(
    actor: Actor,
    *,
    queue: Queue,
    record_id: UUID | None = None,
    order: Order = Order.NEWEST,
    after: Seek | None = None,
    limit: int,
) -> Page[ReportRow]:
    """The same inside another audited read."""
    sql, values = _page(queue, record_id, order, after, limit)
    return Page.cut(_read(f"{_SELECT}{sql}", actor.project_id, *values), limit)


def page_and_report(
    actor: Actor,
    *,
    queue: Queue,
    order: Order,
    after: Seek | None,
    limit: int,
    report_id: UUID | None,
) -> tuple[Page[ReportRow], ReportRow | None]:
    """A page, and one report that need not be on it, if the actor may see it. One statement."""
    if report_id is None:
        return page_of_reports(actor, queue=queue, order=order, after=after, limit=limit), None
    sql, values = _page(queue, None, order, after, limit)
    both = f"({_SELECT}{sql}) UNION ALL ({_SELECT} AND id = %s)"
    rows = _read(both, actor.project_id, *values, actor.project_id, report_id)
    is_found = bool(rows) and rows[-1].id == report_id  # behind the page, whether or not on it
    report = rows.pop() if is_found else None
    return Page.cut(rows, limit), report


def _page(
    queue: Queue, record_id: UUID | None, order: Order, after: Seek | None, limit: int
) -> tuple[str, list[UUID | datetime]]:
    """What follows `_SELECT`, and the values behind the project's."""
    sql = _IN_QUEUE[queue]
    values: list[UUID | datetime] = []
    if record_id is not None:
        sql += " AND record_id = %s"
        values.append(record_id)
    if after is not None:
        sql += f" AND (recorded_at, id) {'<' if order is Order.NEWEST else '>'} (%s, %s)"
        values += [after.recorded_at, after.id]
    sql += _NEWEST_FIRST if order is Order.NEWEST else _OLDEST_FIRST
    return f"{sql} LIMIT {limit + 1:d}", values


def in_queue(rows: ReportQuerySet, queue: Queue) -> ReportQuerySet:
    """Narrow to a queue by exactly the condition of its partial index."""
    match queue:
        case Queue.ALL:
            return rows
        case Queue.OPEN:
            return rows.open()
        case Queue.READY:
            return rows.ready()
        case Queue.TARGET_CLOSED:
            return rows.target_closed()


@audited_read(Operation.FEEDBACK_LIST)
def get_report(*, actor: Actor, report_id: UUID) -> ReportRow:
    """One report by id. One statement."""
    policies.can_read(actor).require()
    return get_report_for(actor, report_id)


def get_report_for(actor: Actor, report_id: UUID) -> ReportRow:
    """One report that the actor may see, or NotFound; unlocked. One statement."""
    found = _read(f"{_SELECT} AND id = %s", actor.project_id, report_id)
    if not found:
        raise NotFound
    return found[0]


def is_promoted(actor: Actor, report_id: UUID) -> bool:
    """Whether a report that the actor may see is decided. One statement.

    It names the project to the database itself, since it is also asked before a scope opens.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM feedback_report"
            " WHERE project_id = %s AND id = %s AND promoted_at IS NOT NULL)"
            " FROM set_config('errata.project', %s, true)",
            [actor.project_id, report_id, str(actor.project_id)],
        )
        row: tuple[bool] = cursor.fetchone()
    return row[0]


def is_promoted_unless(actor: Actor, report_id: UUID, stored: QuerySet[Any]) -> bool:
    """Whether a report is decided and a query finds nothing, as at one moment. One statement."""
    promoted = Report.objects.visible_to(actor).filter(id=report_id, promoted_at__isnull=False)
    return promoted.filter(~Exists(stored)).exists()


def find_neighbour(
    actor: Actor, report: ReportRow, *, queue: Queue, order: Order, is_before: bool = False
) -> UUID | None:
    """The next report of a queue (or the one before), sought from a report's own place.

    It survives promotions and erasures, since the place need not exist any more. One statement.
    """
    is_newest_first = (order is Order.NEWEST) != is_before
    rows = in_queue(Report.objects.visible_to(actor), queue)
    rows = rows.in_order(is_newest_first=is_newest_first).beyond(
        Seek.of(report), is_newest_first=is_newest_first
    )
    return rows.values_list("id", flat=True).first()


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The reports on both sides of one, in the order of a queue."""

    before: UUID | None
    after: UUID | None


def find_neighbours(actor: Actor, report: ReportRow, *, queue: Queue, order: Order) -> Neighbours:
    """Both neighbours of a report's own place, each sought like `find_neighbour`. One statement.

    One row each from feedback_report_{open,ready,closed,all}_idx, joined by UNION ALL.
    """
    place = Seek.of(report)
    sides = []
    for is_before in (True, False):
        is_newest_first = (order is Order.NEWEST) != is_before
        rows = in_queue(Report.objects.visible_to(actor), queue)
        rows = rows.in_order(is_newest_first=is_newest_first)
        rows = rows.beyond(place, is_newest_first=is_newest_first)
        side = Value(is_before, output_field=BooleanField())
        sides.append(rows.annotate(is_before=side).values_list("is_before", "id")[:1])
    found = dict(sides[0].union(sides[1], all=True))
    return Neighbours(found.get(True), found.get(False))


def find_reports(actor: Actor, report_ids: Iterable[UUID]) -> dict[UUID, ReportRow]:
    """Reports that the actor may see, by id; others are absent. At most one statement."""
    wanted = set(report_ids)
    if not wanted:
        return {}
    rows = _read(f"{_SELECT} AND id = ANY(%s)", actor.project_id, list(wanted))
    return {row.id: row for row in rows}


def list_promotions_of(actor: Actor, record_ids: Iterable[UUID]) -> list[ReportRow]:
    """The promoted report of each of these records, if any. One statement.

    At most one a record: feedback_report_one_promotion_uniq.
    """
    sql = f"{_SELECT} AND record_id = ANY(%s) AND promoted_at IS NOT NULL"
    return _read(sql, actor.project_id, list(set(record_ids)))


@dataclass(frozen=True, slots=True)
class AboutRecord:
    """The newest reports about a record, and those whose promotion closed it or made it."""

    newest: tuple[ReportRow, ...]
    promotions: tuple[ReportRow, ...]


def list_about(
    actor: Actor, record_id: UUID, *, predecessor: UUID | None, limit: int
) -> AboutRecord:
    """The newest `limit` reports about a record, and the promotions around it. One statement.

    feedback_report_target_idx, and feedback_report_one_promotion_uniq, joined by UNION ALL.
    """
    around = [record_id] if predecessor is None else [record_id, predecessor]
    newest, values = _page(Queue.ALL, record_id, Order.NEWEST, None, limit - 1)
    promoted = " AND record_id = ANY(%s) AND promoted_at IS NOT NULL"
    both = f"({_SELECT}{newest}) UNION ALL ({_SELECT}{promoted})"
    rows = _read(both, actor.project_id, *values, actor.project_id, around)
    found = sorted(
        {row.id: row for row in rows}.values(), key=attrgetter("recorded_at", "id"), reverse=True
    )
    return AboutRecord(
        newest=tuple(row for row in found if row.record_id == record_id)[:limit],
        promotions=tuple(
            row
            for row in found
            if row.is_promoted and record_id in {row.record_id, row.replacement_record_id}
        ),
    )


@dataclass(frozen=True, slots=True)
class QueueSize:
    """How many reports a queue holds, at most `COUNTED_REPORTS` + 1, and its oldest one."""

    count: int
    oldest_at: datetime | None


def measure_queue(actor: Actor, queue: Queue) -> QueueSize:
    """Count a queue from its oldest report on. One statement; the queue's index, read backward."""
    rows = in_queue(Report.objects.visible_to(actor), queue).in_order(is_newest_first=False)
    found = rows.values("recorded_at")[: COUNTED_REPORTS + 1].aggregate(
        count=Count("recorded_at"), oldest=Min("recorded_at")
    )
    return QueueSize(found["count"], found["oldest"])


def count_reports(actor: Actor, queue: Queue) -> int:
    """How many reports a queue holds, at most `COUNTED_REPORTS` + 1. One statement."""
    rows = in_queue(Report.objects.visible_to(actor), queue)
    return rows.order_by()[: COUNTED_REPORTS + 1].count()


def count_open_reports(project_id: UUID, record_id: UUID) -> int:
    """How many open reports are about a record, at most `COUNTED_REPORTS`. One statement."""
    rows = Report.objects.filter(project_id=project_id, record_id=record_id).open()
    return rows.order_by()[:COUNTED_REPORTS].count()


def count_closed_with(actor: Actor, report: ReportRow, closed_at: datetime) -> int:
    """How many other reports lost their target when a report was promoted. One statement.

    Reports that came after the closing were born with a closed target and do not count.
    """
    rows = Report.objects.visible_to(actor).filter(
        record_id=report.record_id, target_closed_at=closed_at, recorded_at__lte=closed_at
    )
    return rows.exclude(id=report.id).count()


def find_oldest(actor: Actor, queue: Queue) -> datetime | None:
    """When the oldest report of a queue was recorded. One statement."""
    rows = in_queue(Report.objects.visible_to(actor), queue)
    return rows.in_order(is_newest_first=False).values_list("recorded_at", flat=True).first()


def _read(sql: str, *values: Any) -> list[ReportRow]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [_row(row) for row in cursor.fetchall()]


def _row(values: tuple[Any, ...]) -> ReportRow:
    status, *target = values[len(_COLUMNS) : _PROMOTION_AT]
    promotion = values[_PROMOTION_AT:]
    decided = Promotion(*promotion) if promotion[0] else None
    row = (*values[: len(_COLUMNS)], TargetRow(RecordStatus(status), *target), decided)
    return ReportRow(*row)
