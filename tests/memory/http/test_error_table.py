"""Every error has one answer in each dialect; foreign exceptions become ours first."""

from __future__ import annotations

import pytest
from django.core.exceptions import (
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    ValidationError,
)
from django.db import DataError, IntegrityError, InterfaceError, InternalError, OperationalError
from django.db import Error as DatabaseError
from django.http import Http404, UnreadablePostError
from psycopg import errors as postgres
from psycopg_pool import PoolTimeout
from rest_framework import exceptions as drf

from memory import errors
from memory.errors import DomainError, Kind
from memory.http.error_table import (
    LOOP_CODES,
    STATUSES,
    Dialect,
    Refusal,
    dialect_of_path,
    domain_error_of,
    domain_error_of_status,
    internal,
    method_not_allowed,
    refusal_of,
)
from memory.http.errors import InvalidBody, PayloadTooLarge, RateLimited, UnknownRoute

ROWS = [
    (InvalidBody("Why."), 400, "invalid_body", "VALIDATION_ERROR", {}),
    (errors.FieldInvalid("x", "is bad."), 400, "invalid_feedback", "VALIDATION_ERROR", {}),
    (
        errors.Unauthenticated(),
        401,
        "unauthenticated",
        "UNAUTHENTICATED",
        {"WWW-Authenticate": "Bearer"},
    ),
    (errors.Denied(), 403, "forbidden", "FORBIDDEN", {}),
    (errors.NotFound(), 404, "not_found", "NOT_FOUND", {}),
    (UnknownRoute(), 404, "unknown_route", "NOT_FOUND", {}),
    (errors.RecordConflict(), 409, "record_conflict", "CONFLICT", {}),
    (errors.IdempotencyConflict(), 409, "idempotency_conflict", "CONFLICT", {}),
    (
        errors.IdempotencyInProgress(),
        409,
        "idempotency_in_progress",
        "CONFLICT",
        {"Retry-After": "1"},
    ),
    (PayloadTooLarge(), 413, "payload_too_large", "PAYLOAD_TOO_LARGE", {}),
    (RateLimited(7), 429, "rate_limited", "RATE_LIMITED", {"Retry-After": "7"}),
    (errors.Unavailable(), 503, "unavailable", "UNAVAILABLE", {"Retry-After": "1"}),
]


@pytest.mark.parametrize(
    ("error", "status", "lower", "upper", "headers"), ROWS, ids=[row[2] for row in ROWS]
)
def test_each_refusal_has_its_row(
    error: DomainError, status: int, lower: str, upper: str, headers: dict[str, str]
) -> None:
    records = refusal_of(error, Dialect.RECORDS, "invalid_feedback")
    loop = refusal_of(error, Dialect.LOOP, "invalid_feedback")

    assert records == Refusal(status, lower, error.message, headers)
    assert loop == Refusal(status, upper, error.message, headers)


def test_every_kind_has_a_status_and_an_upper_case_code() -> None:
    assert set(STATUSES) == set(LOOP_CODES) == set(Kind)


def test_the_body_is_the_same_for_all() -> None:
    assert Refusal(404, "not_found", "Resource was not found.").body("req_1") == {
        "error": {"code": "not_found", "message": "Resource was not found."},
        "meta": {"request_id": "req_1"},
    }


def test_what_is_no_refusal_of_the_domain_is_spelled_by_dialect() -> None:
    assert method_not_allowed(Dialect.RECORDS, "POST") == Refusal(
        405,
        "method_not_allowed",
        "This route does not have that method. See the header Allow.",
        {"Allow": "POST"},
    )
    assert method_not_allowed(Dialect.LOOP, "POST").code == "METHOD_NOT_ALLOWED"
    assert internal(Dialect.RECORDS).code == "internal"
    assert internal(Dialect.LOOP).code == "INTERNAL"


def _database_error(cause: Exception, kind: type[DatabaseError]) -> DatabaseError:
    error = kind("text of the database")
    error.__cause__ = cause
    return error


CONVERTED: list[tuple[Exception, type[DomainError]]] = [
    (errors.RecordConflict(), errors.RecordConflict),
    (RequestDataTooBig("x"), PayloadTooLarge),
    (Http404("x"), errors.NotFound),
    (PermissionDenied("x"), errors.Denied),
    (ValidationError("x"), InvalidBody),
    (SuspiciousOperation("x"), InvalidBody),
    (DisallowedHost("x"), InvalidBody),
    (TooManyFieldsSent("x"), InvalidBody),
    (UnreadablePostError("x"), InvalidBody),
    (drf.ValidationError("x"), InvalidBody),
    (drf.ParseError("x"), InvalidBody),
    (drf.NotAuthenticated("x"), errors.Unauthenticated),
    (drf.PermissionDenied("x"), errors.Denied),
    (drf.NotFound("x"), errors.NotFound),
    (drf.Throttled(5), RateLimited),
    (OperationalError("server closed the connection"), errors.Unavailable),
    (InterfaceError("connection already closed"), errors.Unavailable),
    (_database_error(PoolTimeout("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.LockNotAvailable("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.QueryCanceled("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.DeadlockDetected("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.AdminShutdown("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.DiskFull("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.TooManyConnections("x"), OperationalError), errors.Unavailable),
    (_database_error(postgres.ReadOnlySqlTransaction("x"), InternalError), errors.Unavailable),
]


@pytest.mark.parametrize(
    ("error", "kind"),
    CONVERTED,
    ids=[f"{n}-{type(e).__name__}" for n, (e, _) in enumerate(CONVERTED)],
)
def test_foreign_exceptions_become_refusals(error: Exception, kind: type[DomainError]) -> None:
    assert type(domain_error_of(error)) is kind


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        RecursionError("x"),
        drf.APIException("x"),
        drf.UnsupportedMediaType("x"),
        _database_error(postgres.UniqueViolation("x"), IntegrityError),
        _database_error(postgres.UntranslatableCharacter("x"), DataError),
        _database_error(postgres.InFailedSqlTransaction("x"), InternalError),
    ],
    ids=lambda error: type(error).__name__,
)
def test_anything_else_is_a_fault_of_ours(error: Exception) -> None:
    assert domain_error_of(error) is None


def test_no_text_of_an_exception_reaches_the_answer() -> None:
    for error, _ in CONVERTED:
        refusal = domain_error_of(error)
        assert refusal is not None
        assert refusal.message != "x"
        assert "text of the database" not in refusal.message


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, InvalidBody), (404, errors.NotFound), (413, PayloadTooLarge), (503, errors.Unavailable)],
)
def test_a_foreign_status_becomes_a_refusal(status: int, kind: type[DomainError]) -> None:
    assert isinstance(domain_error_of_status(status), kind)
    assert domain_error_of_status(500) is None


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/context/x", Dialect.LOOP),
        ("/v1/context", Dialect.LOOP),
        ("/v1/consolidations", Dialect.LOOP),
        ("/v1/claims/claim_x/evidence", Dialect.LOOP),
        ("/v1/contexts", Dialect.RECORDS),
        ("/v1/contexts/x", Dialect.RECORDS),
        ("/v1/observations", Dialect.RECORDS),
        ("/v1/records/context/", Dialect.RECORDS),
        ("/v1", Dialect.RECORDS),
    ],
)
def test_a_path_that_is_no_route_is_refused_in_the_dialect_of_its_family(
    path: str, dialect: Dialect
) -> None:
    assert dialect_of_path(path) is dialect
