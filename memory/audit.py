"""The only writer of audit entries. An entry never holds text, nor an id of what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import Error, transaction

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


@dataclass(frozen=True, slots=True)
class Call:
    """An operation that was carried out, and how many rows it concerned."""

    operation: Operation
    magnitude: int


def allowed(actor: Actor, *calls: Call) -> None:
    """Write one entry a call, in the transaction of the change or read. One statement."""
    entries = [
        _entry(actor, call.operation, AuditOutcome.ALLOWED, magnitude=call.magnitude)
        for call in calls
    ]
    AuditEntry.objects.bulk_create(entries)


def refused(actor: Actor, operation: Operation, code: str, *, magnitude: int = 0) -> None:
    """Write the entry of a refusal, in a transaction of its own, after the rollback.

    Raises Unavailable when it cannot be written: an unaudited refusal is answered as 503.
    """
    _save(_entry(actor, operation, AuditOutcome.REFUSED, code=code, magnitude=magnitude))


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


def _entry(
    actor: Actor, operation: Operation, outcome: AuditOutcome, *, magnitude: int, code: str = ""
) -> AuditEntry:
    return AuditEntry(
        project_id=actor.project_id,
        operation=operation,
        outcome=outcome,
        code=code,
        actor_kind=actor.kind,
        actor_id=actor.id,
        edge=actor.edge,
        request_id=actor.request_id,
        magnitude=magnitude,
        is_read=operation in READ_OPERATIONS,
    )


def _save(entry: AuditEntry) -> None:
    try:
        with transaction.atomic():
            entry.save(force_insert=True)
    except Error as error:
        raise (refusal_of(error) or Unavailable()) from error
