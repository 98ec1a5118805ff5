"""The form that promotes and what stands around it; drawn on three pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import uuid4

from memory.vocabulary import Trust
from review import policies
from review.changes import ChangeTable, compare, promoted, retraction
from review.console.drawing.values import said_by
from review.flags import cut_characters
from review.messages import sentence
from review.screens import Link, PromoteForm

if TYPE_CHECKING:
    from uuid import UUID

    from feedback.queries.reports import ReportRow
    from memory.actor import Actor
    from memory.queries.records import RecordDetail
    from review.console.links import Links
    from review.console.place import Place
    from review.messages import Sentence

_BUTTON_CHARACTERS: Final = 40


def promote_form(
    report_id: UUID,
    version: UUID,
    labels: tuple[Sentence, Sentence],
    *,
    links: Links,
    place: Place,
) -> PromoteForm:
    """A form for exactly this version; its key is made now, so each drawn form has its own."""
    return PromoteForm(
        action=links.promote(report_id),
        expected_version=version,
        form_key=uuid4(),
        origin=place.sign(links.project_id),
        next_label=labels[0],
        stay_label=labels[1],
    )


def correction_form(
    report: ReportRow, record: RecordDetail, links: Links, place: Place
) -> PromoteForm | None:
    """The form of a correction; None for a report that proposes to retract."""
    if report.proposed_object is None:
        return None
    label = sentence("correct_next", object=button_value(report.proposed_object))
    labels = (label, sentence("correct_stay"))
    return promote_form(report.id, record.version, labels, links=links, place=place)


def corrected_again_form(
    report: ReportRow, record: RecordDetail, links: Links, place: Place
) -> PromoteForm | None:
    """The same after a conflict: its button names the version that the record has now."""
    if report.proposed_object is None:
        return None
    label = sentence(
        "correct_version", n=record.version_number, object=button_value(report.proposed_object)
    )
    labels = (label, sentence("correct_stay"))
    return promote_form(report.id, record.version, labels, links=links, place=place)


def retraction_form(
    report: ReportRow, record: RecordDetail, links: Links, place: Place
) -> PromoteForm:
    """The form on the page that asks before a retraction."""
    labels = (sentence("retract_next"), sentence("retract_stay"))
    return promote_form(report.id, record.version, labels, links=links, place=place)


def confirm_link(
    report: ReportRow, record: RecordDetail, label: Sentence, links: Links, place: Place
) -> Link | None:
    """The way to that page, for the version drawn; None for a report that proposes to correct."""
    if report.proposed_object is not None:
        return None
    return Link(label=str(label), url=links.retract(report.id, record.version, place))


def change_table(report: ReportRow, record: RecordDetail, actor: Actor) -> ChangeTable:
    """What a promotion by this person would change; a reader sees what a reviewer's would."""
    before = said_by(record)
    if report.proposed_object is None:
        return retraction(before)
    after = promoted(
        before,
        proposed_object=report.proposed_object,
        note=report.note,
        trust_cap=actor.max_trust if policies.can_promote(actor).is_allowed else Trust.VERIFIED,
    )
    return compare(before, after)


def credit(report: ReportRow, actor: Actor) -> Sentence | None:
    """Whose the new record will be; None where a promotion makes none."""
    if report.proposed_object is None:
        return None
    return sentence("credit", name=actor.label)


def button_value(text: str) -> str:
    """An object as a button names it: cut, since the change table has all of it."""
    cut = cut_characters(text, _BUTTON_CHARACTERS)
    return f"{cut.shown}…" if cut.is_cut else text
