"""Correct records: close each and put another in its place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from memory import audit, policies
from memory.errors import RecordConflict
from memory.idempotency import claim_request
from memory.operations.record_rows import (
    Closing,
    NewIds,
    NewRecord,
    Origin,
    write_records,
)
from memory.queries.record_locks import lock_records, time_of_change
from memory.transactions import operation
from memory.vocabulary import Operation, RecordChange, RecordKind, RecordStatus, Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.idempotency import Receipt
    from memory.keys import IdempotencyRequest
    from memory.queries.record_locks import LockedRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a record should say instead, and the version of it that somebody saw."""

    record_id: UUID
    expected_version: UUID
    object: str
    statement: str
    valid_from: datetime | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class CorrectedRecord:
    """The closed record with its closing version, and the one in its place."""

    original_id: UUID
    original_version: UUID
    id: UUID
    version: UUID
    source_id: UUID


@dataclass(frozen=True, slots=True)
class CorrectionReceipt:
    """One row a correction, in their order."""

    records: tuple[CorrectedRecord, ...]
    is_replay: bool


@operation(Operation.RECORD_CORRECT)
def correct_records(
    *, actor: Actor, corrections: Sequence[Correction], key: IdempotencyRequest | None = None
) -> CorrectionReceipt:
    """Supersede current records by new ones, all or nothing.

    May: reviewer, owner, read_write credential; not MCP. Refuses: Denied, NotFound (before any
    conflict), RecordConflict (another version, or closed), IdempotencyConflict,
    IdempotencyInProgress. Writes: per record its closing version, a new record with source and
    citation, the stamp on open reports; one audit entry. Rule: `contract.md` 1.2.
    """
    policies.can_change_records(actor).require()
    rows = [plan_correction(correction.record_id) for correction in corrections]
    stored = claim_request(actor, key, {"records": [_receipt(row) for row in rows]})
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.RECORD_CORRECT, 0))
        return CorrectionReceipt(
            tuple(_row(receipt) for receipt in stored["records"]), is_replay=True
        )
    records = lock_records(actor, [correction.record_id for correction in corrections])
    for record, correction in zip(records, corrections, strict=True):
        require_version(record, correction.expected_version)
    at = time_of_change(records)
    replace_records(actor, list(zip(records, corrections, rows, strict=True)), at)
    audit.allowed(actor, audit.Call(Operation.RECORD_CORRECT, len(rows)))
    return CorrectionReceipt(tuple(rows), is_replay=False)


def require_version(record: LockedRecord, expected_version: UUID) -> None:
    """Refuse with RecordConflict unless a locked record is current and of the version seen."""
    if record.version != expected_version or record.status != RecordStatus.CURRENT:
        raise RecordConflict


def replace_records(
    actor: Actor, changes: Sequence[tuple[LockedRecord, Correction, CorrectedRecord]], at: datetime
) -> int:
    """Close locked records and write those in their place; the open reports that were stamped."""
    successors = [_successor(actor, *change, at) for change in changes]
    closings = [
        Closing(record, row.original_version, successor)
        for (record, _, row), successor in zip(changes, successors, strict=True)
    ]
    return write_records(actor, closings=closings, new=successors, at=at)


def _successor(
    actor: Actor, record: LockedRecord, correction: Correction, row: CorrectedRecord, at: datetime
) -> NewRecord:
    return NewRecord(
        ids=NewIds(row.id, row.version, row.source_id),
        subject=record.subject,
        predicate=record.predicate,
        object=correction.object,
        statement=correction.statement,
        kind=RecordKind(record.kind),
        confidence=correction.confidence or record.confidence,
        trust=min(Trust(record.trust), actor.max_trust),
        data_subject_id=record.data_subject_id,
        valid_from=correction.valid_from or at,
        valid_until=None,
        origin=Origin(actor.edge),
        change=RecordChange.CORRECT,
        replaces=record.id,
    )


def plan_correction(record_id: UUID) -> CorrectedRecord:
    """The ids that a correction of this record will have made."""
    ids = NewIds()
    return CorrectedRecord(record_id, uuid4(), ids.record, ids.version, ids.source)


def _receipt(row: CorrectedRecord) -> Receipt:
    return {
        "original": str(row.original_id),
        "closing": str(row.original_version),
        "record": str(row.id),
        "version": str(row.version),
        "source": str(row.source_id),
    }


def _row(receipt: Receipt) -> CorrectedRecord:
    names = ("original", "closing", "record", "version", "source")
    return CorrectedRecord(*(UUID(receipt[name]) for name in names))
