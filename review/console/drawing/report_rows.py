"""Reports as rows of a list, wherever the list stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from feedback.queries.reports import COUNTED_REPORTS
from memory.vocabulary import RecordStatus
from review.messages import sentence
from review.screens import Badge, ReportRow

if TYPE_CHECKING:
    from feedback.queries import reports
    from review.console.links import Links
    from review.console.place import Place
    from review.messages import Sentence
    from review.queries.names import Names

STATUS_BADGES: Final = {
    RecordStatus.CURRENT: Badge.CURRENT,
    RecordStatus.SUPERSEDED: Badge.SUPERSEDED,
    RecordStatus.RETRACTED: Badge.RETRACTED,
}
_TARGET_BADGES: Final = {
    RecordStatus.SUPERSEDED: Badge.TARGET_CORRECTED,
    RecordStatus.RETRACTED: Badge.TARGET_RETRACTED,
}


def report_row(
    report: reports.ReportRow, names: Names, links: Links, place: Place, *, says_open: bool
) -> ReportRow:
    """A report in a list. `says_open`: the list also holds reports that are not open."""
    return ReportRow(
        url=links.report(report.id, place),
        proposes=proposes(report),
        note=report.note,
        subject=report.target.subject,
        predicate=report.target.predicate,
        object=report.target.object,
        proposed_object=report.proposed_object,
        reporter=names.author(report),
        recorded_at=report.recorded_at,
        badges=state_badges(report, says_open=says_open),
        outcome=outcome(report),
    )


def proposes(report: reports.ReportRow) -> Badge:
    """What a promotion would do."""
    return Badge.RETRACT if report.proposed_object is None else Badge.CORRECT


def state_badges(report: reports.ReportRow, *, says_open: bool) -> tuple[Badge, ...]:
    """Where a report stands, and what became of its record meanwhile."""
    if report.is_promoted:
        return (Badge.PROMOTED,)
    badges = (Badge.OPEN,) if says_open else ()
    if report.target.status in _TARGET_BADGES:
        return (*badges, _TARGET_BADGES[report.target.status])
    if report.target.version != report.record_version:
        return (*badges, Badge.NEWER_VERSION)
    return badges


def outcome(report: reports.ReportRow) -> Sentence | None:
    """What a promotion came to; None for an open report."""
    if report.promotion is None:
        return None
    if report.proposed_object is None:
        return sentence("outcome_retracted", time=report.promotion.promoted_at)
    return sentence(
        "outcome_corrected", x=report.proposed_object, time=report.promotion.promoted_at
    )


def bounded(count: int) -> str:
    """A count of reports as it is shown: exact up to a thousand."""
    return f"{COUNTED_REPORTS:,}+" if count > COUNTED_REPORTS else f"{count:,}"
