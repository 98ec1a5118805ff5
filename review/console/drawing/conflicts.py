"""The pages of a promotion that did not happen: E1 and E2 (`record_conflict`), E3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from review.console.drawing.promotion import confirm_link, corrected_again_form, credit
from review.console.drawing.queue import back_link
from review.console.drawing.situations import (
    closed_link,
    closed_sentence,
    outcome_people,
    result_link,
)
from review.messages import sentence
from review.screens import AlreadyPromotedScreen, ConflictScreen, ConflictSide, Link

if TYPE_CHECKING:
    from memory.actor import Actor
    from review.console.drawing.page import ReportPage
    from review.console.links import Links
    from review.console.place import Place
    from review.messages import Sentence
    from review.queries.report import ConflictReading
    from review.screens.frame import Label


def conflict_screen(reading: ConflictReading, page: ReportPage) -> ConflictScreen:
    """What the record says now beside what was seen; to decide again while it is current."""
    links, place = page.links, page.place
    report, record = reading.report, reading.record
    again = sentence("retract_version_link", n=record.version_number)
    is_open = record.is_current
    return ConflictScreen(
        frame=page.frame,
        subject=record.subject,
        predicate=record.predicate,
        heading=sentence("record_conflict" if is_open else "record_conflict_closed"),
        detail=_moved(reading) if is_open else closed_sentence(record, reading.names, "conflict"),
        sides=_sides(reading),
        form=corrected_again_form(report, record, links, place) if is_open else None,
        confirm=confirm_link(report, record, again, links, place) if is_open else None,
        credit=credit(report, page.actor) if is_open else None,
        links=_ways(reading, links, place),
    )


def already_promoted_screen(reading: ConflictReading, page: ReportPage) -> AlreadyPromotedScreen:
    """Who decided the report, what came of it, and on to the next one."""
    report, links, place = reading.report, page.links, page.place
    back = back_link(links, place)
    return AlreadyPromotedScreen(
        frame=page.frame,
        subject=reading.record.subject,
        predicate=reading.record.predicate,
        heading=_promoted(reading, page.actor),
        people=outcome_people(report, reading.names),
        next_report=_following(reading, links, place)
        or Link(label=back.label, url=links.reports(place.start)),
        links=(
            result_link(report, links),
            Link(label=_("Open the report"), url=links.report(report.id, place)),
        ),
    )


def _moved(reading: ConflictReading) -> Sentence:
    record = reading.record
    if reading.seen is None:
        return sentence("record_conflict_unknown", n=record.version_number, b=record.object)
    return sentence(
        "record_conflict_moved",
        m=reading.seen.number,
        a=record.object,
        actor=reading.names.author(reading.newest),
        n=record.version_number,
        b=record.object,
        time=reading.newest.recorded_at,
    )


def _promoted(reading: ConflictReading, actor: Actor) -> Sentence:
    report, promotion = reading.report, reading.report.promotion
    if promotion is None:
        raise LookupError("an open report has no outcome")
    if promotion.promoted_by == actor.id:
        return sentence("promoted_by_you", time=promotion.promoted_at)
    by = {"time": promotion.promoted_at, "actor": reading.names.promoter(report)}
    if report.proposed_object is None:
        return sentence("promoted_retracted", **by)
    return sentence("promoted_corrected", x=report.proposed_object, **by)


def _sides(reading: ConflictReading) -> tuple[ConflictSide, ...]:
    record, report, seen = reading.record, reading.report, reading.seen
    sides = [_now(reading)]
    if seen is not None:
        saw = ConflictSide(
            label=_("You saw"),
            version_number=seen.number,
            version=seen.id,
            object=record.object,
            statement=record.statement,
        )
        sides.insert(0, saw)
    is_correction = report.proposed_object is not None
    proposed = ConflictSide(
        label=_("The report proposes"),
        version_number=None,
        version=None,
        object=report.proposed_object,
        statement=report.note if is_correction else None,
    )
    return (*sides, proposed)


def _now(reading: ConflictReading) -> ConflictSide:
    """The record as it is, what replaced it, or nothing."""
    record, successor = reading.record, reading.chain.successor
    label: Label = _("Now")
    if record.is_current:
        return ConflictSide(
            label=label,
            version_number=record.version_number,
            version=record.version,
            object=record.object,
            statement=record.statement,
        )
    if successor is None:
        return ConflictSide(
            label=label,
            version_number=record.version_number,
            version=record.version,
            object=None,
            statement=None,
        )
    return ConflictSide(
        label=_("Now, in a new record"),
        version_number=successor.version_number,
        version=successor.version,
        object=successor.object,
        statement=successor.statement,
    )


def _ways(reading: ConflictReading, links: Links, place: Place) -> tuple[Link, ...]:
    ways: list[Link] = []
    following = _following(reading, links, place)
    if reading.record.is_current:
        if following is not None:
            ways.append(Link(label=_("Skip to next"), url=following.url))
    else:
        ways.append(closed_link(reading.record, links))
        ways.extend([following] if following is not None else [])
    ways.append(Link(label=_("Open the report"), url=links.report(reading.report.id, place)))
    return tuple(ways)


def _following(reading: ConflictReading, links: Links, place: Place) -> Link | None:
    if reading.following is None:
        return None
    return Link(label=_("Next report"), url=links.report(reading.following, place))
