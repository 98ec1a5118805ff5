"""Watching and disturbing what a connection sends to the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import pytest
from django.db import connection
from typing_extensions import override

Execute = Callable[..., Any]

PATIENCE_SECONDS = 30

#: What frames a transaction; budgets count what is inside.
FRAME = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE SAVEPOINT")


@dataclass(slots=True)
class Statements:
    """Statements with their parameters, in order, without those that frame transactions."""

    sent: list[tuple[str, Any]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sent)

    def __call__(self, execute: Execute, sql: str, params: Any, *how: Any) -> Any:
        """Note the statement and pass it on."""
        if not sql.lstrip().startswith(FRAME):
            self.sent.append((sql, params))
        return execute(sql, params, *how)

    @override
    def __str__(self) -> str:
        return "\n".join(sql for sql, _ in self.sent)


@dataclass(slots=True)
class Failing:
    """Fails the n-th statement, before it is sent or after it was carried out."""

    number: int
    is_sent: bool
    error: Exception
    seen: int = 0

    def __call__(self, execute: Execute, sql: str, params: Any, *how: Any) -> Any:
        """Count, and fail when it is time."""
        self.seen += 1
        if self.seen != self.number:
            return execute(sql, params, *how)
        if self.is_sent:
            execute(sql, params, *how)
        raise self.error

    @property
    def has_failed(self) -> bool:
        """Whether there were as many statements."""
        return self.seen >= self.number


@dataclass(slots=True)
class Held:
    """Stops a thread after the first statement that holds a text, until it is let go."""

    text: str
    reached: Event = field(default_factory=Event)
    let_go: Event = field(default_factory=Event)

    def __call__(self, execute: Execute, sql: str, params: Any, *how: Any) -> Any:
        """Send the statement, then wait once if it is the one."""
        result = execute(sql, params, *how)
        if self.text in sql and not self.reached.is_set():
            self.reached.set()
            self.let_go.wait(PATIENCE_SECONDS)
        return result

    def running(self, call: Callable[[], object]) -> Callable[[], object]:
        """The call, stopped there."""

        def run() -> object:
            with connection.execute_wrapper(self):
                return call()

        return run


@contextmanager
def watched() -> Iterator[Statements]:
    """The statements that this thread sends meanwhile."""
    statements = Statements()
    with connection.execute_wrapper(statements):
        yield statements


@pytest.fixture
def count_statements() -> Callable[[Callable[[], object]], int]:
    """How many statements a call sends, apart from BEGIN, COMMIT and savepoints."""

    def count(call: Callable[[], object]) -> int:
        with watched() as statements:
            call()
        return len(statements)

    return count
