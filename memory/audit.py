"""The only writer of audit entries. An entry never holds text, nor an id of what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from django.db import Error, connection, transaction

from memory.constraints import refusal_of
from memory.errors import Unavailable
from memory.models import AuditEntry
from memory.vocabulary import (
    READ_OPERATIONS,
    ActorKind,
    AuditOutcome,
    Edge,
    Operation,
)

if TYPE_CHECKING:
    from uuid import UUID

    from memory.actor import Actor


#: In SQL, since every call of every edge pays for it: a third of what the ORM costs here.
_INSERT: Final = (
    'INSERT INTO "memory_auditentry" (id, project_id, operation, outcome, actor_kind, actor_id,'
    " edge, request_id, magnitude, is_read) VALUES "
)
_VALUES: Final = "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Call:
    """An operation that was carried out, and how many rows it concerned."""

    operation: Operation
    magnitude: int


def allowed(actor: Actor, *calls: Call) -> None:
    """Write one entry a call, in the transaction of the change or read. One statement."""
    rows: list[Any] = []
    for call in calls:
        rows += (
            uuid4(),
            actor.project_id,
            call.operation.value,
            AuditOutcome.ALLOWED.value,
            actor.kind.value,
            actor.id,
            actor.edge.value,
            actor.request_id,
            call.magnitude,
            call.operation in READ_OPERATIONS,
        )
    with connection.cursor() as cursor:
        cursor.execute(_INSERT + ", ".join([_VALUES] * len(calls)), rows)


def refused(actor: Actor, operation: Operation, code: str, *, magnitude: int = 0) -> None:
    """Write the entry of a refusal, in a transaction of its own, after the rollback.

    Raises Unavailable when it cannot be written: an unaudited refusal is answered as 503.
    """
    _save(
        AuditEntry(
            project_id=actor.project_id,
            operation=operation,
            outcome=AuditOutcome.REFUSED,
            code=code,
            actor_kind=actor.kind,
            actor_id=actor.id,
            edge=actor.edge,
            request_id=actor.request_id,
            magnitude=magnitude,
            is_read=operation in READ_OPERATIONS,
        )
    )


def authentication_refused(
    *, request_id: str, edge: Edge, code: str, project_id: UUID | None, magnitude: int = 0
) -> None:
    """Write the entry of a failed authentication; the project only where a credential named it."""
    _save(
        AuditEntry(
            project_id=project_id,
            operation=Operation.AUTHENTICATE,
            outcome=AuditOutcome.REFUSED,
            code=code,
            actor_kind=ActorKind.ANONYMOUS,
            actor_id=None,
            edge=edge,
            request_id=request_id,
            magnitude=magnitude,
            is_read=False,
        )
    )


def _save(entry: AuditEntry) -> None:
    try:
        with transaction.atomic():
            entry.save(force_insert=True)
    except Error as error:
        raise (refusal_of(error) or Unavailable()) from error
