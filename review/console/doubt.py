"""S13: report a doubt about a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from feedback.operations.record_report import ReportDraft, record_report
from memory.errors import (
    FieldInvalid,
    IdempotencyConflict,
    IdempotencyInProgress,
    RecordConflict,
)
from memory.vocabulary import Operation
from review import policies
from review.console import pages
from review.console.access import project_page, refuse
from review.console.answers import in_progress_page, problem_page, unsaved_page
from review.console.drawing.doubt import DoubtPage, conflict_screen, doubt_screen
from review.console.forms import DoubtForm, DrawnForm
from review.console.frame import frame_of, redirect, render
from review.console.keys import DOUBT_KEYS
from review.console.links import Links, links_of
from review.console.notices import leave_notice
from review.messages import sentence
from review.queries.doubt import read_doubt, read_doubt_again
from review.screens import Link, Notice, Tone

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from review.queries.doubt import DoubtReading
    from review.screens.frame import Label

_ROUTE: Final = "review:record-report"
_TEMPLATE: Final = "review/report_doubt.html"


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody doubting a record."""

    request: HttpRequest
    actor: Actor
    record_id: UUID
    links: Links

    @property
    def page(self) -> Link:
        """The way to a fresh form."""
        return Link(label=_("Open the page"), url=self.links.report_doubt(self.record_id))

    @property
    def back(self) -> Link:
        """The way back to the record."""
        return Link(label=_("Back to the record"), url=self.links.record(self.record_id), key="u")

    def drawn(self, prefix: Label = "") -> DoubtPage:
        """What a page of this attempt is drawn with. To refresh it would lose what was typed."""
        frame = frame_of(
            self.request,
            self.actor,
            title=_("Report a doubt"),
            title_prefix=prefix,
            back=self.back,
            keys=DOUBT_KEYS,
            refresh=False,
        )
        return DoubtPage(frame=frame, links=self.links)


@project_page(
    policies.can_report,
    reads=Operation.RECORD_GET,
    writes=Operation.FEEDBACK_RECORD,
    page=_ROUTE,
)
def report_doubt(request: HttpRequest, actor: Actor, *, record_id: UUID) -> HttpResponse:
    """The form about the record as it is; sent, a report that changes nothing."""
    attempt = Attempt(request, actor, record_id, links_of(request))
    if not pages.is_reading(request):
        return _sent(attempt)
    reading = read_doubt(actor=actor, record_id=record_id, reason=request.GET.get("reason", ""))
    return render(request, doubt_screen(reading, attempt.drawn()), _TEMPLATE)


def _sent(attempt: Attempt) -> HttpResponse:
    request, actor, record_id = attempt.request, attempt.actor, attempt.record_id
    drawn, form = DrawnForm(request.POST), DoubtForm(request.POST)
    if not drawn.is_valid():
        refuse(actor, Operation.FEEDBACK_RECORD, FieldInvalid("form", "is not one of ours."))
        return problem_page(request, actor, sentence("form_invalid"), attempt.page, attempt.back)
    if not form.is_valid():
        return _invalid_page(attempt, drawn.version, form)
    try:
        record_report(
            actor=actor,
            draft=ReportDraft(
                record_id=record_id,
                note=form.note_text,
                proposed_object=form.value,
                expected_version=drawn.version,
            ),
            key=drawn.key_of(_ROUTE, form.said, {"record": record_id}),
        )
    except RecordConflict:
        return _conflict_page(attempt, read_doubt_again(actor=actor, record_id=record_id))
    except IdempotencyInProgress:
        return in_progress_page(request, actor, attempt.page, attempt.back)
    except IdempotencyConflict:
        text = sentence("idempotency_conflict")
        return unsaved_page(request, actor, text, attempt.page, attempt.back)
    leave_notice(request, _reported(attempt))
    return redirect(attempt.links.record(record_id))


def _reported(attempt: Attempt) -> Notice:
    reports = attempt.links.record(attempt.record_id, "reports")
    link = Link(label=_("See the reports on this record"), url=reports)
    return Notice(tone=Tone.OK, heading=sentence("reported"), links=(link,))


def _invalid_page(attempt: Attempt, version: UUID, form: DoubtForm) -> HttpResponse:
    """E10: the form with its problems; E5 where the record changed as well."""
    actor = attempt.actor
    reading = read_doubt_again(actor=actor, record_id=attempt.record_id)
    if not (reading.record.is_current and reading.record.version == version):
        refuse(actor, Operation.FEEDBACK_RECORD, RecordConflict())
        return _conflict_page(attempt, reading)
    refuse(actor, Operation.FEEDBACK_RECORD, FieldInvalid("note", "breaks its rule."))
    screen = doubt_screen(reading, attempt.drawn(_("Error: ")), form)
    return render(attempt.request, screen, _TEMPLATE, 422)


def _conflict_page(attempt: Attempt, reading: DoubtReading) -> HttpResponse:
    """E5: what the record says now, with the text that was typed."""
    typed = {name: attempt.request.POST.get(name, "") for name in DoubtForm.base_fields}
    screen = conflict_screen(reading, attempt.drawn(_("Changed: ")), typed)
    return render(attempt.request, screen, _TEMPLATE, 409)
