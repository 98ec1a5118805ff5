"""Whether a PostgreSQL is fit to keep the records: new enough, durable, discreet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import psycopg

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST: Final = 15
DURABLE: Final = ("fsync", "full_page_writes", "synchronous_commit")
DISCREET: Final = {"log_statement": "none", "log_parameter_max_length_on_error": "0"}
ASKED: Final = (*DURABLE, *DISCREET)
QUESTION: Final = "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)"


class DatabaseUnfit(Exception):
    """The database cannot be used. The message is one sentence for the operator."""


def age_fault(version: int) -> str:
    """Why a server of this version, as in 150020, is too old; empty when it is not."""
    if version >= OLDEST * 10_000:
        return ""
    found = version // 10_000
    return f"PostgreSQL {found} is too old: Errata needs PostgreSQL {OLDEST} or newer."


def durability_faults(settings: Mapping[str, str]) -> list[str]:
    """Sentences about settings under which an acknowledged write can be lost."""
    return [
        f"PostgreSQL runs with {name} off: acknowledged writes would not outlive a crash."
        for name in DURABLE
        if settings.get(name) == "off"
    ]


def discretion_faults(settings: Mapping[str, str]) -> list[str]:
    """Sentences about settings under which texts of records reach the server's log."""
    return [
        f"PostgreSQL logs values of statements: set {name} to {right}."
        for name, right in DISCREET.items()
        if settings.get(name, right) != right
    ]


def require_fit(conninfo: str) -> None:
    """Connect once and refuse a database that must not be served from."""
    try:
        with psycopg.connect(conninfo, connect_timeout=5) as connection:
            faults = [age_fault(connection.info.server_version)]
            if not faults[0]:
                settings: dict[str, str] = dict(
                    connection.execute(QUESTION, [list(ASKED)]).fetchall()
                )
                faults = durability_faults(settings)
    except psycopg.Error as error:
        # libpq's first line names host, port and cause, and never the password.
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise DatabaseUnfit(f"The database of DATABASE_URL cannot be used: {reason}") from None
    for fault in filter(None, faults):
        raise DatabaseUnfit(fault)
