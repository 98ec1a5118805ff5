"""What the pages of one record show (S12)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from feedback.queries import reports
from feedback.queries.advice import tally_advice
from feedback.queries.outcomes import count_outcomes_in
from feedback.queries.runs import DeliveryRow, page_of_deliveries
from feedback.vocabulary import OutcomeKind, Queue
from memory import policies
from memory.errors import NotFound
from memory.paging import Page, Placed
from memory.queries import citations, records
from memory.queries.chain import Chain, LinkedRecord, find_chain
from memory.queries.versions import get_version, list_versions
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation
from review.queries.integrity import find_open_item
from review.queries.names import Names, names_in
from review.queries.report import promotions_around

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from feedback.queries.advice import AdviceTally
    from feedback.queries.reports import ReportRow
    from memory.actor import Actor
    from memory.paging import Seek
    from memory.queries.citations import CitationRow
    from memory.queries.records import RecordDetail
    from memory.queries.versions import VersionRow
    from review.queries.names import Authored


class Reading(Protocol):
    """What every tab of a record brings."""

    @property
    def now(self) -> datetime:
        """The database's time."""

    @property
    def record(self) -> RecordDetail:
        """The record as it is."""

    @property
    def names(self) -> Names:
        """Who acted."""

    @property
    def open_item(self) -> UUID | None:
        """The integrity item about it, while that is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReading:
    """A record, or one version of it, with a page of what it rests on.

    `advice` is about the record as a whole, so an old version comes without it.
    """

    now: datetime
    record: RecordDetail
    version: VersionRow
    citations: Page[CitationRow]
    names: Names
    open_item: UUID | None
    advice: AdviceTally | None = None
    magnitude: int = 1


@audited_read(Operation.RECORD_GET)
def read_record(*, actor: Actor, record_id: UUID, after: Seek | None, limit: int) -> RecordReading:
    """A record as it is. Five statements; memory_citation_record_idx."""
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    advice = tally_advice(actor, record.id)
    return _reading(actor, record, record.version_number, after, limit, advice)


@audited_read(Operation.RECORD_HISTORY)
def read_version(
    *, actor: Actor, record_id: UUID, number: int, after: Seek | None, limit: int
) -> RecordReading:
    """A record in one of its versions. Five statements; memory_recordversion_number_uniq."""
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    return _reading(actor, record, number, after, limit)


def _reading(
    actor: Actor,
    record: RecordDetail,
    number: int,
    after: Seek | None,
    limit: int,
    advice: AdviceTally | None = None,
) -> RecordReading:
    version = get_version(actor, record.id, number)
    return RecordReading(
        now=current_scope().opened_at,
        record=record,
        version=version,
        citations=citations.list_citations(actor, record.id, after=after, limit=limit),
        names=names_in(actor, records=[record], others=[version]),
        open_item=advice.open_item if advice else find_open_item(actor, record.id),
        advice=advice,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsReading:
    """A page of a record's versions, newest first, and the records before and after it."""

    now: datetime
    record: RecordDetail
    versions: Page[VersionRow]
    chain: Chain
    names: Names
    open_item: UUID | None

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        linked = (self.chain.predecessor, self.chain.successor)
        return self.versions.magnitude + sum(row is not None for row in linked)


