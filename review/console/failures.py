"""Pages for what Django refuses or what fails before or behind the views."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from django.contrib.sessions.exceptions import SessionInterrupted
from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.urls import reverse

from memory.errors import Kind
from memory.http.error_table import domain_error_of
from review.console import pages
from review.console.access import page_of
from review.console.visit import arrive, enter, visit_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: How Django's reasons begin when the form came from another site.
_FOREIGN: Final = ("Origin", "Referer")
_SIGN_IN: Final = "review:sign-in"
_SIGN_OUT: Final = "review:sign-out"


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No such address: the same page as for a thing that does not exist."""
    del exception
    arrive(request)
    return pages.not_found_page(request)


def denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What only Django itself refuses."""
    del exception
    return pages.denied_bare_page(request)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A body over the limit, a host that is not ours, a session that ended meanwhile."""
    if isinstance(exception, RequestDataTooBig):
        return pages.too_large_page(request)
    if isinstance(exception, SessionInterrupted):
        return _interrupted(request, exception)
    return pages.bad_request_page(request)


def fault(request: HttpRequest) -> HttpResponse:
    """A fault of ours, or a database that was busy before anything could be written."""
    error = sys.exc_info()[1]
    if isinstance(error, Exception) and _is_busy(error):
        return _busy(request)
    return pages.fault_page(request)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """E13, or E12 where the token is gone because the sign-in is."""
    match = request.resolver_match
    ids: dict[str, Any] = match.kwargs if match else {}
    actor = enter(request, ids.get("project", ""))
    route = match.view_name if match else ""
    page = page_of(request)
    if visit_of(request).person is None and not reason.startswith(_FOREIGN):
        if route == _SIGN_OUT:
            return pages.sign_in_page("")
        if page is not None:
            return pages.sign_in_page(page.url, is_lost=True)
    link = pages.start_link(reverse(_SIGN_IN)) if route == _SIGN_IN else page or pages.start_link()
    return pages.form_invalid_page(request, actor, link)


def _way_back(request: HttpRequest) -> str:
    if pages.is_reading(request):
        return request.get_full_path()
    page = page_of(request)
    return page.url if page else ""


def _interrupted(request: HttpRequest, exception: SessionInterrupted) -> HttpResponse:
    """The session could not be saved: it is gone, or (Django says the same) the database is busy.

    It is gone when somebody signed out in another window while this request ran. Its form may
    have been taken by then, so nothing is said of that.
    """
    cause: BaseException | None = exception
    while cause is not None:
        if isinstance(cause, DatabaseError) and _is_busy(cause):
            return _busy(request)
        cause = cause.__context__
    return pages.sign_in_page(_way_back(request))


def _is_busy(error: Exception) -> bool:
    refused = domain_error_of(error)
    return refused is not None and refused.kind is Kind.UNAVAILABLE


def _busy(request: HttpRequest) -> HttpResponse:
    """Busy, unless a view that may have written was called before: then nobody knows."""
    if pages.is_reading(request) or not visit_of(request).has_begun:
        return pages.busy_page(request)
    return pages.fault_page(request)
