"""The one table of RCP's refusals: codes, constant messages, `data` (`protocols.md` 1.10).

Messages name a field or an option and the rule, never a value.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

from memory.constraints import sqlstate
from memory.errors import DomainError, FieldInvalid, IdempotencyInProgress, Kind
from memory.http.errors import RateLimited

_STATEMENT_TIMEOUT: Final = "57014"
_RETRY_MILLISECONDS: Final = 1_000


class Code(IntEnum):
    """The codes that are used; -32601, -32006 and others of RCP's range never are."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    NOT_INITIALIZED = -32001
    VERSION_MISMATCH = -32002
    CAPABILITY_MISSING = -32003
    UNKNOWN_METHOD = -32004
    OPTION_UNSUPPORTED = -32005
    UNAVAILABLE = -32010
    RATE_LIMITED = -32011
    UNAUTHORIZED = -32012
    PAYLOAD_TOO_LARGE = -32013
    TIMED_OUT = -32014
    CURSOR_EXPIRED = -32015
    CONFLICT = -32016


class RcpError(Exception):
    """A refusal as it is answered."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        data: dict[str, Any] | None = None,
        word: str | None = None,
    ) -> None:
        """`word` is what the audit log says; unless given, the name of the code."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.word = word or code.name.lower()

    @property
    def member(self) -> dict[str, Any]:
        """The value of `error` in an answer."""
        member: dict[str, Any] = {"code": int(self.code), "message": self.message}
        return member if self.data is None else {**member, "data": self.data}


def parse_error(message: str) -> RcpError:
    """Not acceptable JSON."""
    return RcpError(Code.PARSE_ERROR, message)


def invalid_request(message: str) -> RcpError:
    """JSON, and not a request."""
    return RcpError(Code.INVALID_REQUEST, message)


def invalid_params(field: str, rule: str, *, data_field: str | None = None) -> RcpError:
    """A param breaks its rule, which ends the sentence after its name.

    `data_field` is the field that programs are told, where it is less exact than the name.
    """
    data = {"field": data_field or field, "detail": f"{field} {rule}"}
    return RcpError(Code.INVALID_PARAMS, f'Param "{field}" {rule}', data=data)


def option_unsupported(option: str, field: str) -> RcpError:
    """An option or operator that is not advertised."""
    return RcpError(
        Code.OPTION_UNSUPPORTED,
        f'Option "{option}" is not supported as asked.',
        data={"option": option, "field": field},
    )


def too_large(field: str, rule: str) -> RcpError:
    """More than may be sent at once."""
    message = f'"{field}" {rule}'
    return RcpError(Code.PAYLOAD_TOO_LARGE, message, data={"field": field})


def not_initialized() -> RcpError:
    """Something else came before `initialize`."""
    return RcpError(Code.NOT_INITIALIZED, "The session is not initialized. Call initialize first.")


def capability_missing() -> RcpError:
    """A method of RCP that this server does not have."""
    return RcpError(Code.CAPABILITY_MISSING, "This server does not advertise that method.")


def unknown_method() -> RcpError:
    """A method that RCP does not have."""
    return RcpError(Code.UNKNOWN_METHOD, "RCP has no such method.")


def cursor_expired() -> RcpError:
    """Too old a cursor."""
    return RcpError(
        Code.CURSOR_EXPIRED,
        "The cursor is older than an hour. Begin with the first page.",
        data={"field": "cursor"},
    )


def timed_out() -> RcpError:
    """The time of one request is over."""
    return RcpError(
        Code.TIMED_OUT,
        "The time of one request is over. Repeat the call.",
        data={"retryable": True},
    )


def internal() -> RcpError:
    """A fault of ours. Says nothing about it."""
    return RcpError(Code.INTERNAL, "The server failed. Repeat the call once.")


_OF_KINDS: Final = {
    Kind.INVALID: Code.INVALID_REQUEST,
    Kind.UNAUTHENTICATED: Code.UNAUTHORIZED,
    Kind.DENIED: Code.UNAUTHORIZED,
    Kind.NOT_FOUND: Code.CURSOR_EXPIRED,
    Kind.CONFLICT: Code.CONFLICT,
    Kind.TOO_LARGE: Code.PAYLOAD_TOO_LARGE,
    Kind.THROTTLED: Code.RATE_LIMITED,
    Kind.UNAVAILABLE: Code.UNAVAILABLE,
}


def rcp_error_of(error: DomainError) -> RcpError:
    """The answer to a refusal of the domain."""
    if isinstance(error, FieldInvalid):
        return invalid_params(error.field, error.rule)
    if _is_statement_timeout(error):
        return timed_out()
    code = _OF_KINDS[error.kind]
    data: dict[str, Any] | None = None
    if isinstance(error, RateLimited):
        data = _later(error.retry_after * 1_000)
    elif error.kind is Kind.UNAVAILABLE or isinstance(error, IdempotencyInProgress):
        # The first call with a key may still succeed: the same call can come again.
        code, data = Code.UNAVAILABLE, _later(_RETRY_MILLISECONDS)
    elif error.kind is Kind.TOO_LARGE:
        data = {"field": "body"}
    return RcpError(code, error.message, data=data, word=error.code)


def _later(milliseconds: int) -> dict[str, Any]:
    return {"retryable": True, "retryAfterMs": milliseconds}


def _is_statement_timeout(error: DomainError) -> bool:
    return error.__cause__ is not None and sqlstate(error.__cause__) == _STATEMENT_TIMEOUT