@audited_read(Operation.RECORD_HISTORY)
def read_versions(
    *, actor: Actor, record_id: UUID, after: Seek | None, limit: int
) -> VersionsReading:
    """The versions of a record and its place in the chain. At most six statements."""
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    versions = list_versions(actor, record_id, after=after, limit=limit)
    chain = find_chain(actor, record)
    others = [*versions.rows, chain.predecessor, chain.successor]
    return VersionsReading(
        now=current_scope().opened_at,
        record=record,
        versions=versions,
        chain=chain,
        names=names_in(actor, records=[record], others=others),
        open_item=find_open_item(actor, record.id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReading:
    """Two states to compare: versions of the record by number, or a record beside it."""

    now: datetime
    record: RecordDetail
    older: VersionRow | LinkedRecord
    newer: VersionRow | LinkedRecord
    names: Names
    open_item: UUID | None
    magnitude: int = 2


PREDECESSOR: Final = "predecessor"
SUCCESSOR: Final = "successor"

#: A version of the record by its number, or the record before or after it by these names.
Choice: TypeAlias = int | str


@audited_read(Operation.RECORD_HISTORY)
def read_comparison(
    *, actor: Actor, record_id: UUID, older: Choice, newer: Choice
) -> ComparisonReading:
    """Two states of what a record says, within it or across a correction. At most seven statements.

    Raises NotFound where the record has no such version, or stands at that end of its chain.
    """
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    chain = find_chain(actor, record)
    return ComparisonReading(
        now=current_scope().opened_at,
        record=record,
        older=_chosen(actor, record, chain, older),
        newer=_chosen(actor, record, chain, newer),
        names=names_in(actor, records=[record]),
        open_item=find_open_item(actor, record.id),
    )


def _chosen(
    actor: Actor, record: RecordDetail, chain: Chain, choice: Choice
) -> VersionRow | LinkedRecord:
    if isinstance(choice, int):
        return get_version(actor, record.id, choice)
    linked = {PREDECESSOR: chain.predecessor, SUCCESSOR: chain.successor}.get(choice)
    if linked is None:
        raise NotFound
    return linked


#: What a page of a record's history is made of, apart from its versions.
Moment: TypeAlias = "ReportRow | DeliveryRow"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReading:
    """What happened to a record in the stretch of time that a page of its history covers."""

    now: datetime
    record: RecordDetail
    versions: tuple[VersionRow, ...]
    moments: Page[Moment]
    promotions: tuple[ReportRow, ...]
    names: Names
    open_item: UUID | None

    @property
    def reports(self) -> tuple[ReportRow, ...]:
        """The doubts among the moments."""
        return tuple(row for row in self.moments.rows if not isinstance(row, DeliveryRow))

    @property
    def deliveries(self) -> tuple[DeliveryRow, ...]:
        """The packs among the moments."""
        return tuple(row for row in self.moments.rows if isinstance(row, DeliveryRow))

    @property
    def magnitude(self) -> int:
        """Events drawn, for the audit entry."""
        return len(self.versions) + self.moments.magnitude


@audited_read(Operation.RECORD_HISTORY)
def read_history(
    *, actor: Actor, record_id: UUID, after: Seek | None, limit: int
) -> HistoryReading:
    """Versions, reports and packs of a record together, newest first. Seven statements.

    Reports and packs are paged as one list (feedback_report_target_idx and
    feedback_contextitem_packs_idx, each sought from the same place); the few versions are read
    anew for every page and narrowed to the stretch of time between the last moment of the page
    before and of this one.
    """
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    page = _moments(actor, record.id, after, limit)
    versions = list_versions(actor, record.id, limit=limit).rows
    promotions = tuple(promotions_around(actor, record))
    reading = HistoryReading(
        now=current_scope().opened_at,
        record=record,
        versions=_within(versions, after, page.next),
        moments=page,
        promotions=promotions,
        names=Names({}),
        open_item=find_open_item(actor, record.id),
    )
    others: list[Authored] = [*versions, *reading.deliveries]
    names = names_in(
        actor, reports=[*reading.reports, *promotions], records=[record], others=others
    )
    return replace(reading, names=names)


def _moments(actor: Actor, record_id: UUID, after: Seek | None, limit: int) -> Page[Moment]:
    """The next reports and packs of a record, in one order. Two statements."""
    doubts = reports.page_of_reports(
        actor, queue=Queue.ALL, record_id=record_id, after=after, limit=limit + 1
    )
    packs = page_of_deliveries(actor, record_id, after=after, limit=limit + 1)
    both: list[Moment] = [*doubts.rows, *packs.rows]
    both.sort(key=_place, reverse=True)
    return Page.cut(both[: limit + 1], limit)


def _within(
    versions: tuple[VersionRow, ...], after: Seek | None, until: Seek | None
) -> tuple[VersionRow, ...]:
    """Versions made before the last report seen, and after the last one of this page."""
    return tuple(
        row
        for row in versions
        if (after is None or _place(row) < (after.recorded_at, after.id))
        and (until is None or _place(row) > (until.recorded_at, until.id))
    )


def _place(row: Placed) -> tuple[datetime, UUID]:
    return row.recorded_at, row.id


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReportsReading:
    """A page of the reports about a record, newest first."""

    now: datetime
    record: RecordDetail
    page: Page[ReportRow]
    names: Names
    open_item: UUID | None

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.page.magnitude


@audited_read(Operation.FEEDBACK_LIST)
def read_record_reports(
    *, actor: Actor, record_id: UUID, after: Seek | None, limit: int
) -> RecordReportsReading:
    """The reports about a record. Five statements; feedback_report_target_idx."""
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    page = reports.page_of_reports(
        actor, queue=Queue.ALL, record_id=record.id, after=after, limit=limit
    )
    return RecordReportsReading(
        now=current_scope().opened_at,
        record=record,
        page=page,
        names=names_in(actor, reports=page.rows, records=[record]),
        open_item=find_open_item(actor, record.id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRunsReading:
    """A page of the packs that held a record, newest first, with what was said of it in each."""

    now: datetime
    record: RecordDetail
    page: Page[DeliveryRow]
    outcomes: Mapping[UUID, Mapping[OutcomeKind, int]]
    names: Names
    open_item: UUID | None

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.page.magnitude


@audited_read(Operation.RECORD_HISTORY)
def read_record_runs(
    *, actor: Actor, record_id: UUID, after: Seek | None, limit: int
) -> RecordRunsReading:
    """The packs that held a record. At most five statements; feedback_contextitem_packs_idx."""
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    page = page_of_deliveries(actor, record.id, after=after, limit=limit)
    return RecordRunsReading(
        now=current_scope().opened_at,
        record=record,
        page=page,
        outcomes=count_outcomes_in(actor, record.id, [row.run_id for row in page.rows]),
        names=names_in(actor, records=[record], others=page.rows),
        open_item=find_open_item(actor, record.id),
    )
