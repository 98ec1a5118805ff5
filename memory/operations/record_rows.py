"""The rows behind every change of records: what assert, correct, retract and promote all write."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from memory import hooks
from memory.models import Citation, Message, Record, RecordVersion, Source, Subject
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

    record: Record
    version: UUID
    replaced_by: NewRecord | None = None


_CLOSED_COLUMNS: Final = ["status", "version", "version_number", "known_until", "replaced_by"]


def write_records(
    actor: Actor, *, closings: Sequence[Closing] = (), new: Sequence[NewRecord] = (), at: datetime
) -> int:
    """Close locked records and write new ones; how many open reports were about the closed.

    The originals are closed before the replacements come, so that a single-valued place is free.
    Two statements and the hooks' for closings, four for new records, one for all versions.
    """
    curated = [record for record in new if not record.cited]
    if curated:
        # Sources lock the project's log. Closing first would deadlock with an assertion that holds
        # the log and waits for the single-valued place that this closing is about to free.
        Source.objects.bulk_create([_source(actor, record, at) for record in curated])
        Message.objects.bulk_create([_message(actor, record, at) for record in curated])
    if closings:
        _close(closings, at)
    if new:
        Record.objects.bulk_create([_record(actor, record, at) for record in new])
        Citation.objects.bulk_create(
            [_citation(actor, record, span, at) for record in new for span in _spans(record)]
        )
    RecordVersion.objects.bulk_create(
        [
            *(_closing_version(actor, closing, at) for closing in closings),
            *(_first_version(actor, record, at) for record in new),
        ]
    )
    closed = [_closed(closing.record) for closing in closings]
    return hooks.record_closed(actor.project_id, closed, at) if closed else 0


def _close(closings: Sequence[Closing], at: datetime) -> None:
    for closing in closings:
        record, successor = closing.record, closing.replaced_by
        record.status = RecordStatus.SUPERSEDED if successor else RecordStatus.RETRACTED
        record.version = closing.version
        record.version_number += 1
        record.known_until = at
        record.replaced_by = successor.ids.record if successor else None
    if len(closings) == 1:  # a third of the cost of the general form, and the usual case
        closings[0].record.save(update_fields=_CLOSED_COLUMNS)
    else:
        Record.objects.bulk_update([closing.record for closing in closings], _CLOSED_COLUMNS)


def _closed(record: Record) -> hooks.ClosedRecord:
    return hooks.ClosedRecord(
        record.id,
        RecordStatus(record.status),
        record.version,
        record.version_number,
        record.replaced_by,
    )


def ensure_subjects(actor: Actor, names: Iterable[str | None]) -> dict[str | None, UUID | None]:
    """Ids of data subjects by name, written where they are new. At most one statement."""
    digests = current_scope().digests
    ids = {name: digests.subject_id(name) for name in names if name is not None}
    if ids:
        subjects = [
            Subject(id=subject_id, project_id=actor.project_id, name=name)
            for name, subject_id in sorted(ids.items(), key=itemgetter(1))
        ]
        Subject.objects.bulk_create(subjects, ignore_conflicts=True)
    found: dict[str | None, UUID | None] = {None: None}
    found.update(ids)
    return found


def _by(actor: Actor, at: datetime) -> dict[str, object]:
    return {
        "project_id": actor.project_id,
        "recorded_by_kind": actor.kind,
        "recorded_by_id": actor.id,
        "recorded_via": actor.edge,
        "recorded_at": at,
        "request_id": actor.request_id,
    }


def _source(actor: Actor, record: NewRecord, at: datetime) -> Source:
    return Source(
        id=record.ids.source,
        kind=SourceKind.CURATED,
        origin_type=record.origin.type,
        origin_ref=record.origin.ref,
        origin_id=record.origin.id,
        trust=record.trust,
        data_subject_id=record.data_subject_id,
        content_hash=current_scope().digests.digest("content", MessageRole.USER, record.statement),
        occurred_at=at,
        **_by(actor, at),
    )


def _message(actor: Actor, record: NewRecord, at: datetime) -> Message:
    return Message(
        project_id=actor.project_id,
        source_id=record.ids.source,
        ordinal=0,
        role=MessageRole.USER,
        content=record.statement,
        occurred_at=at,
    )


def _record(actor: Actor, record: NewRecord, at: datetime) -> Record:
    return Record(
        id=record.ids.record,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        statement=record.statement,
        kind=record.kind,
        confidence=record.confidence,
        trust=record.trust,
        data_subject_id=record.data_subject_id,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
        known_from=at,
        version=record.ids.version,
        replaces=record.replaces,
        source_role=record.source_role,
        is_disputed=record.is_disputed,
        observer_name=record.observer_name,
        origin_digest=record.origin_digest,
        **_by(actor, at),
    )


def _first_version(actor: Actor, record: NewRecord, at: datetime) -> RecordVersion:
    return RecordVersion(
        id=record.ids.version,
        record_id=record.ids.record,
        number=1,
        change=record.change,
        status=RecordStatus.CURRENT,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
        known_from=at,
        source_id=record.ids.source,
        **_by(actor, at),
    )


def _closing_version(actor: Actor, closing: Closing, at: datetime) -> RecordVersion:
    record, successor = closing.record, closing.replaced_by
    return RecordVersion(
        id=closing.version,
        record_id=record.id,
        number=record.version_number,
        change=RecordChange.CORRECT if successor else RecordChange.RETRACT,
        status=record.status,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
        known_from=record.known_from,
        known_until=at,
        source_id=successor.ids.source if successor else None,
        **_by(actor, at),
    )


def _spans(record: NewRecord) -> tuple[CitedSpan, ...]:
    """What a record cites: the statement itself where it has no other source."""
    if record.cited:
        return record.cited
    size = len(record.statement.encode())
    return (CitedSpan(record.ids.source, 0, 0, size, record.statement, Relation.SUPPORTS),)


def _citation(actor: Actor, record: NewRecord, span: CitedSpan, at: datetime) -> Citation:
    return Citation(
        project_id=actor.project_id,
        record_id=record.ids.record,
        source_id=span.source_id,
        ordinal=span.ordinal,
        byte_start=span.byte_start,
        byte_end=span.byte_end,
        quote=span.quote,
        relation=span.relation,
        recorded_at=at,
    )
