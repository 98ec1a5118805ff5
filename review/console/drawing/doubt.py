"""The page of a doubt about a record (S13), also as it answers a form that was not taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from memory.vocabulary import RecordStatus
from review.console.drawing.report_rows import STATUS_BADGES
from review.console.drawing.situations import closed_link, closed_sentence
from review.console.forms import DoubtForm
from review.messages import sentence
from review.screens import DoubtScreen, FormProblem, ReportForm, SaidRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.queries.chain import LinkedRecord
    from memory.queries.records import RecordDetail
    from review.console.links import Links
    from review.messages import Sentence
    from review.queries.doubt import DoubtReading
    from review.screens import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtPage:
    """What the page is drawn with, besides what was read."""

    frame: Frame
    links: Links


def doubt_screen(
    reading: DoubtReading, page: DoubtPage, form: DoubtForm | None = None
) -> DoubtScreen:
    """The page as somebody opens it, or with what is wrong in `form`; a closed record has none."""
    record, links = reading.record, page.links
    screen = _screen(reading, page, record)
    if not record.is_current:
        return replace(screen, links=(closed_link(record, links),))
    fields = form or DoubtForm(initial={"note": str(reading.note or "")})
    return replace(
        screen,
        form=_form(record, fields, sentence("doubt_send"), links),
        problems=_problems(fields),
    )


def conflict_screen(
    reading: DoubtReading, page: DoubtPage, typed: Mapping[str, str]
) -> DoubtScreen:
    """E5: the record as it is now, or the one in its place, and the text to send about that."""
    record, links, new = reading.record, page.links, reading.successor
    screen = replace(_screen(reading, page, new or record), conflict=sentence("report_conflict"))
    fields = DoubtForm(initial=dict(typed))
    if record.is_current:
        label = sentence("doubt_send_version", n=record.version_number)
        return replace(screen, form=_form(record, fields, label, links))
    screen = replace(screen, links=(closed_link(record, links),))
    if new is not None and new.status is RecordStatus.CURRENT:
        return replace(screen, form=_form(new, fields, sentence("doubt_send_new"), links))
    return replace(screen, note=typed["note"], proposed_object=typed["proposed_object"])


def _screen(
    reading: DoubtReading, page: DoubtPage, said: RecordDetail | LinkedRecord
) -> DoubtScreen:
    record = reading.record
    return DoubtScreen(
        frame=page.frame,
        subject=record.subject,
        predicate=record.predicate,
        record=SaidRecord(
            status=STATUS_BADGES[said.status],
            object=said.object,
            statement=said.statement,
            version_number=said.version_number,
            version=said.version,
        ),
        closed=None if record.is_current else closed_sentence(record, reading.names, "record"),
    )


def _form(
    record: RecordDetail | LinkedRecord, fields: DoubtForm, label: Sentence, links: Links
) -> ReportForm:
    """A form for exactly this version; its key is made now, so each drawn form has its own."""
    return ReportForm(
        action=links.report_doubt(record.id),
        expected_version=record.version,
        form_key=uuid4(),
        fields=fields,
        label=label,
    )


def _problems(form: DoubtForm) -> tuple[FormProblem, ...]:
    return tuple(
        FormProblem(text=str(text), field_id=str(form[field].id_for_label))
        for field, texts in form.errors.items()
        for text in texts
    )
