"""Notices about a report: what became of it or of its record, and what was just done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from memory.vocabulary import RecordStatus
from review.messages import sentence
from review.screens import Link, Notice, Tone

if TYPE_CHECKING:
    from feedback.queries.reports import Promotion, ReportRow
    from memory.actor import Actor
    from memory.queries.records import RecordDetail
    from review.console.links import JustDecided, Links
    from review.messages import Sentence
    from review.queries.names import Names
    from review.queries.report import ReportReading


def situation(reading: ReportReading, links: Links) -> Notice | None:
    """Why a report cannot be promoted any more, or what to look at first; None if all is as was."""
    report, record, names = reading.report, reading.record, reading.names
    if report.promotion is not None:
        return _promoted(report, report.promotion, names, links)
    if not record.is_current:
        return Notice(
            tone=Tone.WARN,
            heading=closed_sentence(record, names, "target"),
            links=(closed_link(record, links),),
            takes_focus=False,
        )
    seen = reading.reported_version
    if seen is None:
        return None
    moved = sentence(
        "newer_version", a=record.object, m=seen.number, b=record.object, n=record.version_number
    )
    return Notice(tone=Tone.WARN, heading=moved, takes_focus=False)


def closed_sentence(record: RecordDetail, names: Names, about: str) -> Sentence:
    """How a record was closed: for a report (`target`), a conflict or the record itself."""
    if record.retraction is None:
        raise LookupError("a current record has no closing")
    corrected, retracted = {
        "target": ("target_corrected", "target_retracted"),
        "conflict": ("record_conflict_corrected", "record_conflict_retracted"),
        "record": ("superseded_by", "retracted_by"),
    }[about]
    said = {"time": record.retraction.retracted_at, "actor": names.closer(record)}
    if record.status is RecordStatus.RETRACTED:
        return sentence(retracted, **said)
    value = "b" if about == "conflict" else "x"
    return sentence(corrected, **{value: record.replacement_object or "", **said})


def closed_link(record: RecordDetail, links: Links) -> Link:
    """From a closed record to the one in its place, or to its history."""
    if record.replaced_by is not None:
        return Link(label=_("Open the new record"), url=links.record(record.replaced_by))
    return Link(label=_("View its history"), url=links.record(record.id, "history"))


def result_link(report: ReportRow, links: Links) -> Link:
    """From a promoted report to what came of it."""
    if report.replacement_record_id is not None:
        return Link(label=_("View the new record"), url=links.record(report.replacement_record_id))
    return Link(label=_("View its history"), url=links.record(report.record_id, "history"))


def outcome_people(report: ReportRow, names: Names) -> Sentence:
    """Who reported and who promoted."""
    return sentence(
        "outcome_people", reporter=names.author(report), promoter=names.promoter(report)
    )


def decided_notice(
    report: ReportRow | None,
    just: JustDecided | None,
    *,
    actor: Actor,
    links: Links,
    is_last: bool,
) -> Notice | None:
    """What somebody has just done; None unless it was they who did it."""
    if report is None or just is None or report.promotion is None:
        return None
    if report.promotion.promoted_by != actor.id:
        return None
    lines, ways = [], [result_link(report, links)]
    if just.others:
        lines.append(sentence("other_open_reports", n=just.others))
        url = links.record(report.record_id, "reports")
        ways.append(Link(label=_("See the other reports"), url=url))
    if is_last:
        lines.append(sentence("last_in_view"))
    return Notice(tone=Tone.OK, heading=_decided(report), lines=tuple(lines), links=tuple(ways))


def _decided(report: ReportRow) -> Sentence:
    target, time = report.target, report.promoted_at
    about = {"subject": target.subject, "predicate": target.predicate, "time": time}
    if report.proposed_object is None:
        return sentence("retracted", **about)
    return sentence("corrected", object=report.proposed_object, **about)


def _promoted(report: ReportRow, promotion: Promotion, names: Names, links: Links) -> Notice:
    if report.proposed_object is None:
        heading = sentence("outcome_retracted", time=promotion.promoted_at)
    else:
        heading = sentence(
            "outcome_corrected", x=report.proposed_object, time=promotion.promoted_at
        )
    return Notice(
        tone=Tone.OK,
        heading=heading,
        lines=(outcome_people(report, names),),
        links=(result_link(report, links),),
        takes_focus=False,
    )
