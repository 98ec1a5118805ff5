"""What an edge knows of a request before anything else: its id, and whose credential it brought."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.http import HttpRequest

from memory.actor import new_request_id

if TYPE_CHECKING:
    from django.urls import ResolverMatch

UNKNOWN_ROUTE = "unknown"


class EdgeRequest(HttpRequest):
    """A request as `RequestContextMiddleware` passes it on."""

    request_id: str
    credential_public_id: str


def begin(request: HttpRequest) -> EdgeRequest:
    """Give a request its id. Whatever id the client sent is ignored: it would reach the log."""
    begun = cast("EdgeRequest", request)
    begun.request_id = new_request_id()
    begun.credential_public_id = ""
    return begun


def context_of(request: HttpRequest) -> EdgeRequest:
    """The same request, with its id."""
    if not hasattr(request, "request_id"):  # called without the middleware
        return begin(request)
    return cast("EdgeRequest", request)


def route_of(request: HttpRequest) -> str:
    """The name of the route, never the path."""
    match: ResolverMatch | None = request.resolver_match
    return match.view_name if match is not None else UNKNOWN_ROUTE
