"""Every statement of every route fails once, before it and after it: nothing is half done.

Rules: `assurance.md` 3, fault 4 and goal R7; 4, attack 26.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final
from uuid import uuid4

import pytest
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
    connection,
)
from psycopg import errors

from memory.actor import Actor
from tests.factories import a_record
from tests.invariants import assert_invariants
from tests.leaks import LogReader
from tests.observed import content
from tests.statements import FRAME, Execute
from tests.valid_calls import ALL, WRITES, Route, a_body, route
from tests.wire import Answer, InProcess, entries_of

#: Writes, and the read that leaves a run.
CHANGING: Final = (*WRITES, route("feedback:context-compile"))
#: Reads of two statements: the look-up of the credential, and all the rest.
SHORT: Final = (route("feedback:report-list"),)
SECRET: Final = "secret_value in memory_record_secret_constraint"

#: What the database may say, by how the call is then answered.
FAULTS: Final[dict[str, tuple[type[Exception], type[Exception] | None, int]]] = {
    "lost connection": (OperationalError, None, 503),
    "closed connection": (InterfaceError, None, 503),
    "lock time-out": (OperationalError, errors.LockNotAvailable, 503),
    "statement time-out": (OperationalError, errors.QueryCanceled, 503),
    "read-only": (DatabaseError, errors.ReadOnlySqlTransaction, 503),
    "disk full": (OperationalError, errors.DiskFull, 503),
    "shutdown": (OperationalError, errors.AdminShutdown, 503),
    "too many connections": (OperationalError, errors.TooManyConnections, 503),
    "deadlock for ever": (OperationalError, errors.DeadlockDetected, 503),
    "serialization failure": (OperationalError, errors.SerializationFailure, 503),
    "unknown column": (ProgrammingError, errors.UndefinedColumn, 500),
    "broken constraint": (IntegrityError, errors.CheckViolation, 500),
    "bad value": (DataError, errors.InvalidTextRepresentation, 500),
}


class Failing:
    """Fails at the n-th statement of a thread, before or after it was carried out."""

    def __init__(self, number: int, fault: str, *, is_after: bool, times: int) -> None:
        self.number = number
        self.fault = fault
        self.is_after = is_after
        self.times = times
        self.seen = 0
        self.failed = 0

    def __call__(self, execute: Execute, sql: str, params: Any, many: Any, context: Any) -> Any:
        """Carry a statement out, or fail."""
        if sql.lstrip().startswith(FRAME):
            return execute(sql, params, many, context)
        self.seen += 1
        fails = self.seen >= self.number and self.failed < self.times
        result = None if fails and not self.is_after else execute(sql, params, many, context)
        if fails:
            self.failed += 1
            raise self._error()
        return result

    def _error(self) -> Exception:
        outer, inner, _ = FAULTS[self.fault]
        error = outer(SECRET)
        if inner is not None:
            error.__cause__ = inner(SECRET)
        return error


@contextmanager
def failing(
    number: int, fault: str, *, is_after: bool = False, times: int = 1
) -> Iterator[Failing]:
    """The n-th statement fails, and the next ones too while there are times left."""
    wrapper = Failing(number, fault, is_after=is_after, times=times)
    with connection.execute_wrapper(wrapper):
        yield wrapper


def _is_discreet(answer: Answer) -> None:
    said = answer.content.decode() + repr(answer.headers)
    for word in (SECRET, "memory_", "feedback_report", "SELECT", "INSERT", "psycopg", "Traceback"):
        assert word not in said


def _unavailable(at: Route) -> set[tuple[int, str]]:
    """Of a route with two forms in lower case, while the body was not read."""
    return {at.refusal_unread(503, "unavailable"), at.refusal(503, "unavailable")}


@pytest.mark.slow
@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", WRITES, ids=str)
@pytest.mark.django_db(transaction=True)
def test_a_write_that_fails_at_any_statement_leaves_nothing(
    at: Route, *, is_after: bool, call: InProcess, agent: Actor
) -> None:
    key = str(uuid4())
    body, headers = at.keyed(a_body(at, agent), key), {"Idempotency-Key": key}
    call("/v1/records/list")  # notes the use of the credential, whose failure would fail nothing
    before = content()

    for number in count(1):
        with failing(number, "statement time-out", is_after=is_after) as fault:
            answer = at.send(call, body, headers=headers)
        if not fault.failed:
            assert fault.seen >= 6
            assert at.is_replay(answer) is False
            break
        assert answer.refusal in _unavailable(at), number
        _is_discreet(answer)
        assert content() == before, number

    assert at.is_replay(at.send(call, body, headers=headers)) is True
    assert_invariants()


@pytest.mark.slow
@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.django_db(transaction=True)
def test_a_compile_that_fails_at_any_statement_leaves_no_run(
    *, is_after: bool, call: InProcess, agent: Actor
) -> None:
    at = route("feedback:context-compile")
    body = a_body(at, agent) | {"subject_id": f"herder {uuid4()}", "include_shared": True}
    a_record(agent, statement="The quagga herd crossed the river.")
    call("/v1/records/list")
    before = content()

    for number in count(1):
        with failing(number, "statement time-out", is_after=is_after) as fault:
            answer = at.send(call, body)
        if not fault.failed:
            assert fault.seen >= 6
            assert len(at.told(answer)["items"]) == 1
            break
        assert answer.refusal == (503, "UNAVAILABLE"), number
        _is_discreet(answer)
        assert content() == before, number
    assert_invariants()


@pytest.mark.parametrize("fault", ["deadlock for ever", "serialization failure"])
@pytest.mark.parametrize("at", CHANGING, ids=str)
def test_a_write_that_loses_a_deadlock_is_made_again_as_a_whole(
    at: Route, fault: str, call: InProcess, agent: Actor
) -> None:
    body = a_body(at, agent)
    call("/v1/records/list")

    for times, status in ((3, at.made), (4, 503)):
        with failing(4, fault, times=times) as failed:
            answer = at.send(call, body)
        assert (answer.status, failed.failed) == (status, times)
        body = a_body(at, agent)
    assert_invariants()


@pytest.mark.parametrize("at", ALL, ids=str)
def test_a_fault_of_the_database_says_nothing_about_it(
    at: Route, call: InProcess, agent: Actor, log_reader: LogReader
) -> None:
    call("/v1/records/list")
    body = a_body(at, agent)  # serves every call, since none of them does anything
    for fault, (_, _, status) in FAULTS.items():
        for number in (1, 2, 4):  # the look-up of the credential; the operation; its rows
            log_reader.lines.clear()
            times = 4 if fault.startswith(("dead", "serial")) else 1
            with failing(number, fault, times=times) as disturbed:
                answer = at.send(call, body)
            if number == 4 and at in SHORT:
                assert (disturbed.seen, answer.status) == (2, 200)
                continue
            assert answer.status == status, (fault, number, answer.content)
            code = {503: "unavailable", 500: "internal"}[status]
            spell = at.refusal_unread if number == 1 else at.refusal
            assert answer.refusal == spell(status, code)
            _is_discreet(answer)
            for line in log_reader.lines:
                assert SECRET not in line
                assert "memory_record" not in line
                assert "feedback_context" not in line
            codes = {entry[2] for entry in entries_of(answer)}
            assert codes <= {code}
            assert status == 503 or number == 1 or codes == {"internal"}
    assert_invariants()


@pytest.mark.parametrize("at", ALL, ids=str)
def test_without_a_database_every_call_is_unavailable(
    at: Route, call: InProcess, agent: Actor
) -> None:
    body = a_body(at, agent)
    before = content()

    for number in (1, 2, 3):
        with failing(number, "lost connection", times=1_000):
            answer = at.send(call, body)
        assert answer.refusal in _unavailable(at)
        assert answer.headers["retry-after"] == "1"
        _is_discreet(answer)
    before["memory_credential"] = content()["memory_credential"]
    assert content() == before
