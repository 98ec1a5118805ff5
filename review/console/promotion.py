"""S9: promote a report, and the page that asks before a retraction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from feedback.errors import ReportAlreadyPromoted
from feedback.operations.promote_report import promote_report
from memory.errors import (
    FieldInvalid,
    IdempotencyConflict,
    IdempotencyInProgress,
    RecordConflict,
)
from memory.vocabulary import Operation
from review import policies
from review.console.access import project_form, project_view, refuse
from review.console.answers import in_progress_page, problem_page, unsaved_page
from review.console.drawing.conflicts import already_promoted_screen, conflict_screen
from review.console.drawing.page import ReportPage
from review.console.drawing.queue import back_link
from review.console.drawing.report import confirm_screen
from review.console.forms import PromotionForm
from review.console.frame import frame_of, redirect, render
from review.console.links import JustDecided, Links, links_of
from review.console.place import Place, place_of_origin
from review.messages import sentence
from review.queries.report import find_following, read_conflict, read_report
from review.screens import Link

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from feedback.operations.promote_report import PromotionReceipt
    from memory.actor import Actor
    from review.screens import Frame

_ROUTE: Final = "review:report-promote"
_CANONICAL: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody deciding a report that stands at a place of the queue."""

    request: HttpRequest
    actor: Actor
    report_id: UUID
    place: Place
    links: Links

    @property
    def page(self) -> Link:
        """The way back to the report."""
        return Link(label=_("Open the report"), url=self.links.report(self.report_id, self.place))

    @property
    def back(self) -> Link:
        """The way back to the list."""
        return back_link(self.links, self.place)

    def draw_in(self, frame: Frame) -> ReportPage:
        """What the pages of this attempt are drawn with."""
        return ReportPage(frame=frame, actor=self.actor, links=self.links, place=self.place)


@project_form(policies.can_promote, Operation.FEEDBACK_PROMOTE, page="review:report-get")
def promote(request: HttpRequest, actor: Actor, *, report_id: UUID) -> HttpResponse:
    """Promote a report against the version drawn with the form; then on, or stay."""
    place = place_of_origin(request.POST.get("from"), actor.project_id)
    attempt = Attempt(request, actor, report_id, place, links_of(request))
    form = PromotionForm(request.POST)
    if not form.is_valid():
        refuse(actor, Operation.FEEDBACK_PROMOTE, FieldInvalid("form", "is not one of ours."))
        return problem_page(request, actor, sentence("form_invalid"), attempt.page, attempt.back)
    try:
        receipt = promote_report(
            actor=actor,
            report_id=report_id,
            expected_version=form.version,
            key=form.key(_ROUTE, report_id),
        )
    except (RecordConflict, ReportAlreadyPromoted):
        return _conflict_page(attempt, form.version)
    except IdempotencyInProgress:
        return in_progress_page(request, actor, attempt.page, attempt.back)
    except IdempotencyConflict:
        text = sentence("idempotency_conflict")
        return unsaved_page(request, actor, text, attempt.page, attempt.back)
    except FieldInvalid as error:
        text = sentence("value_refused", reason=error.rule.rstrip("."))
        return problem_page(request, actor, text, attempt.page, attempt.back)
    return _onward(attempt, receipt, leads_on=form.leads_on)


@project_view(policies.can_promote, Operation.FEEDBACK_LIST)
def confirm_retraction(request: HttpRequest, actor: Actor, *, report_id: UUID) -> HttpResponse:
    """Ask before a retraction, showing the very record that would be struck."""
    place = place_of_origin(request.GET.get("from"), actor.project_id)
    attempt = Attempt(request, actor, report_id, place, links_of(request))
    reading = read_report(actor=actor, report_id=report_id, view=place.view, order=place.order)
    if reading.report.proposed_object is not None:
        return redirect(attempt.page.url)
    seen = _version(request.GET.get("v", ""))
    if not (reading.report.is_ready and reading.record.version == seen):
        return _conflict_page(attempt, seen)
    frame = frame_of(request, actor, title=_("Retract"), back=attempt.back)
    page = attempt.draw_in(frame)
    return render(request, confirm_screen(reading, page), "review/confirm_retraction.html")


def _onward(attempt: Attempt, receipt: PromotionReceipt, *, leads_on: bool) -> HttpResponse:
    """To the next report of the view, to the list after the last one, or back to this one."""
    place, links = attempt.place, attempt.links
    just = JustDecided(receipt.report_id, receipt.closed_reports)
    if not leads_on:
        return redirect(links.report(receipt.report_id, place, just))
    following = find_following(
        actor=attempt.actor, report_id=receipt.report_id, view=place.view, order=place.order
    )
    if following is None:
        return redirect(links.reports(place.start, just))
    return redirect(links.report(following, place, just))


def _conflict_page(attempt: Attempt, seen: UUID | None) -> HttpResponse:
    """E1, E2, E3: what changed meanwhile, by whom and when."""
    place, actor = attempt.place, attempt.actor
    reading = read_conflict(
        actor=actor,
        report_id=attempt.report_id,
        seen=seen,
        view=place.view,
        order=place.order,
    )
    frame = frame_of(
        attempt.request,
        actor,
        title=_("Report"),
        title_prefix=_("Changed: "),
        back=attempt.back,
        refresh=False,
    )
    page = attempt.draw_in(frame)
    if reading.report.is_promoted:
        already = already_promoted_screen(reading, page)
        return render(attempt.request, already, "review/already_promoted.html", 409)
    return render(attempt.request, conflict_screen(reading, page), "review/conflict.html", 409)


def _version(text: str) -> UUID | None:
    """A version token in its one form; anything else was never a version."""
    return UUID(text) if _CANONICAL.fullmatch(text) else None
