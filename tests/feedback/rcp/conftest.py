"""Clients of RCP: without state, in a session, over pipes; and records to be found."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import pytest

from tests.factories import MARKER, some_records
from tests.rcp import Client, HttpDoor, PipeDoor

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord
    from tests.wire import InProcess

_names: Final = count()


@pytest.fixture
def rcp(call: InProcess) -> Client:
    """The read-write agent at `/rcp`."""
    return Client(HttpDoor(call))


@pytest.fixture
def rcp_ro(call_ro: InProcess) -> Client:
    """The read-only agent at `/rcp`."""
    return Client(HttpDoor(call_ro))


@pytest.fixture(params=["session", "pipe"])
def new_session(
    request: pytest.FixtureRequest, call: InProcess, agent_token: str
) -> Callable[[], Client]:
    """Makes sessions that nobody has initialized: over HTTP, and over pipes."""

    def over_http() -> Client:
        return Client(HttpDoor(call, f"/rcp/s/session-{next(_names)}"))

    def over_pipes() -> Client:
        return Client(PipeDoor(agent_token))

    return over_http if request.param == "session" else over_pipes


@pytest.fixture
def records(agent: Actor) -> tuple[AssertedRecord, ...]:
    """Twelve records that one word finds."""
    return some_records(agent, 12, predicate="meets_in")


@pytest.fixture
def word() -> str:
    """That word."""
    return MARKER
