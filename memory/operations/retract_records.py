"""Retract records: close what is known, keep the history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from memory import audit, policies
from memory.idempotency import claim_request
from memory.operations.correct_records import require_version
from memory.operations.record_rows import Closing, write_records
from memory.queries.record_locks import lock_records, time_of_change
from memory.queries.versions import list_closings
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionDraft:
    """A record that should be believed no more, and the version of it that somebody saw."""

    record_id: UUID
    expected_version: UUID


@dataclass(frozen=True, slots=True)
class RetractedRecord:
    """A retracted record with its closing version, and what closed it."""

    id: UUID
    version: UUID
    operation_id: UUID
    principal_id: UUID
    retracted_at: datetime


@dataclass(frozen=True, slots=True)
class RetractionReceipt:
    """One row a retraction, in their order."""

    records: tuple[RetractedRecord, ...]
    is_replay: bool


@operation(Operation.RECORD_RETRACT)
def retract_records(
    *, actor: Actor, retractions: Sequence[RetractionDraft], key: IdempotencyRequest | None = None
) -> RetractionReceipt:
    """Believe current records no more, all or nothing; nothing replaces them.

    May: reviewer, owner, read_write credential; not MCP. Refuses: Denied, NotFound (before any
    conflict), RecordConflict (another version, or closed), IdempotencyConflict,
    IdempotencyInProgress. Writes: per record its closing version and the stamp on open reports;
    one audit entry. Rule: `contract.md` 1.2.
    """
    policies.can_change_records(actor).require()
    versions = [uuid4() for _ in retractions]
    stored = claim_request(actor, key, {"versions": [str(version) for version in versions]})
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.RECORD_RETRACT, 0))
        closings = list_closings(actor, [UUID(version) for version in stored["versions"]])
        rows = tuple(
            RetractedRecord(
                row.record_id, row.version, row.operation_id, row.principal_id, row.closed_at
            )
            for row in closings
        )
        return RetractionReceipt(rows, is_replay=True)
    records = lock_records(actor, [retraction.record_id for retraction in retractions])
    for record, retraction in zip(records, retractions, strict=True):
        require_version(record, retraction.expected_version)
    at = time_of_change(records)
    pairs = [Closing(*pair) for pair in zip(records, versions, strict=True)]
    write_records(actor, closings=pairs, at=at)
    audit.allowed(actor, audit.Call(Operation.RECORD_RETRACT, len(records)))
    rows = tuple(
        RetractedRecord(closing.record.id, closing.version, actor.operation_id, actor.id, at)
        for closing in pairs
    )
    return RetractionReceipt(rows, is_replay=False)
