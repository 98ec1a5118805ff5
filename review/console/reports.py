"""S6 and S8: the list of reports, and one report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.vocabulary import Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.answers import address_page
from review.console.drawing import queue as queue_drawing
from review.console.drawing import report as report_drawing
from review.console.drawing.page import ReportPage
from review.console.drawing.situations import decided_notice
from review.console.frame import frame_of, render
from review.console.links import just_decided, links_of
from review.console.place import Place, place_of_origin, place_of_query
from review.queries.queue import read_queue
from review.queries.report import read_report
from review.screens import Link

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor


@project_view(policies.can_see_queue, Operation.FEEDBACK_LIST)
def list_reports(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A page of a view of the queue."""
    links = links_of(request)
    try:
        place = place_of_query(request.GET, actor.project_id)
    except FieldInvalid as error:
        refuse(actor, Operation.FEEDBACK_LIST, error)
        start = Link(label=_("Back to start"), url=links.reports(Place()))
        return address_page(request, actor, error, start)
    just = just_decided(request, actor.project_id)
    reading = read_queue(
        actor=actor,
        view=place.view,
        order=place.order,
        after=place.after,
        limit=place.size,
        decided=just.report_id if just else None,
    )
    notice = decided_notice(reading.decided, just, actor=actor, links=links, is_last=True)
    frame = frame_of(request, actor, title=_("Reports"), notice=notice)
    page = ReportPage(frame=frame, actor=actor, links=links, place=place)
    return render(request, queue_drawing.queue_screen(reading, page), "review/queue.html")


@project_view(policies.can_see_queue, Operation.FEEDBACK_LIST)
def get_report(request: HttpRequest, actor: Actor, *, report_id: UUID) -> HttpResponse:
    """A report as one of the view that somebody came from."""
    links = links_of(request)
    place = place_of_origin(request.GET.get("from"), actor.project_id)
    just = just_decided(request, actor.project_id)
    reading = read_report(
        actor=actor,
        report_id=report_id,
        view=place.view,
        order=place.order,
        decided=just.report_id if just else None,
    )
    frame = frame_of(
        request,
        actor,
        title=_("Report"),
        back=queue_drawing.back_link(links, place),
        notice=decided_notice(reading.decided, just, actor=actor, links=links, is_last=False),
    )
    page = ReportPage(frame=frame, actor=actor, links=links, place=place)
    return render(request, report_drawing.report_screen(reading, page), "review/report.html")
