"""Answers that several views of reports and records give: a faulty address, a faulty form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from review.console.frame import frame_of, render
from review.console.pages import RETRY_SECONDS
from review.messages import sentence
from review.screens import ErrorScreen

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.errors import FieldInvalid
    from review.messages import Sentence
    from review.screens import Link
    from review.screens.frame import Label


def address_page(
    request: HttpRequest, actor: Actor, error: FieldInvalid, start: Link
) -> HttpResponse:
    """E10: the address names no page of this list; `start` is the way to its beginning."""
    if error.field == "after":
        return problem_page(request, actor, sentence("cursor_misfit"), start)
    return problem_page(request, actor, sentence("choice_unknown", field=error.field), start)


def problem_page(
    request: HttpRequest, actor: Actor, text: Sentence, way: Link, back: Link | None = None
) -> HttpResponse:
    """422: what was sent cannot be carried out, and where to go on."""
    return _page(request, actor, 422, _("There is a problem"), _("Error: "), text, way, back)


def unsaved_page(
    request: HttpRequest, actor: Actor, text: Sentence, way: Link, back: Link | None = None
) -> HttpResponse:
    """409: another submit stands in the way of this one."""
    return _page(request, actor, 409, _("Nothing was saved"), _("Changed: "), text, way, back)


def in_progress_page(
    request: HttpRequest, actor: Actor, way: Link, back: Link | None = None
) -> HttpResponse:
    """E6: the first submit of this form still runs."""
    text = sentence("idempotency_in_progress", n=RETRY_SECONDS)
    response = unsaved_page(request, actor, text, way, back)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _page(
    request: HttpRequest,
    actor: Actor,
    status: int,
    heading: Label,
    prefix: Label,
    text: Sentence,
    way: Link,
    back: Link | None,
) -> HttpResponse:
    frame = frame_of(request, actor, title=heading, title_prefix=prefix, back=back, refresh=False)
    screen = ErrorScreen(frame=frame, heading=heading, sentences=(text,), links=(way,))
    return render(request, screen, "review/error.html", status)
