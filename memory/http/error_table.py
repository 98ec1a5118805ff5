"""The one table from error to answer: statuses, both families of codes, and the headers.

Rules: `contract.md` 0.4 and 7. Exceptions of Django, DRF and the database become refusals first;
what is left is a fault of ours, answered without a detail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError,
)
from django.db import Error as DatabaseError
from django.http import Http404, UnreadablePostError
from rest_framework.exceptions import APIException

from memory import constraints
from memory.errors import (
    Denied,
    DomainError,
    FieldInvalid,
    IdempotencyInProgress,
    Kind,
    NotFound,
    Unauthenticated,
    Unavailable,
)
from memory.http.errors import InvalidBody, PayloadTooLarge, RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable


class Dialect(StrEnum):
    """The family of codes and success bodies of a route (`contract.md` 0.4)."""

    RECORDS = "records"
    LOOP = "loop"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error as it is answered."""

    status: int
    code: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)

    def body(self, request_id: str) -> dict[str, Any]:
        """The one body of every error."""
        return {
            "error": {"code": self.code, "message": self.message},
            "meta": {"request_id": request_id},
        }


STATUSES: Final[dict[Kind, int]] = {
    Kind.INVALID: 400,
    Kind.UNAUTHENTICATED: 401,
    Kind.DENIED: 403,
    Kind.NOT_FOUND: 404,
    Kind.CONFLICT: 409,
    Kind.TOO_LARGE: 413,
    Kind.THROTTLED: 429,
    Kind.UNAVAILABLE: 503,
}

#: Upper-case codes do not tell apart what lower-case ones do.
LOOP_CODES: Final[dict[Kind, str]] = {
    Kind.INVALID: "VALIDATION_ERROR",
    Kind.UNAUTHENTICATED: "UNAUTHENTICATED",
    Kind.DENIED: "FORBIDDEN",
    Kind.NOT_FOUND: "NOT_FOUND",
    Kind.CONFLICT: "CONFLICT",
    Kind.TOO_LARGE: "PAYLOAD_TOO_LARGE",
    Kind.THROTTLED: "RATE_LIMITED",
    Kind.UNAVAILABLE: "UNAVAILABLE",
}

_RETRY_SECONDS: Final = 1
_LOOP_PATH: Final = re.compile(r"/v1/(?:context|consolidations|claims)(?:/|\Z)")

#: Exceptions of the frameworks, the most special first.
_CONVERSIONS: Final[tuple[tuple[type[Exception], Callable[[], DomainError]], ...]] = (
    (RequestDataTooBig, PayloadTooLarge),
    (Http404, NotFound),
    (PermissionDenied, Denied),
    (ValidationError, lambda: InvalidBody("A field breaks its rule.")),
    (SuspiciousOperation, lambda: InvalidBody("The request is malformed.")),
    (UnreadablePostError, lambda: InvalidBody("The body ended early.")),
)
_CONVERTED_STATUSES: Final[dict[int, Callable[[], DomainError]]] = {
    400: lambda: InvalidBody("The request is malformed."),
    401: Unauthenticated,
    403: Denied,
    404: NotFound,
    413: PayloadTooLarge,
    429: lambda: RateLimited(_RETRY_SECONDS),
    503: Unavailable,
}


def dialect_of_path(path: str) -> Dialect:
    """The dialect in which a path that is no route is refused."""
    return Dialect.LOOP if _LOOP_PATH.match(path) else Dialect.RECORDS


def domain_error_of(error: Exception) -> DomainError | None:
    """The refusal that an exception stands for; None for a fault of ours."""
    if isinstance(error, DomainError):
        return error
    if isinstance(error, DatabaseError):
        return constraints.refusal_of(error)
    if isinstance(error, APIException):
        return domain_error_of_status(error.status_code)
    for kind, convert in _CONVERSIONS:
        if isinstance(error, kind):
            return convert()
    return None


def domain_error_of_status(status: int) -> DomainError | None:
    """The refusal that the status of a framework's own answer stands for."""
    convert = _CONVERTED_STATUSES.get(status)
    return convert() if convert else None


def refusal_of(error: DomainError, dialect: Dialect, invalid_code: str) -> Refusal:
    """The answer to a refusal. `invalid_code` is the route's code for a faulty field."""
    code = LOOP_CODES[error.kind]
    if dialect is Dialect.RECORDS:
        code = invalid_code if isinstance(error, FieldInvalid) else error.code
    return Refusal(STATUSES[error.kind], code, error.message, _headers_of(error))


def method_not_allowed(dialect: Dialect, allow: str) -> Refusal:
    """The answer to a method that the route does not have."""
    code = "method_not_allowed"
    message = "This route does not have that method. See the header Allow."
    return Refusal(405, _spelled(code, dialect), message, {"Allow": allow})


def internal(dialect: Dialect) -> Refusal:
    """The answer to a fault of ours. Says nothing about it."""
    return Refusal(500, _spelled("internal", dialect), "The server failed. Repeat the call later.")


def _spelled(code: str, dialect: Dialect) -> str:
    return code.upper() if dialect is Dialect.LOOP else code


def _headers_of(error: DomainError) -> dict[str, str]:
    if isinstance(error, RateLimited):
        return {"Retry-After": str(error.retry_after)}
    if error.kind is Kind.UNAVAILABLE or isinstance(error, IdempotencyInProgress):
        return {"Retry-After": str(_RETRY_SECONDS)}
    if error.kind is Kind.UNAUTHENTICATED:
        return {"WWW-Authenticate": "Bearer"}
    return {}
