"""RCP over HTTP: `/rcp` without state, `/rcp/s/<name>` with a session (`protocols.md` 1.3).

Checked in the order of `contract.md` 0.5: route and method, credential, rate, access, size and
headers, body; then the order of a call. Inside a batch each call is admitted by itself.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from django.http import HttpResponse

from feedback.rcp import frames
from feedback.rcp.callers import Caller
from feedback.rcp.errors import Code, RcpError, invalid_request
from feedback.rcp.frames import Answer, Answers
from feedback.rcp.methods import admit, operation_of, perform
from feedback.rcp.refusals import refuse
from feedback.rcp.sessions import NamedSession, Stateless
from memory.errors import DomainError
from memory.http import strict_json
from memory.http.answers import json_answer, refusal_answer
from memory.http.authentication import authenticate
from memory.http.context import context_of
from memory.http.error_table import Dialect, method_not_allowed
from memory.vocabulary import Edge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

#: Statuses of what is refused before a call is known; of the caller first.
_CALLER_STATUSES: Final = {
    Code.UNAUTHORIZED: 401,
    Code.RATE_LIMITED: 429,
    Code.UNAVAILABLE: 503,
}
_DOOR_STATUSES: Final = {
    **_CALLER_STATUSES,
    Code.UNAUTHORIZED: 403,
    Code.PAYLOAD_TOO_LARGE: 413,
    Code.PARSE_ERROR: 400,
    Code.INVALID_REQUEST: 400,
}
#: Statuses of a single call; every other answer is a 200.
_CALL_STATUSES: Final = {Code.RATE_LIMITED: 429, Code.UNAVAILABLE: 503}
_OK: Final = 200


def answer(request: HttpRequest, name: str = "", method: str = "") -> HttpResponse:
    """Answer one POST: `name` is the session's, `method` what the path says."""
    request_id = context_of(request).request_id
    if request.method != "POST":
        return refusal_answer(method_not_allowed(Dialect.RECORDS, "POST"), request_id)
    try:
        actor = authenticate(request, Edge.RCP)
    except Exception as error:  # noqa: BLE001 - every fault has an answer
        refusal = refuse(error, None, None)
        found = _id_in_body(request) if refusal.code is Code.UNAUTHORIZED else None
        return _sent(Answer(found, error=refusal), request_id, _CALLER_STATUSES)
    try:
        admit(actor, method)
        strict_json.refuse_headers(request)
        value = frames.parse(strict_json.read_body(request))
    except Exception as error:  # noqa: BLE001 - the same
        refusal = refuse(error, actor, operation_of(method))
        return _sent(Answer(None, error=refusal), request_id, _DOOR_STATUSES)
    caller = Caller(actor, NamedSession(name) if name else Stateless())
    if isinstance(value, list):
        answered = frames.answer_batch(value, partial(perform, caller=caller))
        return _sent(answered, request_id, {})
    return _sent(_answer_one(value, caller, method), request_id, _CALL_STATUSES)


def _answer_one(value: Any, caller: Caller, method: str) -> Answer | None:
    """Answer the one call of a path, which was admitted at the door."""
    try:
        call = frames.call_of(value)
        if call.id is None:
            return None
        if call.method != method:
            raise invalid_request('The path must end in the value of "method".')
    except RcpError as error:
        refusal = refuse(error, caller.actor, operation_of(method))
        return Answer(frames.id_of(value), error=refusal)
    return perform(call, caller, is_admitted=True)


def _id_in_body(request: HttpRequest) -> frames.RequestId | None:
    """The id that a refused caller sent: all that is read of the body."""
    try:
        strict_json.refuse_headers(request)
        return frames.id_of(frames.parse(strict_json.read_body(request)))
    except (DomainError, RcpError):
        return None


def _sent(
    answered: Answer | Answers | None, request_id: str, statuses: Mapping[Code, int]
) -> HttpResponse:
    if answered is None:
        nothing = HttpResponse(status=204)
        del nothing.headers["Content-Type"]
        nothing.headers["Cache-Control"] = "no-store"
        return nothing
    error = answered.error if isinstance(answered, Answer) else None
    if error is None:
        return json_answer(answered.frame, request_id)
    status = statuses.get(error.code, _OK)
    return json_answer(answered.frame, request_id, status=status, headers=_headers(error, status))


def _headers(error: RcpError, status: int) -> dict[str, str]:
    if status == _CALLER_STATUSES[Code.UNAUTHORIZED]:
        return {"WWW-Authenticate": "Bearer"}
    milliseconds = (error.data or {}).get("retryAfterMs")
    if status == _OK or milliseconds is None:
        return {}
    return {"Retry-After": str(ceil(milliseconds / 1_000))}
