"""Calls at once, each on a database connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier, Thread
from typing import TypeVar

from django.db import connection

from tests.statements import Held

R = TypeVar("R")
PATIENCE_SECONDS = 50


def race(calls: Sequence[Callable[[], R]]) -> list[R | Exception]:
    """Run all calls from one barrier; what each returned or raised, in their order."""
    barrier = Barrier(len(calls))
    outcomes: list[R | Exception] = [RuntimeError("did not finish")] * len(calls)

    def run(place: int, call: Callable[[], R]) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(PATIENCE_SECONDS)
            outcomes[place] = call()
        except Exception as error:  # noqa: BLE001 - it is the outcome
            outcomes[place] = error
        finally:
            connection.close()

    threads = [Thread(target=run, args=pair, daemon=True) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    return outcomes


@contextmanager
def behind(held: Held, call: Callable[[], object]) -> Iterator[list[object]]:
    """Meanwhile a call is held on a connection of its own; it ends with the context."""
    outcomes: list[object] = []

    def run() -> None:
        try:
            outcomes.append(held.running(call)())
        except Exception as error:  # noqa: BLE001 - it is the outcome
            outcomes.append(error)
        finally:
            connection.close()

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        assert held.reached.wait(PATIENCE_SECONDS)
        yield outcomes
    finally:
        held.let_go.set()
        thread.join(PATIENCE_SECONDS)


def successes(outcomes: Sequence[R | Exception]) -> list[R]:
    """What the calls that succeeded returned."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]


def refusals(outcomes: Sequence[object]) -> list[str]:
    """Names of what the other calls raised, sorted."""
    return sorted(type(outcome).__name__ for outcome in outcomes if isinstance(outcome, Exception))
