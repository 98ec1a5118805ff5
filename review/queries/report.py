"""What the page of one report shows (S8, S9), and the pages of a promotion that did not happen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from feedback.queries import reports
from feedback.queries.advice import tally_advice
from feedback.vocabulary import Order
from memory import policies
from memory.queries import chain, citations, records, versions
from memory.scope import current_scope
from memory.transactions import audited_read, project_scope
from memory.vocabulary import Operation
from review.queries.names import Names, names_in

if TYPE_CHECKING:
    from uuid import UUID

    from feedback.queries.advice import AdviceTally
    from feedback.queries.reports import Neighbours, ReportRow
    from memory.actor import Actor
    from memory.paging import Page
    from memory.queries.chain import Chain
    from memory.queries.citations import CitationRow
    from memory.queries.records import RecordDetail
    from memory.queries.versions import VersionRow
    from review.vocabulary import QueueView

SHOWN_CITATIONS: Final = 5
SHOWN_SIBLINGS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportReading:
    """A report, its record with what it rests on, and what else happened to that record."""

    now: datetime
    report: ReportRow
    record: RecordDetail
    reported_version: VersionRow | None  # where a current record moved since the report
    citations: Page[CitationRow]
    about_record: tuple[ReportRow, ...]  # newest first, this report among them if it is new
    promotions: tuple[ReportRow, ...]
    advice: AdviceTally
    neighbours: Neighbours
    names: Names
    decided: ReportRow | None = None
    magnitude: int = 1

    @property
    def siblings(self) -> tuple[ReportRow, ...]:
        """Other open reports on the record, newest first, as many as the page shows."""
        others = (row for row in self.about_record if row.id != self.report.id)
        return tuple(row for row in others if not row.is_promoted)[:SHOWN_SIBLINGS]

    @property
    def sibling_count(self) -> int:
        """How many other open reports are about the record; bounded."""
        return (self.record.open_reports or 0) - (0 if self.report.is_promoted else 1)


@audited_read(Operation.FEEDBACK_LIST)
def read_report(
    *,
    actor: Actor,
    report_id: UUID,
    view: QueueView,
    order: Order,
    decided: UUID | None = None,
) -> ReportReading:
    """A report with everything that a decision needs.

    Eight statements, however many citations, sibling reports and outcomes there are: the report
    (and the one just decided), the record and the count of its open reports, citations, reports
    about the record with the promotions around it (feedback_report_target_idx), outcomes and
    signals, neighbours, names. One more where a current record moved since the report.
    """
    policies.can_read(actor).require()
    found = reports.find_reports(actor, {report_id} | ({decided} if decided else set()))
    report = found.get(report_id) or reports.get_report_for(actor, report_id)
    record = records.get_detail(actor, report.record_id, is_counting_reports=True)
    about = reports.list_about(
        actor, record.id, predecessor=record.replaces, limit=SHOWN_SIBLINGS + 2
    )
    return ReportReading(
        now=current_scope().opened_at,
        report=report,
        record=record,
        reported_version=_reported_version(actor, report, record),
        citations=citations.list_citations(actor, record.id, limit=SHOWN_CITATIONS),
        about_record=about.newest,
        promotions=about.promotions,
        advice=tally_advice(actor, record.id),
        neighbours=reports.find_neighbours(actor, report, queue=view.queue, order=order),
        names=names_in(actor, reports=[report, *about.newest, *about.promotions], records=[record]),
        decided=found.get(decided) if decided else None,
    )


def promotions_around(actor: Actor, record: RecordDetail) -> list[ReportRow]:
    """The reports whose promotion closed a record, or made it. One statement."""
    around = [id_ for id_ in (record.id, record.replaces) if id_ is not None]
    found = reports.list_promotions_of(actor, around)
    return [row for row in found if record.id in {row.record_id, row.replacement_record_id}]


def _reported_version(actor: Actor, report: ReportRow, record: RecordDetail) -> VersionRow | None:
    if not record.is_current or report.record_version == record.version:
        return None
    return versions.find_version(actor, record.id, report.record_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictReading:
    """What became of a report and its record between the page and the submit."""

    now: datetime
    report: ReportRow
    record: RecordDetail
    seen: VersionRow | None  # None where the version sent was never one of this record
    newest: VersionRow
    chain: Chain
    following: UUID | None
    names: Names


def read_conflict(
    *, actor: Actor, report_id: UUID, seen: UUID | None, view: QueueView, order: Order
) -> ConflictReading:
    """What to say about a promotion that was refused with a conflict.

    Not audited by itself: it is drawn in the request whose refusal is its entry. Seven statements.
    """
    with project_scope(actor.project_id) as scope:
        policies.can_read(actor).require()
        report = reports.get_report_for(actor, report_id)
        record = records.get_detail(actor, report.record_id, is_counting_reports=True)
        newest = versions.get_version(actor, record.id, record.version_number)
        return ConflictReading(
            now=scope.opened_at,
            report=report,
            record=record,
            seen=None if seen is None else versions.find_version(actor, record.id, seen),
            newest=newest,
            chain=chain.find_chain(actor, record),
            following=reports.find_neighbour(actor, report, queue=view.queue, order=order),
            names=names_in(actor, reports=[report], records=[record], others=[newest]),
        )


def find_following(*, actor: Actor, report_id: UUID, view: QueueView, order: Order) -> UUID | None:
    """The report after one that was just promoted, in the view. Not audited; shows nothing.

    Sought from the report's own place, which the promotion does not move. Two statements.
    """
    with project_scope(actor.project_id):
        report = reports.get_report_for(actor, report_id)
        return reports.find_neighbour(actor, report, queue=view.queue, order=order)
