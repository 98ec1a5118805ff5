"""Around every request: its id, its one log line; and the short way to the wire's own views."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

import structlog
from django.core.exceptions import DisallowedHost
from django.urls import Resolver404, resolve

from memory.http.answers import CONTENT_TYPE, refusal_answer
from memory.http.context import UNKNOWN_ROUTE, begin, context_of, route_of
from memory.http.error_table import (
    dialect_of_path,
    domain_error_of_status,
    internal,
    refusal_of,
)
from memory.http.errors import ForeignHost, InvalidBody, UnknownRoute
from memory.http.peers import settle_client

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

    from memory.errors import DomainError

_METHODS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
)
_log: Final = structlog.get_logger("errata")
_access_log: Final = structlog.get_logger("errata.access")


#: Where every answer is JSON, and how a foreign Host header is refused there.
_WIRES: Final[dict[str, Callable[[], DomainError]]] = {
    "/v1": lambda: InvalidBody("The Host header is not allowed."),
    "/rcp": lambda: InvalidBody("The Host header is not allowed."),
    "/mcp": ForeignHost,
}


def is_on_the_wire(request: HttpRequest) -> bool:
    """Whether the request is for agents, to whom every answer is JSON."""
    return _wire_of(request) in _WIRES


def _wire_of(request: HttpRequest) -> str:
    """The first part of the path."""
    return "/" + request.path_info[1:].partition("/")[0]


class RequestContextMiddleware:
    """Gives each request an id and writes its one log line: a route name, never a path.

    Stands first. An error page that another middleware made for the wire becomes the JSON body.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request and log it."""
        began = perf_counter()
        settle_client(request)
        context = begin(request)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=context.request_id)
        response = self.get_response(request)
        if response.status_code >= 400 and is_on_the_wire(request):
            response = _in_json(request, response)
        response.headers.setdefault("X-Request-Id", context.request_id)
        _access_log.info(
            "request",
            route=route_of(request),
            method=request.method if request.method in _METHODS else UNKNOWN_ROUTE,
            status=response.status_code,
            duration_ms=round((perf_counter() - began) * 1000, 2),
            credential=context.credential_public_id,
        )
        structlog.contextvars.clear_contextvars()
        # Else Django writes a second line for an error, with the path in it.
        response._has_been_logged = True  # type: ignore[attr-defined]
        return response


class WireMiddleware:
    """Answers the wire itself: sessions, forms and the headers of pages are no part of it.

    Stands right behind the security middleware, so no cookie is ever looked at.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Call the view of a route, or refuse."""
        if not is_on_the_wire(request):
            return self.get_response(request)
        try:
            request.get_host()
            match = resolve(request.path_info)
        except DisallowedHost:
            return _refused(request, _WIRES[_wire_of(request)]())
        except Resolver404:
            return _refused(request, UnknownRoute())
        request.resolver_match = match
        try:
            response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        except Exception as error:  # noqa: BLE001 - Django's error pages are no part of the wire
            _log.error("unexpected_error", route=route_of(request), exc_info=error)
            refusal = internal(dialect_of_path(request.path_info))
            return refusal_answer(refusal, context_of(request).request_id)
        return response


def _refused(request: HttpRequest, error: DomainError) -> HttpResponse:
    refusal = refusal_of(error, dialect_of_path(request.path_info), error.code)
    return refusal_answer(refusal, context_of(request).request_id)


def _in_json(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer itself if it is ours, else the JSON body for its status."""
    if response.headers.get("Content-Type") == CONTENT_TYPE:
        return response
    error = domain_error_of_status(response.status_code)
    if error is not None:
        return _refused(request, error)
    refusal = internal(dialect_of_path(request.path_info))
    return refusal_answer(refusal, context_of(request).request_id)
