"""The engine: what the pool hands out works, and times are those that Django would read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import psycopg
import pytest
from django.db import connection
from psycopg.types.datetime import TimestamptzLoader

from config.postgresql import base
from config.postgresql.base import DatabaseWrapper, UtcLoader

pytestmark = pytest.mark.django_db

GONE_SECONDS = 5
QUESTION = "SELECT pg_backend_pid() /* asked by a call */"


@pytest.fixture
def pooled() -> Iterator[DatabaseWrapper]:
    """The tests' database through a pool of two connections."""
    settings = connection.settings_dict
    pool = {"min_size": 2, "max_size": 2, "timeout": 5}
    wrapper = DatabaseWrapper(
        {**settings, "OPTIONS": {**settings["OPTIONS"], "pool": pool}}, alias="pooled"
    )
    try:
        wrapper.ensure_connection()
        wrapper.close()
        wrapper.pool.wait()
        yield wrapper
    finally:
        wrapper.close()
        wrapper.close_pool()


class Session(NamedTuple):
    """A server process, and the statement that it got last."""

    pid: int
    statement: str


def call(wrapper: DatabaseWrapper) -> int:
    """Ask who answers, as a request does: take a connection and give it back."""
    with wrapper.cursor() as cursor:
        cursor.execute(QUESTION)
        pid: int = cursor.fetchone()[0]
    wrapper.close()
    return pid


def sessions(pids: set[int]) -> list[Session]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees the first look
        cursor.execute(
            "SELECT pid, query FROM pg_stat_get_activity(NULL) WHERE pid = ANY(%s)", [list(pids)]
        )
        return [Session(*row) for row in cursor.fetchall()]


def both(wrapper: DatabaseWrapper) -> set[int]:
    """The pool takes turns, so a few calls meet all of its connections."""
    return {call(wrapper) for _ in range(6)}


def test_a_connection_that_was_used_a_moment_ago_is_asked_nothing(pooled: DatabaseWrapper) -> None:
    pids = both(pooled)
    pooled.ensure_connection()
    assert pooled.connection.info.backend_pid in pids
    assert {session.statement for session in sessions(pids)} == {QUESTION}


def test_a_connection_is_asked_after_a_pause(
    pooled: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = both(pooled)
    monkeypatch.setattr(base, "PAUSE_SECONDS", 0.0)
    pooled.ensure_connection()
    asked = pooled.connection.info.backend_pid
    assert [session.statement for session in sessions({asked})] == [""]
    assert asked in pids


@pytest.mark.parametrize("pause_seconds", [0.0, 60.0])
def test_connections_that_the_server_has_ended_are_replaced(
    pooled: DatabaseWrapper, pause_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "PAUSE_SECONDS", pause_seconds)
    ended = both(pooled)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", [list(ended)])
    deadline = time.monotonic() + GONE_SECONDS
    while sessions(ended):
        assert time.monotonic() < deadline

    replaced = both(pooled)
    while len(replaced) < len(ended):  # the pool connects anew in a thread of its own
        assert time.monotonic() < deadline
        replaced |= both(pooled)

    assert len(ended) == len(replaced) == 2
    assert not ended & replaced


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-01 03:35:04.668556+00",
        "2026-12-01 03:35:04.5+00",
        "2026-12-01 03:35:04+00",
        "0001-01-01 00:00:00+00",
        "9999-12-31 23:59:59.999999+00",
        "2026-12-01 03:35:04.668556+05:30",
        "1891-01-01 00:00:00+00:09:21",
    ],
)
def test_a_time_is_what_psycopg_reads(text: str) -> None:
    read = UtcLoader(0).load(text.encode())
    assert read == TimestamptzLoader(0).load(text.encode())
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        *("infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "10000-01-01 00:00:00+00"),
        *("20260-01-01 00:00:00+00", "294276-12-31 23:59:59+00", "0000-01-01 00:00:00+00", ""),
    ],
)
def test_a_time_that_psycopg_cannot_read_is_refused_as_psycopg_does(text: str) -> None:
    with pytest.raises(psycopg.DataError) as expected:
        TimestamptzLoader(0).load(text.encode())
    with pytest.raises(psycopg.DataError) as found:
        UtcLoader(0).load(text.encode())
    assert str(found.value) == str(expected.value)


def test_statements_bring_times_in_utc() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT timestamptz '2026-12-01 03:35:04.25+02'")
        (time_read,) = cursor.fetchone()
    assert time_read == datetime(2026, 12, 1, 1, 35, 4, 250_000, tzinfo=UTC)
    assert time_read.tzinfo is UTC
