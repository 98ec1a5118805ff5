"""Calls leave no connection behind, whatever happens to them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from django.db import connection

from feedback.mcp.server import in_worker

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_call_runs_beside_and_closes_its_connection() -> None:
    stage = Stage(lambda: 5)
    assert anyio.run(in_worker, stage) == 5
    assert stage.used is not connection.connection
    assert stage.used.closed


def test_after_an_error_too() -> None:
    def fail() -> None:
        raise ValueError("no")

    stage = Stage(fail)
    with pytest.raises(ValueError, match="no"):
        anyio.run(in_worker, stage)
    assert stage.used.closed


def test_after_cancellation_too() -> None:
    stage = Stage(lambda: time.sleep(0.3))

    async def cancelled() -> bool:
        with anyio.move_on_after(0.05) as scope:
            await in_worker(stage)
            await anyio.lowlevel.checkpoint()
        return scope.cancelled_caught

    assert anyio.run(cancelled)
    assert stage.used.closed
