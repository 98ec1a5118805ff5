"""The only writer of audit entries. An entry never holds text, nor an id of what it is about."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.db import Error, connection, transaction

from memory.constraints import refusal_of
from memory.errors import Unavailable
from memory.vocabulary import (
    READ_OPERATIONS,
    ActorKind,
    AuditOutcome,
    Edge,
    Operation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from memory.actor import Actor


#: In SQL, since every call of every edge pays for it: a third of what the ORM costs here.
_ENTRY: Final = (
    'INSERT INTO "memory_auditentry" (id, project_id, operation, outcome, code, actor_kind,'
    " actor_id, edge, request_id, magnitude, is_read)"
)
_INSERT: Final = f"{_ENTRY} VALUES "
_VALUES: Final = "(gen_random_uuid(), %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"

#: How a page of `read` says whose rows it wants. They are joined to the row that names the project
#: to the database, so that row security, which reads the setting, finds it there.
PROJECT: Final = "project.id"
_BEFORE_PAGE: Final = """\
WITH project AS MATERIALIZED (SELECT set_config('errata.project', %s, true)::uuid AS id),
page AS MATERIALIZED (SELECT page.* FROM project, LATERAL ("""
_BEHIND_PAGE: Final = f""") AS page),
entry AS ({_ENTRY}
  SELECT gen_random_uuid(), %s, %s, %s, %s, %s, %s, %s, %s, least(%s, count(*)), %s FROM page)
SELECT * FROM page"""  # noqa: S608 - ours


@dataclass(frozen=True, slots=True)
class Call:
    """An operation that was carried out, and how many rows it concerned."""

    operation: Operation
    magnitude: int


def allowed(actor: Actor, *calls: Call) -> None:
    """Write one entry a call, in the transaction of the change or read. One statement."""
    rows: list[Any] = []
    for call in calls:
        rows += _entry(actor, call, AuditOutcome.ALLOWED, "")
    with connection.cursor() as cursor:
        cursor.execute(_INSERT + ", ".join([_VALUES] * len(calls)), rows)


def read(actor: Actor, call: Call, page: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of a page, with the entry of reading them: one statement, so both or neither.

    `page` is a SELECT of rows where `project_id` is `PROJECT`, with the `values` of its
    placeholders. They arrive in its order, since nothing stands between. The entry counts them,
    but at most the call's magnitude: one row more may say that there is another page.
    """
    entry = _entry(actor, call, AuditOutcome.ALLOWED, "")
    with _alone(), connection.cursor() as cursor:
        cursor.execute(
            f"{_BEFORE_PAGE}{page}{_BEHIND_PAGE}", [str(actor.project_id), *values, *entry]
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def refused(actor: Actor, operation: Operation, code: str, *, magnitude: int = 0) -> None:
    """Write the entry of a refusal, in a transaction of its own, after the rollback.

    Raises Unavailable when it cannot be written: an unaudited refusal is answered as 503.
    """
    _save(_entry(actor, Call(operation, magnitude), AuditOutcome.REFUSED, code))


def authentication_refused(
    *, request_id: str, edge: Edge, code: str, project_id: UUID | None, magnitude: int = 0
) -> None:
    """Write the entry of a failed authentication; the project only where a credential named it."""
    operation, outcome = Operation.AUTHENTICATE.value, AuditOutcome.REFUSED.value
    nobody = ActorKind.ANONYMOUS.value, None
    _save(
        [
            *(project_id, operation, outcome, code, *nobody),
            *(edge.value, request_id, magnitude, False),
        ]
    )


def _entry(actor: Actor, call: Call, outcome: AuditOutcome, code: str) -> list[Any]:
    return [
        actor.project_id,
        call.operation.value,
        outcome.value,
        code,
        actor.kind.value,
        actor.id,
        actor.edge.value,
        actor.request_id,
        call.magnitude,
        call.operation in READ_OPERATIONS,
    ]


def _alone() -> AbstractContextManager[None]:
    """What a statement of its own needs around it: outside of a transaction it is one by itself."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _save(row: list[Any]) -> None:
    """Write one entry."""
    try:
        with _alone(), connection.cursor() as cursor:
            cursor.execute(_INSERT + _VALUES, row)
    except Error as error:
        raise (refusal_of(error) or Unavailable()) from error
