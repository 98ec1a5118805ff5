"""Calls leave nothing behind: no connection, whatever happens to them, and no word in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from django.db import connection

from feedback.mcp.server import in_worker
from tests.factories import MARKER
from tests.leaks import LogReader


@pytest.mark.parametrize("name", ["server.runner", "server.streamable_http", "shared.dispatcher"])
def test_the_loggers_of_the_sdk_tell_nothing_of_a_call(name: str, log_reader: LogReader) -> None:
    """Some of their lines would hold arguments, headers and results; a fault keeps its place."""
    logger = logging.getLogger(f"mcp.{name}")
    assert not logger.isEnabledFor(logging.WARNING)
    fault = ValueError(MARKER)
    logger.error("Error handling %r", {"question": MARKER}, exc_info=fault)
    logger.error(f"Error handling {MARKER}", exc_info=fault)  # noqa: G004 - as some of theirs are
    lines = [line for line in log_reader.lines if f"mcp.{name}" in line]
    assert ["ValueError" in line for line in lines] == [True, True]
    assert MARKER not in "".join(lines)


class Stage:
    """A call that uses the database, and the connection that it had."""

    def __init__(self, end: Callable[[], Any]) -> None:
        self.end = end
        self.used: Any = None

    def __call__(self) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        self.used = connection.connection
        return self.end()


@pytest.mark.django_db(transaction=True)
def test_a_call_runs_beside_and_closes_its_connection() -> None:
    stage = Stage(lambda: 5)
    assert anyio.run(in_worker, stage) == 5
    assert stage.used is not connection.connection
    assert stage.used.closed


@pytest.mark.django_db(transaction=True)
def test_after_an_error_too() -> None:
    def fail() -> None:
        raise ValueError("no")

    stage = Stage(fail)
    with pytest.raises(ValueError, match="no"):
        anyio.run(in_worker, stage)
    assert stage.used.closed


@pytest.mark.django_db(transaction=True)
def test_after_cancellation_too() -> None:
    stage = Stage(lambda: time.sleep(0.3))

    async def cancelled() -> bool:
        with anyio.move_on_after(0.05) as scope:
            await in_worker(stage)
            await anyio.lowlevel.checkpoint()
        return scope.cancelled_caught

    assert anyio.run(cancelled)
    assert stage.used.closed
