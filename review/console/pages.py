"""The pages that refuse or fail, as `console.md` section 6 words them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory.errors import Kind
from memory.http.context import context_of
from review.console.frame import bare_frame_of, frame_of, redirect, render, role_words
from review.console.visit import visit_of
from review.messages import sentence
from review.screens import ErrorScreen, Link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.errors import DomainError
    from review.messages import Sentence
    from review.screens.frame import Label

RETRY_SECONDS: Final = 2

SAFE_METHODS: Final = frozenset({"GET", "HEAD"})


def is_reading(request: HttpRequest) -> bool:
    """Whether the request only wants to look."""
    return request.method in SAFE_METHODS


def sign_in_page(following: str, *, is_lost: bool = False) -> HttpResponse:
    """Lead to the sign-in, and afterwards to `following`. `is_lost`: a form was not taken (E12)."""
    query = ({"next": following} if following else {}) | ({"lost": "1"} if is_lost else {})
    return redirect(reverse("review:sign-in", query=query))


def start_link(url: str = "") -> Link:
    """A link to where everybody can begin, or to `url`."""
    return Link(label=_("Open the page"), url=url or reverse("review:start"))


def not_found_page(request: HttpRequest, actor: Actor | None = None) -> HttpResponse:
    """E8: missing, erased, foreign or invisible; one page for all of them."""
    links = () if actor else (Link(label=_("Projects"), url=reverse("review:project-list")),)
    text = sentence("not_found")
    return _page(request, actor, "404.html", 404, _("Not found"), [text], links)


def denied_page(request: HttpRequest, actor: Actor) -> HttpResponse:
    """E7: the role does not include the page, or what the form asks for."""
    project = visit_of(request).project
    roles = ", ".join(str(word) for word in role_words(project.roles)) if project else ""
    code = "role_page" if is_reading(request) else "role_form"
    text = sentence(code, roles=roles)
    return _page(request, actor, "403.html", 403, _("Not allowed"), [text])


def wrong_method_page(
    request: HttpRequest, actor: Actor | None, allowed: Sequence[str], page: Link | None
) -> HttpResponse:
    """E9: the address only takes a form (or none at all)."""
    if "POST" in allowed:
        heading, code = _("This address takes a form"), "method_not_allowed"
    else:
        heading, code = _("This address takes no form"), "form_not_allowed"
    links = (page,) if page else ()
    response = _page(request, actor, "405.html", 405, heading, [sentence(code)], links)
    response.headers["Allow"] = ", ".join(allowed)
    return response


def refusal_page(request: HttpRequest, actor: Actor | None, error: DomainError) -> HttpResponse:
    """The page of a refusal that the view did not turn into one of its own.

    Conflicts and faulty fields belong to their view; what is left of them is "open it again".
    """
    match error.kind:
        case Kind.NOT_FOUND:
            return not_found_page(request, actor)
        case Kind.DENIED if actor is not None:
            return denied_page(request, actor)
        case Kind.TOO_LARGE:
            return too_large_page(request)
        case Kind.UNAVAILABLE | Kind.THROTTLED:
            return busy_page(request)
        case Kind.CONFLICT:
            heading, text = _("Nothing was saved"), _conflict_sentence(error)
            return _page(request, actor, "review/error.html", 409, heading, [text])
        case _:
            return bad_request_page(request)


def _conflict_sentence(error: DomainError) -> Sentence:
    if error.code == "idempotency_in_progress":
        return sentence("idempotency_in_progress", n=RETRY_SECONDS)
    if error.code == "idempotency_conflict":
        return sentence("idempotency_conflict")
    return sentence("record_conflict")


def form_invalid_page(request: HttpRequest, actor: Actor | None, page: Link) -> HttpResponse:
    """E13: the token of the form does not fit this sign-in, or it came from elsewhere."""
    heading, text = _("This form is no longer valid"), sentence("form_invalid")
    return _page(request, actor, "review/error.html", 403, heading, [text], [page])


def denied_bare_page(request: HttpRequest) -> HttpResponse:
    """A refusal that knows of no role."""
    return _bare_page(request, 403, _("Not allowed"), sentence("role_bare"))


def too_large_page(request: HttpRequest) -> HttpResponse:
    """E13: the form is over the limit of a body."""
    return _bare_page(request, 413, _("This form is too large"), sentence("form_too_large"))


def bad_request_page(request: HttpRequest) -> HttpResponse:
    """The request makes no sense, whoever sent it."""
    return _bare_page(request, 400, _("This request cannot be read"), sentence("bad_request"))


def busy_page(request: HttpRequest) -> HttpResponse:
    """E15: lock, pool or database; only where everything was certainly rolled back."""
    text = sentence("busy", n=RETRY_SECONDS)
    response = _bare_page(request, 503, _("The service is busy"), text)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def fault_page(request: HttpRequest) -> HttpResponse:
    """E16: a fault of ours. Who sent a form is told that it may have been saved."""
    code = "fault_reading" if is_reading(request) else "fault_writing"
    text = sentence(code, id=context_of(request).request_id)
    return _bare_page(request, 500, _("Something went wrong"), text)


def _page(
    request: HttpRequest,
    actor: Actor | None,
    template: str,
    status: int,
    heading: Label,
    sentences: Sequence[Sentence],
    links: Sequence[Link] = (),
) -> HttpResponse:
    frame = frame_of(request, actor, title=heading, refresh=False)
    screen = ErrorScreen(
        frame=frame, heading=heading, sentences=tuple(sentences), links=tuple(links)
    )
    return render(request, screen, template, status)


def _bare_page(request: HttpRequest, status: int, heading: Label, text: Sentence) -> HttpResponse:
    """A page that needs neither session nor database, which may be what is missing."""
    screen = ErrorScreen(
        frame=bare_frame_of(request, title=heading), heading=heading, sentences=(text,)
    )
    return render(request, screen, "review/error.html", status)
