"""What a database error means: a domain refusal, busy, worth another try, or a fault of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import InterfaceError, OperationalError
from psycopg_pool import PoolTimeout

from memory.errors import DomainError, RecordConflict, Unavailable

if TYPE_CHECKING:
    from django.db import Error

#: Deadlock and serialization failure: the whole operation is run again.
RETRIED: Final = frozenset({"40P01", "40001"})

#: Lock and statement time-outs, a read-only or stopping server, no disk, no memory, no slot.
_BUSY: Final = ("55P03", "57014", "25006", "57P01", "57P02", "57P03", "53", "08", "58030")

_REFUSALS: Final[dict[str, type[DomainError]]] = {
    "memory_record_single_valued_uniq": RecordConflict,
}

#: Somebody asserted the same origin a moment ago: another try finds their record.
_RACES: Final = frozenset({"memory_record_origin_uniq", "memory_subject_name_uniq"})


def sqlstate(error: BaseException) -> str | None:
    """The five characters PostgreSQL gave, or None if the error did not come from it."""
    return getattr(error.__cause__, "sqlstate", None)


def constraint_name(error: BaseException) -> str | None:
    """The violated constraint or the name that a trigger raised."""
    diagnostics = getattr(error.__cause__, "diag", None)
    return getattr(diagnostics, "constraint_name", None)


def is_worth_retrying(error: Error) -> bool:
    """Whether running the whole operation again can end otherwise."""
    return sqlstate(error) in RETRIED or constraint_name(error) in _RACES


def refusal_of(error: BaseException) -> DomainError | None:
    """The refusal that a database error stands for; None for a fault of ours."""
    refusal = _REFUSALS.get(constraint_name(error) or "")
    if refusal is not None:
        return refusal()
    state = sqlstate(error)
    if isinstance(error, PoolTimeout) or (
        state is None and isinstance(error, OperationalError | InterfaceError)
    ):
        return Unavailable(is_database_out_of_reach=True)
    if state is not None and (state.startswith(_BUSY) or state in RETRIED):
        return Unavailable()
    return None
