"""The rows behind every change of records: what assert, correct, retract and promote all write."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from django.db import connection

from memory import hooks
from memory.hooks import ClosedRecord
from memory.operations.insert_rows import Row, insert_rows
from memory.scope import current_scope
from memory.vocabulary import (
    MessageRole,
    RecordChange,
    RecordKind,
    RecordStatus,
    Relation,
    SourceKind,
    Trust,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.actor import Actor
    from memory.queries.record_locks import LockedRecord


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a curated source says that it comes from."""

    type: str
    ref: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class NewIds:
    """Ids of a record to be: made before anything is written, so that receipts are known early."""

    record: UUID = field(default_factory=uuid4)
    version: UUID = field(default_factory=uuid4)
    source: UUID = field(default_factory=uuid4)


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """Bytes of a stored message that a new record cites, and how they bear on it."""

    source_id: UUID
    ordinal: int
    byte_start: int
    byte_end: int
    quote: str
    relation: Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """A record to be written.

    It rests on the spans that it cites, or, without any, on a curated source that is written with
    it: one message, the statement, cited whole.
    """

    ids: NewIds
    subject: str
    predicate: str
    object: str
    statement: str
    kind: RecordKind
    confidence: float
    trust: Trust
    data_subject_id: UUID | None
    valid_from: datetime
    valid_until: datetime | None
    origin: Origin
    change: RecordChange
    origin_digest: bytes | None = None
    replaces: UUID | None = None
    cited: tuple[CitedSpan, ...] = ()
    source_role: MessageRole = MessageRole.USER
    is_disputed: bool = False
    observer_name: str | None = None


@dataclass(frozen=True, slots=True)
class Closing:
    """A locked record about to be closed, and the id of the version that closes it."""

    record: LockedRecord
    version: UUID
    replaced_by: NewRecord | None = None

    @property
    def closed(self) -> ClosedRecord:
        """The record's last state."""
        return ClosedRecord(
            id=self.record.id,
            status=RecordStatus.SUPERSEDED if self.replaced_by else RecordStatus.RETRACTED,
            version=self.version,
            version_number=self.record.version_number + 1,
            replaced_by=self.replaced_by.ids.record if self.replaced_by else None,
        )


_CLOSE: Final = """
UPDATE "memory_record" r
SET status = t.status, version = t.version, version_number = t.version_number, known_until = %s,
  replaced_by = t.replaced_by
FROM unnest(%s::uuid[], %s::text[], %s::uuid[], %s::integer[], %s::uuid[])
  AS t (id, status, version, version_number, replaced_by)
WHERE r.project_id = %s AND r.id = t.id
"""


def write_records(
    actor: Actor, *, closings: Sequence[Closing] = (), new: Sequence[NewRecord] = (), at: datetime
) -> int:
    """Close locked records and write new ones; how many open reports were about the closed.

    The originals are closed before the replacements come, so that a single-valued place is free.
    One statement and the hooks' for closings, one for curated sources with their messages, one for
    the rest.
    """
    closed = [closing.closed for closing in closings]
    versions = [_closing_version(actor, closing, at) for closing in closings]
    written = {"memory_recordversion": [*versions, *(_first_version(actor, r, at) for r in new)]}
    curated = [record for record in new if not record.cited]
    if curated:
        # Sources lock the project's log. Closing first would deadlock with an assertion that holds
        # the log and waits for the single-valued place that this closing is about to free.
        insert_rows(
            {
                "memory_source": [_source(actor, record, at) for record in curated],
                "memory_message": [_message(actor, record, at) for record in curated],
            }
        )
    if new:
        written["memory_citation"] = [
            citation for record in new for citation in _citations(actor, record, at)
        ]
        written["memory_record"] = [_record(actor, record, at) for record in new]
    if closed:
        _close(actor, closed, at)
    insert_rows(written)
    return hooks.record_closed(actor.project_id, closed, at) if closed else 0


def _close(actor: Actor, closed: Sequence[ClosedRecord], at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_CLOSE, [at, *hooks.columns_of(closed), actor.project_id])


def ensure_subjects(actor: Actor, names: Iterable[str | None]) -> dict[str | None, UUID | None]:
    """Ids of data subjects by name, written where they are new. At most one statement."""
    known = {name for name in names if name is not None}
    rows = subject_rows(actor, known)
    if rows:
        insert_rows({"memory_subject": rows}, known=["memory_subject"])
    return {None: None, **{row["name"]: row["id"] for row in rows}}


