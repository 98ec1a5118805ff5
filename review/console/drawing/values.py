"""What a record says, as the change table compares it; and its cited spans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from review.changes import RecordValues
from review.screens import Citation

if TYPE_CHECKING:
    from memory.queries.chain import LinkedRecord
    from memory.queries.citations import CitationRow
    from memory.queries.records import RecordDetail
    from memory.queries.versions import VersionRow


def said_by(record: RecordDetail) -> RecordValues:
    """What a person decides by: all that a record says, not when it was believed."""
    return RecordValues(
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        statement=record.statement,
        kind=record.kind,
        trust=record.trust,
        confidence=record.confidence,
        about=record.data_subject,
        valid_from=record.valid.start,
        valid_until=record.valid.until,
    )


def state_of_version(record: RecordDetail, version: VersionRow) -> RecordValues:
    """A record in one of its versions: what it says stays, its state is the version's."""
    return replace(
        said_by(record),
        status=version.status.value,
        valid_from=version.valid.start,
        valid_until=version.valid.until,
        known_from=version.known.start,
        known_until=version.known.until,
    )


def state_of_linked(record: LinkedRecord) -> RecordValues:
    """A record before or after another one, as it stands now."""
    return RecordValues(
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        statement=record.statement,
        kind=record.kind,
        trust=record.trust,
        confidence=record.confidence,
        about=record.data_subject,
        status=record.status.value,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
        known_from=record.known_from,
        known_until=record.known_until,
    )


def citation(row: CitationRow) -> Citation:
    """A cited span in what is shown of its message; the offsets count from there."""
    return Citation(
        relation=row.relation,
        source_kind=row.source_kind,
        source_type=row.origin_type,
        source_ref=row.origin_ref,
        role=row.role,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        text=row.context,
        byte_start=row.byte_start - row.context_byte_start,
        byte_end=row.byte_end - row.context_byte_start,
        is_complete=row.is_context_complete,
    )
