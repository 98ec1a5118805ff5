"""The frame of a page out of its request, and the one way in which a page is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from feedback.queries.reports import COUNTED_REPORTS
from memory.actor import Actor
from memory.http.context import context_of, route_of
from memory.vocabulary import Role
from review import policies
from review.console.notices import take_notice
from review.console.preferences import look_of, preferences_form
from review.console.visit import visit_of
from review.screens import Frame, Link, Preferences, ProjectChoice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest

    from review.screens import KeyHint, Notice, Screen
    from review.screens.frame import Label

_ROLE_WORDS: Final = {
    Role.READER: _("reader"),
    Role.REVIEWER: _("reviewer"),
    Role.AUDITOR: _("auditor"),
    Role.OWNER: _("owner"),
}

#: Label, key and routes of the places in the navigation, and who may go there. The first route is
#: where the link leads; on the others, named by their beginning, it is the current one too.
PLACES: Final = (
    (_("Reports"), "g q", ("review:report-list", "review:report-"), policies.can_see_queue),
    (_("Context runs"), "g c", ("review:run-list", "review:run-"), policies.can_see_runs),
    (
        _("Records in trouble"),
        "g t",
        ("review:trouble-list", "review:trouble-"),
        policies.can_see_trouble,
    ),
    (
        _("Integrity"),
        "g i",
        ("review:integrity-list", "review:integrity-"),
        policies.can_see_integrity,
    ),
    (_("Audit log"), "g a", ("review:audit-list", "review:audit-"), policies.can_see_audit),
)


def frame_of(
    request: HttpRequest,
    actor: Actor | None,
    *,
    title: Label,
    back: Link | None = None,
    keys: Sequence[KeyHint] = (),
    notice: Notice | None = None,
    title_prefix: Label = "",
    refresh: bool = True,
) -> Frame:
    """What stands around the content. `actor` is who acts in the project of this page, if any.

    A notice that was left for this page is taken up, unless the page has one of its own. What
    answers a form, refuses or fails (`refresh=False`) is nothing to come back to: it is offered
    neither for refreshing nor for changing how it looks. No statement beyond those of `arrive`.
    """
    address = request.get_full_path() if refresh and request.method in {"GET", "HEAD"} else ""
    frame = replace(
        bare_frame_of(request, title=title, title_prefix=title_prefix),
        notice=notice or take_notice(request),
        back=back,
        keys=tuple(keys),
        refresh_url=address,
        preferences=_preferences(request, address) if address else None,
    )
    visit = visit_of(request)
    if visit.person is not None:
        frame = replace(
            frame,
            account=visit.person.name,
            sign_out_url=reverse("review:sign-out"),
            projects=tuple(
                ProjectChoice(name=project.name, is_current=project == visit.project)
                for project in visit.projects
            ),
            switch_url=reverse("review:project-list"),
            help=(
                Link(label=_("Help"), url=reverse("review:help")),
                Link(label=_("Keyboard shortcuts"), url=reverse("review:help-keys"), key="?"),
            ),
        )
    if actor is not None and visit.project is not None:
        frame = replace(
            frame,
            home_url=reverse("review:project-open", args=[visit.project.name]),
            project=visit.project.name,
            roles=role_words(actor.roles),
            navigation=_navigation(actor, visit.project.name, route_of(request)),
        )
    return frame


def _preferences(request: HttpRequest, address: str) -> Preferences:
    form = preferences_form(look_of(request), address)
    return Preferences(action=reverse("review:preferences-save"), form=form)


def bare_frame_of(request: HttpRequest, *, title: Label, title_prefix: Label = "") -> Frame:
    """A frame that asks neither session nor database, for pages about their absence."""
    look = look_of(request)
    return Frame(
        title=title,
        title_prefix=title_prefix,
        home_url=reverse("review:start"),
        request_id=context_of(request).request_id,
        theme=look.theme.value,
        density=look.density.value,
        are_keys_on=look.are_keys_on,
    )


def render(request: HttpRequest, screen: Screen, template: str, status: int = 200) -> HttpResponse:
    """Answer with a page. No key acts on a page that refuses or fails."""
    if status >= 400:
        screen = replace(screen, frame=replace(screen.frame, are_keys_on=False))
    response = HttpResponse(render_to_string(template, {"screen": screen}, request), status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


def redirect(url: str) -> HttpResponse:
    """Lead on by a GET, whatever the method was."""
    headers = {"Location": iri_to_uri(url), "Cache-Control": "no-store"}
    return HttpResponse(status=303, headers=headers)


def is_here(request: HttpRequest, url: str) -> bool:
    """Whether an address that came with a request is a path on this very host."""
    return url.startswith("/") and url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )


def bounded(count: int, most: int = COUNTED_REPORTS) -> str:
    """A count that was taken up to `most` + 1, in words: "128", "1,000+"."""
    return f"{most:,}+" if count > most else f"{count:,}"


def role_words(roles: frozenset[Role]) -> tuple[Label, ...]:
    """The roles in words, without those that another one includes."""
    if Role.OWNER in roles:
        return (_ROLE_WORDS[Role.OWNER],)
    told = roles - {Role.READER} if Role.REVIEWER in roles else roles
    return tuple(word for role, word in _ROLE_WORDS.items() if role in told)


def _navigation(actor: Actor, project: str, route: str) -> tuple[Link, ...]:
    return tuple(
        Link(
            label=label,
            url=reverse(routes[0], args=[project]),
            key=key,
            is_current=route.startswith(routes[1:]),
        )
        for label, key, routes, policy in PLACES
        if policy(actor).is_allowed
    )
