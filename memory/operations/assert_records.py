"""Assert new records, each on a curated source of its own."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memory import audit, policies
from memory.errors import FieldInvalid
from memory.idempotency import Key, Receipt, claim, claim_request
from memory.operations.record_rows import (
    NewIds,
    NewRecord,
    Origin,
    ensure_subjects,
    write_records,
)
from memory.queries.records import find_by_origin, find_statuses
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import KeyScope, Operation, RecordChange, RecordKind, RecordStatus, Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDraft:
    """What somebody asserts; times default to now and open."""

    subject: str
    predicate: str
    object: str
    statement: str
    idempotency_key: UUID | None = None
    data_subject: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    kind: RecordKind = RecordKind.SEMANTIC_FACT
    confidence: float = 1.0
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class AssertedRecord:
    """The record that an assertion made, or the one that it had made before."""

    id: UUID
    version: UUID
    source_id: UUID
    is_replay: bool
    status: RecordStatus


@dataclass(frozen=True, slots=True)
class AssertionReceipt:
    """One row a draft, in their order."""

    records: tuple[AssertedRecord, ...]

    @property
    def is_replay(self) -> bool:
        """Whether nothing new was written."""
        return all(record.is_replay for record in self.records)


@operation(Operation.RECORD_ASSERT)
def assert_records(
    *, actor: Actor, drafts: Sequence[RecordDraft], key: IdempotencyRequest | None = None
) -> AssertionReceipt:
    """Believe new things, all or nothing.

    A key seen before, or an origin with an id that already named a record, answers that record in
    whatever state it is: nothing revives. May: reviewer, owner, read_write credential; not MCP.
    Refuses: Denied, FieldInvalid (validity), IdempotencyConflict, IdempotencyInProgress,
    RecordConflict (a single-valued place is taken). Writes per new record: source, message, record,
    version 1, citation, key; one audit entry. Rule: `contract.md` 1.1.
    """
    policies.can_change_records(actor).require()
    at = current_scope().opened_at
    _check_validity(drafts, at)
    origins = [_origin_digest(draft) for draft in drafts]
    # The drafts' own keys first: the receipt of the whole call names what they had made before.
    rows = _with_replays(actor, drafts, _planned(actor, origins))
    whole = claim_request(actor, key, {"records": [_receipt(row) for row in rows]})
    if whole is not None:
        rows = _stored(actor, whole["records"])
    new = [item for item in zip(drafts, origins, rows, strict=True) if not item[2].is_replay]
    if new:
        write_records(actor, new=_new_records(actor, new, at), at=at)
    audit.allowed(actor, audit.Call(Operation.RECORD_ASSERT, len(new)))
    return AssertionReceipt(tuple(rows))


def _check_validity(drafts: Sequence[RecordDraft], at: datetime) -> None:
    for index, draft in enumerate(drafts):
        if draft.valid_until is not None and draft.valid_until <= (draft.valid_from or at):
            raise FieldInvalid(f"records[{index}].valid_until", "must be after valid_from.")


def _origin_digest(draft: RecordDraft) -> bytes | None:
    """The five values that name one record of a project, where the origin has an id."""
    if draft.origin is None or draft.origin.id is None:
        return None
    return current_scope().digests.digest(
        "origin", draft.origin.type, draft.origin.id, draft.subject, draft.predicate, draft.object
    )


def _planned(actor: Actor, origins: Sequence[bytes | None]) -> list[AssertedRecord]:
    """A row a draft: the record that its origin already names, or a new one."""
    known = {
        digest: _asserted(NewIds(row.id, row.version, row.source_id), row.status, is_replay=True)
        for digest, row in find_by_origin(actor, [o for o in origins if o is not None]).items()
    }
    rows = []
    for origin in origins:
        row = known.get(origin) if origin is not None else None
        if row is None:
            row = _asserted(NewIds(), RecordStatus.CURRENT, is_replay=False)
            if origin is not None:  # the same origin again in this call is the same record
                known[origin] = replace(row, is_replay=True)
        rows.append(row)
    return rows


def _asserted(ids: NewIds, status: RecordStatus, *, is_replay: bool) -> AssertedRecord:
    return AssertedRecord(ids.record, ids.version, ids.source, is_replay, status)


def _with_replays(
    actor: Actor, drafts: Sequence[RecordDraft], rows: Sequence[AssertedRecord]
) -> list[AssertedRecord]:
    """Claim the drafts' own keys; what equal calls had made before takes the place of new rows."""
    keys = [
        Key(str(draft.idempotency_key), _fingerprint(draft), _receipt(row))
        for draft, row in zip(drafts, rows, strict=True)
        if draft.idempotency_key is not None
    ]
    receipts = claim(actor, KeyScope.RECORD, keys)
    stored = dict(zip(receipts, _stored(actor, list(receipts.values())), strict=True))
    return [
        stored.get(str(draft.idempotency_key), row) for draft, row in zip(drafts, rows, strict=True)
    ]


def _fingerprint(draft: RecordDraft) -> bytes:
    content = {name: value for name, value in asdict(draft).items() if name != "idempotency_key"}
    text = json.dumps(content, sort_keys=True, default=str)
    return current_scope().digests.digest("record.assert", text)


def _receipt(row: AssertedRecord) -> Receipt:
    return {"record": str(row.id), "version": str(row.version), "source": str(row.source_id)}


def _stored(actor: Actor, receipts: Sequence[Receipt]) -> list[AssertedRecord]:
    """What receipts stand for, with the status of each record as it is now."""
    statuses = find_statuses(actor, [UUID(receipt["record"]) for receipt in receipts])
    return [
        AssertedRecord(
            id=UUID(receipt["record"]),
            version=UUID(receipt["version"]),
            source_id=UUID(receipt["source"]),
            is_replay=True,
            status=statuses[UUID(receipt["record"])],
        )
        for receipt in receipts
    ]


def _new_records(
    actor: Actor, new: Sequence[tuple[RecordDraft, bytes | None, AssertedRecord]], at: datetime
) -> list[NewRecord]:
    subjects = ensure_subjects(actor, (draft.data_subject for draft, _, _ in new))
    return [
        NewRecord(
            ids=NewIds(row.id, row.version, row.source_id),
            subject=draft.subject,
            predicate=draft.predicate,
            object=draft.object,
            statement=draft.statement,
            kind=draft.kind,
            confidence=draft.confidence,
            trust=min(Trust.ASSERTED, actor.max_trust),
            data_subject_id=subjects[draft.data_subject],
            valid_from=draft.valid_from or at,
            valid_until=draft.valid_until,
            origin=draft.origin or Origin(actor.edge),
            change=RecordChange.ASSERT,
            origin_digest=origin,
        )
        for draft, origin, row in new
    ]
