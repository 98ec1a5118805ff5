"""Refusals of the domain: what went wrong and what to do next, without a word of HTTP."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class Kind(StrEnum):
    """Families of refusals; `memory/http/error_table.py` turns each into an answer."""

    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    DENIED = "denied"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    THROTTLED = "throttled"
    UNAVAILABLE = "unavailable"


class DomainError(Exception):
    """A refusal. Messages are constant sentences that may name a field, never a value."""

    kind: ClassVar[Kind]
    code: str
    message: str

    def __init__(self) -> None:
        super().__init__(self.message)
        #: Set by whoever wrote the refused audit entry, so that nobody writes it twice.
        self.is_audited = False


class FieldInvalid(DomainError):
    """A field breaks its rule. The code is the operation's own (`vocabulary.INVALID_CODES`)."""

    kind = Kind.INVALID
    code = "invalid"

    def __init__(self, field: str, rule: str) -> None:
        """`field` is a path such as `records[2].object`, `rule` ends the sentence after it."""
        self.field = field
        self.rule = rule
        self.message = f'Field "{field}" {rule}'
        super().__init__()


class Unauthenticated(DomainError):
    """No valid credential."""

    kind, code = Kind.UNAUTHENTICATED, "unauthenticated"
    message = "A valid credential is required."


class Denied(DomainError):
    """The actor may not do that, whatever the object."""

    kind, code = Kind.DENIED, "forbidden"
    message = "This credential may not do that."

    def __init__(self, reason: str = "denied") -> None:
        self.reason = reason
        super().__init__()


class NotFound(DomainError):
    """Missing, erased, foreign or of the wrong kind: all the same."""

    kind, code = Kind.NOT_FOUND, "not_found"
    message = "Resource was not found."


class Conflict(DomainError):
    """The state allows it no more."""

    kind = Kind.CONFLICT


class RecordConflict(Conflict):
    """The record has another version, is closed, or a single-valued place is taken."""

    code = "record_conflict"
    message = "The record has changed. Read it again and decide anew."


class IdempotencyConflict(Conflict):
    """The key, or the source id, was used for other content."""

    code = "idempotency_conflict"
    message = "This key was used for other content. Use another key."


class IdempotencyInProgress(Conflict):
    """The first call with this key still runs."""

    code = "idempotency_in_progress"
    message = "The first call with this key still runs. Repeat it later with the same key."


class Unavailable(DomainError):
    """Database, lock or pool not available in time. The transaction was certainly rolled back."""

    kind, code = Kind.UNAVAILABLE, "unavailable"
    message = "The service is busy. Repeat the call later, a write with the same key."

    def __init__(self, *, is_database_out_of_reach: bool = False) -> None:
        """Without a database there is no use in writing the entry of the refusal."""
        self.is_database_out_of_reach = is_database_out_of_reach
        super().__init__()


class NameTaken(Conflict):
    """Another project has that name."""

    code = "name_taken"
    message = "A project of that name exists already. Choose another name."


class PredicateConflict(Conflict):
    """Some subject has the predicate more than once among current records."""

    code = "predicate_conflict"
    message = (
        "Some subject has more than one current record with this predicate. "
        "Correct or retract all but one of them first."
    )


class AccountExists(Conflict):
    """Another account has that name."""

    code = "account_exists"
    message = "An account of that name exists already. Choose another name."


class PasswordWeak(DomainError):
    """A password is too easy to guess."""

    kind, code = Kind.INVALID, "password_weak"

    def __init__(self, reasons: Sequence[str]) -> None:
        """`reasons` are the sentences of Django's password validators; none shows the password."""
        self.message = " ".join(reasons)
        super().__init__()
