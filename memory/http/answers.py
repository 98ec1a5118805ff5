"""JSON answers with the headers that every answer of the wire has (`contract.md` 0.1)."""

from __future__ import annotations

from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final

from django.http import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.http.error_table import Refusal

CONTENT_TYPE: Final = "application/json; charset=utf-8"

_encode: Final = JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
).encode


def json_text(value: Any) -> str:
    """A value as it is sent: compact JSON in one line."""
    return _encode(value)


def json_size(value: Any) -> int:
    """How many bytes a value has as it is sent: compact JSON in UTF-8."""
    return len(_encode(value).encode())


def json_answer(
    body: Any, request_id: str, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """An answer with a JSON body."""
    return json_bytes_answer(_encode(body).encode(), request_id, status=status, headers=headers)


def json_bytes_answer(
    content: bytes, request_id: str, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """An answer whose body is JSON already, or empty."""
    answer = HttpResponse(content, content_type=CONTENT_TYPE, status=status)
    answer.headers["Content-Length"] = str(len(content))
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["X-Request-Id"] = request_id
    for name, value in (headers or {}).items():
        answer.headers[name] = value
    return answer


def refusal_answer(refusal: Refusal, request_id: str) -> HttpResponse:
    """The answer of an error."""
    return json_answer(
        refusal.body(request_id), request_id, status=refusal.status, headers=refusal.headers
    )
