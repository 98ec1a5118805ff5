"""Django's engine for PostgreSQL without the work that a request does not need.

Django can only have the pool ask each connection a question, which is a round trip of every
request. But a server that stops or ends a session says so at once, so a connection that was used a
moment ago and has nothing to read is good; any other is asked. And it reads every time by regular
expression, because another time zone than UTC could be set. Subclassing the engine is Django's way
to change such things ("Subclassing the built-in database backends").
"""

from __future__ import annotations

import select
from datetime import UTC, datetime
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from django.db.backends.postgresql import base
from psycopg import Error
from psycopg.adapt import AdaptersMap
from psycopg.types.datetime import TimestamptzLoader
from psycopg_pool import ConnectionPool
from typing_extensions import override

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer

#: After so long a pause something between us and the server may have dropped the connection.
PAUSE_SECONDS: Final = 1.0


class UtcLoader(TimestamptzLoader):
    """A time as Django's loader gives it, in UTC."""

    timezone: Final = UTC  # Django compares it with its own

    @override
    def load(self, data: Buffer) -> datetime:
        """The time; what Python's own format does not know, such as a year before 1, by psycopg."""
        try:
            return datetime.fromisoformat(str(data, "ascii")).astimezone(UTC)
        except (ValueError, OverflowError):
            return super().load(data)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, but for how it reads times and looks at what the pool hands out."""

    @override
    def get_connection_params(self) -> dict[str, Any]:
        """Django's, with our loader of times where they are in UTC."""
        parameters: dict[str, Any] = super().get_connection_params()
        if self.timezone is UTC:
            parameters["context"] = _in_utc(parameters["context"])
        return parameters

    @override
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that works. Raises PoolTimeout when there is none in time."""
        while True:
            connection = super().get_new_connection(conn_params)
            if self.pool is None or _is_good(connection):
                return connection
            connection.close()
            self.pool.putconn(connection)  # which makes the pool connect anew

    @override
    def close(self) -> None:
        """Give the connection back, which notes when it was used."""
        if self.connection is not None:
            self.connection.used_at = monotonic()
        super().close()


@lru_cache
def _in_utc(adapters: AdaptersMap) -> AdaptersMap:
    """Django's adapters with our loader of times; it asks for them at every request."""
    ours = AdaptersMap(adapters)
    ours.register_loader("timestamptz", UtcLoader)
    return ours


def _is_good(connection: Connection[Any]) -> bool:
    """Whether a connection is as its last user left it, or answers."""
    if monotonic() - getattr(connection, "used_at", 0.0) < PAUSE_SECONDS and _is_silent(connection):
        return True
    try:
        ConnectionPool.check_connection(connection)
    except Error:
        return False
    return True


def _is_silent(connection: Connection[Any]) -> bool:
    """Whether the server has said nothing since: no farewell, and no end of the connection."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return not poll.poll(0)
