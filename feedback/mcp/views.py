"""The door of `POST /mcp`: what is refused here has the REST body, and the SDK never sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog
from django.conf import settings
from django.db import connection

from feedback.mcp.callers import KnownCaller, take_call
from feedback.mcp.frames import Frame, frame_of
from memory.errors import DomainError
from memory.http import strict_json
from memory.http.answers import json_bytes_answer, refusal_answer
from memory.http.authentication import authenticate
from memory.http.context import context_of, route_of
from memory.http.error_table import (
    Dialect,
    domain_error_of,
    internal,
    method_not_allowed,
    refusal_of,
)
from memory.http.errors import ForeignOrigin
from memory.vocabulary import Edge

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor

#: Headers of the protocol; the session of a client that believes in one is nobody's.
_PREFIX: Final = "mcp-"
_SESSION: Final = "mcp-session-id"
_log: Final = structlog.get_logger("errata")


def endpoint(request: HttpRequest) -> HttpResponse:
    """Answer one frame."""
    request_id = context_of(request).request_id
    if request.method != "POST":
        return refusal_answer(method_not_allowed(Dialect.RECORDS, "POST"), request_id)
    try:
        return _answered(request)
    except Exception as error:  # noqa: BLE001 - the table has an answer to every fault
        refused = domain_error_of(error)
        if refused is None:
            _log.error("unexpected_error", route=route_of(request), exc_info=error)
            return refusal_answer(internal(Dialect.RECORDS), request_id)
        return refusal_answer(refusal_of(refused, Dialect.RECORDS, refused.code), request_id)


def _answered(request: HttpRequest) -> HttpResponse:
    _refuse_foreign_origin(request)
    actor = authenticate(request, Edge.MCP)
    raw = _counted_body(request, actor)
    connection.close()  # the call takes one of its own, and the pool may hold no more
    from feedback.mcp.exchange import exchange  # noqa: PLC0415 - the SDK costs 40 MB and a second

    headers = {
        name.lower(): value
        for name, value in request.headers.items()
        if name.lower().startswith(_PREFIX) and name.lower() != _SESSION
    }
    exchanged = exchange(KnownCaller(actor), headers, raw)
    return json_bytes_answer(exchanged.content, actor.request_id, status=exchanged.status)


def _refuse_foreign_origin(request: HttpRequest) -> None:
    """A page of another site must not drive an agent's server (DNS rebinding included)."""
    origin = request.headers.get("Origin")
    own = f"{request.scheme}://{request.get_host()}"
    if origin is not None and origin != own and origin not in settings.CSRF_TRUSTED_ORIGINS:
        raise ForeignOrigin


def _counted_body(request: HttpRequest, actor: Actor) -> bytes:
    """The bytes of one frame, counted as a call of the tool that it names."""
    try:
        strict_json.refuse_headers(request)
        raw = strict_json.read_body(request)
        frame: Frame = frame_of(raw)
    except DomainError:
        take_call(actor, None)
        raise
    take_call(actor, frame.tool)
    return raw
