"""One transaction a call, which names its project to the database, retries and audits refusals."""

from __future__ import annotations

import functools
import random
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, ParamSpec, Protocol, TypeVar

from django.db import Error, connection, transaction

from memory import audit
from memory.constraints import is_worth_retrying, refusal_of
from memory.digests import Digester
from memory.errors import DomainError, FieldInvalid, NotFound, Unavailable
from memory.scope import Scope, UtilityRules, scope_var
from memory.vocabulary import INVALID_CODES, Operation, UtilityScope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from uuid import UUID

    from memory.actor import Actor

P = ParamSpec("P")
R = TypeVar("R")

_TRIES: Final = 4
_PAUSE_SECONDS: Final = 0.02


class Countable(Protocol):
    """The result of an audited read: says how many rows it holds."""

    @property
    def magnitude(self) -> int:
        """Rows concerned."""


C = TypeVar("C", bound=Countable)


@contextmanager
def project_scope(project_id: UUID) -> Iterator[Scope]:
    """Open the transaction in which rows of one project are reached; join an open one.

    One statement names the project to the database for the length of the transaction (row
    security reads that setting) and brings what operations need to know of it. Raises NotFound
    for a project that does not exist.
    """
    outer = scope_var.get()
    if outer is not None:
        if outer.project_id != project_id:
            raise RuntimeError("a transaction belongs to one project")
        yield outer
        return
    with transaction.atomic():
        scope = _enter(project_id)
        token = scope_var.set(scope)
        try:
            yield scope
        finally:
            scope_var.reset(token)


def _enter(project_id: UUID) -> Scope:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('errata.project', id::text, true),"
            " name, search_language, digest_key, clock_timestamp(),"
            " one_vote_per_run, minimum_actors, utility_scope, are_signals_in_utility"
            " FROM memory_project WHERE id = %s",
            [project_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return Scope(
        project_id=project_id,
        name=row[1],
        search_language=row[2],
        utility=UtilityRules(row[5], row[6], UtilityScope(row[7]), row[8]),
        digests=Digester(bytes(row[3])),
        opened_at=row[4],
    )


def database_time(*, not_before: Iterable[datetime] = ()) -> datetime:
    """The database's clock now, read once after the locks and then passed on.

    Never before any of the given times, should that clock have been set back.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row: tuple[datetime] = cursor.fetchone()
    return max([row[0], *not_before])


def operation(
    name: Operation, *, first: Callable[..., None] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function one audited, retried transaction; joins when called by another operation.

    `first` gets the same arguments and is called before the transaction opens: where it refuses,
    nobody pays for a transaction and its rollback. It decides nothing that is not looked at again.
    """

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(verb)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if scope_var.get() is not None:
                return verb(*args, **kwargs)
            actor: Actor = kwargs["actor"]  # type: ignore[assignment]
            look = first and functools.partial(first, *args, **kwargs)
            run = _in_scope(actor, functools.partial(verb, *args, **kwargs))
            return _audited(actor, name, run, look)

        return call

    return decorate


def audited_read(
    name: Operation,
) -> Callable[[Callable[P, C]], Callable[P, C]]:
    """Make a query one audited read: its entry commits with it, or the read does not happen."""

    def decorate(query: Callable[P, C]) -> Callable[P, C]:
        @functools.wraps(query)
        def call(*args: P.args, **kwargs: P.kwargs) -> C:
            actor: Actor = kwargs["actor"]  # type: ignore[assignment]

            def read() -> C:
                result = query(*args, **kwargs)
                audit.allowed(actor, audit.Call(name, result.magnitude))
                return result

            if scope_var.get() is not None:
                return read()
            return _audited(actor, name, _in_scope(actor, read))

        return call

    return decorate


def audited_statement(name: Operation) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a query that is one `audit.read` an audited read, at a third of the round trips.

    No transaction is opened around it and there is no scope: the statement is a transaction, names
    its project itself and writes its entry. It is retried and its refusals are audited, as usual.
    """

    def decorate(query: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(query)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            run = functools.partial(query, *args, **kwargs)
            if scope_var.get() is not None:
                return run()
            actor: Actor = kwargs["actor"]  # type: ignore[assignment]
            return _audited(actor, name, run)

        return call

    return decorate


def _in_scope(actor: Actor, run: Callable[[], R]) -> Callable[[], R]:
    def call() -> R:
        with project_scope(actor.project_id):
            return run()

    return call


def _audited(
    actor: Actor, name: Operation, run: Callable[[], R], first: Callable[[], None] | None = None
) -> R:
    try:
        return _with_retries(run, first)
    except DomainError as error:
        if not (isinstance(error, Unavailable) and error.is_database_out_of_reach):
            audit.refused(actor, name, code_of(error, name))
            error.is_audited = True
        raise


def code_of(error: DomainError, name: Operation) -> str:
    """The code that the wire and the audit log give a refusal of an operation."""
    if isinstance(error, FieldInvalid):
        return INVALID_CODES.get(name, error.code)
    return error.code


def _with_retries(run: Callable[[], R], first: Callable[[], None] | None) -> R:
    for tries_left in reversed(range(_TRIES)):
        try:
            if first is not None:
                first()
            return run()
        except Error as error:
            if tries_left and is_worth_retrying(error):
                time.sleep(_PAUSE_SECONDS * random.random())  # noqa: S311 - jitter, not a secret
                continue
            refusal = refusal_of(error)
            if refusal is None:
                raise
            raise refusal from error
    raise AssertionError  # the last round returns or raises
