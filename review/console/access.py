"""The way into every view: who, in which project, by which role, with which method; then faults.

A view below a project is written as `view(request, actor, **ids)` under one of

    @project_view(policies.can_see_queue, Operation.FEEDBACK_LIST)
    @project_form(policies.can_promote, Operation.FEEDBACK_PROMOTE, page="review:report-get")
    @project_page(policies.can_report, reads=..., writes=..., page="review:record-report")

and gets an actor that may do that. It may raise: a refusal becomes its page and, unless whoever
raised it has written one, a refused entry; anything else is the page of a fault.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

import structlog
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory import audit
from memory.actor import Actor
from memory.errors import DomainError, Kind
from memory.http.context import route_of
from memory.http.error_table import domain_error_of
from memory.transactions import code_of
from review.console import pages
from review.console.visit import arrive, enter, visit_of
from review.screens import Link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.vocabulary import Operation
    from review.policies import Answer

View: TypeAlias = Callable[..., HttpResponse]

_READS: Final = ("GET", "HEAD")
_FORMS: Final = ("POST",)
_log: Final = structlog.get_logger("errata")


class FormView(Protocol):
    """A view that takes a form only. `page` is the route on which the form stands."""

    page: str

    def __call__(self, request: HttpRequest, **ids: Any) -> HttpResponse:
        """Answer a request."""


def project_view(policy: Callable[[Actor], Answer], operation: Operation) -> Callable[[View], View]:
    """Make a function the view of a screen below a project. `operation` names refusals."""
    return _guarded(policy, operation, _READS, page="")


def project_form(
    policy: Callable[[Actor], Answer], operation: Operation, *, page: str
) -> Callable[[View], View]:
    """Make a function the view of a form below a project.

    `page` is the route of the page with the form; it takes the same ids. Who is signed out or
    comes by GET is led there.
    """
    return _guarded(policy, operation, _FORMS, page=page)


def project_page(
    policy: Callable[[Actor], Answer], *, reads: Operation, writes: Operation, page: str
) -> Callable[[View], View]:
    """Make a function the view of a page below a project and of the form on it, at one address.

    A refused look is audited as `reads`, a refused form as `writes`. `page` is the route itself.
    """
    return _guarded(policy, reads, (*_READS, *_FORMS), page=page, writes=writes)


def member_view(
    view: Callable[[HttpRequest, Actor], HttpResponse],
) -> View:
    """A screen below a project that shows nothing of it, for anybody with a role there."""

    @functools.wraps(view)
    def call(request: HttpRequest, *, project: str) -> HttpResponse:
        actor = enter(request, project)
        if actor is None:
            return _outside(request, page="", ids={"project": project})
        if request.method not in _READS:
            return pages.wrong_method_page(request, actor, _READS, None)
        return view(request, actor)

    return call


def person_view(
    view: Callable[[HttpRequest], HttpResponse],
) -> View:
    """A screen for anybody who is signed in."""

    @functools.wraps(view)
    def call(request: HttpRequest) -> HttpResponse:
        if arrive(request).person is None:
            return _outside(request, page="", ids={})
        if request.method not in _READS:
            return pages.wrong_method_page(request, None, _READS, None)
        return view(request)

    return call


def page_of(request: HttpRequest) -> Link | None:
    """Where the form of this address stands, as a link; None where the address takes no form."""
    match = request.resolver_match
    page = getattr(match.func, "page", "") if match else ""
    if not match or not page:
        return None
    return Link(label=_("Open the page"), url=reverse(page, kwargs=match.kwargs))


def refuse(actor: Actor, operation: Operation, error: DomainError) -> None:
    """Write the refused entry of a refusal, unless it has one or the database is busy.

    For views that answer a refusal themselves. Raises Unavailable when it cannot be written.
    """
    if not error.is_audited and error.kind is not Kind.UNAVAILABLE:
        audit.refused(actor, operation, code_of(error, operation))
        error.is_audited = True


def _guarded(
    policy: Callable[[Actor], Answer],
    operation: Operation,
    methods: Sequence[str],
    *,
    page: str,
    writes: Operation | None = None,
) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @functools.wraps(view)
        def call(request: HttpRequest, *, project: str, **ids: Any) -> HttpResponse:
            actor = enter(request, project)
            if actor is None:
                return _outside(request, page=page, ids={"project": project, **ids})
            try:
                policy(actor).require()
                if request.method not in methods:
                    return pages.wrong_method_page(request, actor, methods, page_of(request))
                visit_of(request).has_begun = True
                return view(request, actor, **ids)
            except Exception as error:  # noqa: BLE001 - there is a page for every fault
                named = writes if writes and request.method in _FORMS else operation
                return _failed(request, actor, named, error)

        guarded = cast("FormView", call)
        guarded.page = page
        return guarded

    return decorate


def _outside(request: HttpRequest, *, page: str, ids: dict[str, Any]) -> HttpResponse:
    """Whoever is signed out signs in first; to anybody else the project does not exist."""
    if visit_of(request).person is not None:
        return pages.not_found_page(request)
    if pages.is_reading(request):
        return pages.sign_in_page(request.get_full_path())
    following = reverse(page, kwargs=ids) if page else reverse("review:start")
    return pages.sign_in_page(following, is_lost=True)


def _failed(
    request: HttpRequest, actor: Actor, operation: Operation, error: Exception
) -> HttpResponse:
    refused = domain_error_of(error)
    try:
        if refused is None:
            _log.error("unexpected_error", route=route_of(request), exc_info=error)
            audit.refused(actor, operation, "internal")
        else:
            refuse(actor, operation, refused)
    except DomainError as unaudited:
        refused = unaudited if refused is not None else None
    if refused is None:
        return pages.fault_page(request)
    return pages.refusal_page(request, actor, refused)
