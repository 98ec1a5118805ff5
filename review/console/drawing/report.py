"""The page of one report (S8) and the page before a retraction (S9)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from review import policies
from review.console.drawing.events import Timeline, changes_of
from review.console.drawing.outcomes import advice_panel
from review.console.drawing.promotion import (
    change_table,
    confirm_link,
    correction_form,
    credit,
    retraction_form,
)
from review.console.drawing.queue import promote_offer
from review.console.drawing.report_rows import bounded, proposes, state_badges
from review.console.drawing.situations import situation
from review.console.drawing.values import citation
from review.console.keys import REPORT_KEYS, working
from review.messages import sentence
from review.screens import (
    ConfirmRetractionScreen,
    IdEntry,
    Link,
    ReportScreen,
    SiblingReport,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from uuid import UUID

    from feedback.queries.reports import ReportRow
    from review.console.drawing.page import ReportPage
    from review.console.links import Links
    from review.console.place import Place
    from review.queries.report import ReportReading
    from review.screens.frame import Label

SHOWN_EVENTS: Final = 5


def report_screen(reading: ReportReading, page: ReportPage) -> ReportScreen:
    """A report, what it would change, and what speaks for the record."""
    actor, links, place = page.actor, page.links, page.place
    report, record = reading.report, reading.record
    is_ready = not report.is_promoted and record.is_current
    may = is_ready and policies.can_promote(actor).is_allowed
    events = _timeline(reading, page).events(
        changes_of(record, reading.names), reading.about_record
    )
    ways = (
        _neighbour(_("Skip to next"), reading.neighbours.after, "s|j", links, place),
        _neighbour(_("Previous in this view"), reading.neighbours.before, "k", links, place),
    )
    return ReportScreen(
        frame=replace(page.frame, keys=working(REPORT_KEYS, _keys(ways, may=may))),
        now=reading.now,
        subject=record.subject,
        predicate=record.predicate,
        badges=(proposes(report), *state_badges(report, says_open=True)),
        note=report.note,
        reporter=reading.names.author(report),
        reporting_subject=report.reporter_subject,
        recorded_at=report.recorded_at,
        situation=situation(reading, links),
        change=change_table(report, record, actor) if is_ready else None,
        version_number=record.version_number,
        version=record.version,
        promote=promote_offer(actor, "promote_read_only"),
        form=correction_form(report, record, links, place) if may else None,
        confirm=confirm_link(report, record, sentence("retract_link"), links, place)
        if may
        else None,
        credit=credit(report, actor) if may else None,
        skip=ways[0],
        previous=ways[1],
        statement=record.statement,
        record=Link(label=_("Open the record"), url=links.record(record.id)),
        citations=tuple(citation(row) for row in reading.citations.rows),
        siblings=tuple(_sibling(row, links, place) for row in reading.siblings),
        siblings_total=bounded(reading.sibling_count),
        all_reports=_all_reports(reading, links),
        outcomes=advice_panel(reading.advice),
        history=events[:SHOWN_EVENTS],
        ids=_ids(report),
    )


def confirm_screen(reading: ReportReading, page: ReportPage) -> ConfirmRetractionScreen:
    """The page that asks before a retraction."""
    report, record = reading.report, reading.record
    back = page.links.report(report.id, page.place)
    return ConfirmRetractionScreen(
        frame=replace(page.frame, keys=working(REPORT_KEYS, ("p", "u"))),
        subject=record.subject,
        predicate=record.predicate,
        change=change_table(report, record, page.actor),
        version_number=record.version_number,
        version=record.version,
        form=retraction_form(report, record, page.links, page.place),
        cancel=Link(label=_("Back to the report"), url=back),
    )


def _keys(ways: Iterable[Link | None], *, may: bool) -> Iterator[str]:
    """The keys that do something on the page of a report."""
    yield from ("u", "e", "h")
    if may:
        yield "p"
    for way in ways:
        yield from way.key.split("|") if way else ()


def _timeline(reading: ReportReading, page: ReportPage) -> Timeline:
    return Timeline(
        record=reading.record,
        promotions=reading.promotions,
        names=reading.names,
        links=page.links,
        place=page.place,
        here=reading.report.id,
    )


def _neighbour(
    label: Label, report_id: UUID | None, key: str, links: Links, place: Place
) -> Link | None:
    if report_id is None:
        return None
    return Link(label=label, url=links.report(report_id, place), key=key)


def _sibling(report: ReportRow, links: Links, place: Place) -> SiblingReport:
    return SiblingReport(
        url=links.report(report.id, place),
        proposes=proposes(report),
        proposed_object=report.proposed_object,
        note=report.note,
        recorded_at=report.recorded_at,
    )


def _all_reports(reading: ReportReading, links: Links) -> Link | None:
    if reading.sibling_count <= len(reading.siblings):
        return None
    url = links.record(reading.record.id, "reports")
    return Link(label=_("All reports on this record"), url=url)


def _ids(report: ReportRow) -> tuple[IdEntry, ...]:
    ids: list[tuple[Label, object]] = [
        (_("Report"), report.id),
        (_("Record"), report.record_id),
        (_("Version of the record when it was reported"), report.record_version),
        (_("Version of the record now"), report.target.version),
    ]
    if report.promotion is not None:
        ids.append((_("Request of the promotion"), report.promotion.request_id))
        ids.append((_("Version that the promotion made"), report.promotion.version))
    return tuple(IdEntry(label=label, value=str(value)) for label, value in ids)