def subject_rows(actor: Actor, names: Iterable[str]) -> list[Row]:
    """Data subjects of these names, by ascending id, as which order everybody locks them."""
    digests = current_scope().digests
    rows = [
        {"id": digests.subject_id(name), "project_id": actor.project_id, "name": name}
        for name in names
    ]
    return sorted(rows, key=itemgetter("id"))


def _by(actor: Actor, at: datetime) -> Row:
    return {
        "project_id": actor.project_id,
        "recorded_by_kind": actor.kind,
        "recorded_by_id": actor.id,
        "recorded_via": actor.edge,
        "recorded_at": at,
        "request_id": actor.request_id,
    }


def _source(actor: Actor, record: NewRecord, at: datetime) -> Row:
    return {
        "id": record.ids.source,
        "kind": SourceKind.CURATED,
        "origin_type": record.origin.type,
        "origin_ref": record.origin.ref,
        "origin_id": record.origin.id,
        "trust": record.trust,
        "data_subject_id": record.data_subject_id,
        "content_hash": current_scope().digests.digest(
            "content", MessageRole.USER, record.statement
        ),
        "occurred_at": at,
        **_by(actor, at),
    }


def _message(actor: Actor, record: NewRecord, at: datetime) -> Row:
    return {
        "id": uuid4(),
        "project_id": actor.project_id,
        "source_id": record.ids.source,
        "ordinal": 0,
        "role": MessageRole.USER,
        "content": record.statement,
        "occurred_at": at,
    }


def _record(actor: Actor, record: NewRecord, at: datetime) -> Row:
    return {
        "id": record.ids.record,
        "subject": record.subject,
        "predicate": record.predicate,
        "object": record.object,
        "statement": record.statement,
        "kind": record.kind,
        "confidence": record.confidence,
        "trust": record.trust,
        "data_subject_id": record.data_subject_id,
        "valid_from": record.valid_from,
        "valid_until": record.valid_until,
        "known_from": at,
        "status": RecordStatus.CURRENT,
        "version": record.ids.version,
        "version_number": 1,
        "replaces": record.replaces,
        "is_single_valued": False,  # the trigger knows better
        "is_disputed": record.is_disputed,
        "observer_name": record.observer_name,
        "source_role": record.source_role,
        "origin_digest": record.origin_digest,
        **_by(actor, at),
    }


def _first_version(actor: Actor, record: NewRecord, at: datetime) -> Row:
    return {
        "id": record.ids.version,
        "record_id": record.ids.record,
        "number": 1,
        "change": record.change,
        "status": RecordStatus.CURRENT,
        "valid_from": record.valid_from,
        "valid_until": record.valid_until,
        "known_from": at,
        "known_until": None,
        "source_id": record.ids.source,
        **_by(actor, at),
    }


def _closing_version(actor: Actor, closing: Closing, at: datetime) -> Row:
    record, closed, successor = closing.record, closing.closed, closing.replaced_by
    return {
        "id": closed.version,
        "record_id": record.id,
        "number": closed.version_number,
        "change": RecordChange.CORRECT if successor else RecordChange.RETRACT,
        "status": closed.status,
        "valid_from": record.valid_from,
        "valid_until": record.valid_until,
        "known_from": record.known_from,
        "known_until": at,
        "source_id": successor.ids.source if successor else None,
        **_by(actor, at),
    }


def _spans(record: NewRecord) -> tuple[CitedSpan, ...]:
    """What a record cites: the statement itself where it has no other source."""
    if record.cited:
        return record.cited
    size = len(record.statement.encode())
    return (CitedSpan(record.ids.source, 0, 0, size, record.statement, Relation.SUPPORTS),)


def _citations(actor: Actor, record: NewRecord, at: datetime) -> list[Row]:
    """Citations of one record have one time, so their ids keep them in the order of the spans."""
    spans = _spans(record)
    ids = sorted(uuid4() for _ in spans)
    return [
        {
            "id": id_,
            "project_id": actor.project_id,
            "record_id": record.ids.record,
            "source_id": span.source_id,
            "ordinal": span.ordinal,
            "byte_start": span.byte_start,
            "byte_end": span.byte_end,
            "quote": span.quote,
            "relation": span.relation,
            "recorded_at": at,
        }
        for id_, span in zip(ids, spans, strict=True)
    ]
