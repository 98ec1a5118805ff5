"""The records before and after one: a correction makes a new record, so a belief is a chain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db.models import F

from memory.models import Record
from memory.vocabulary import RecordStatus, Trust

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.queries.records import RecordDetail


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedRecord:
    """A record that another one replaced, or was replaced by, with all that it says."""

    id: UUID
    version: UUID
    version_number: int
    subject: str
    predicate: str
    object: str
    statement: str
    kind: str
    trust: Trust
    confidence: float
    data_subject: str | None
    status: RecordStatus
    valid_from: datetime
    valid_until: datetime | None
    known_from: datetime
    known_until: datetime | None
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str


@dataclass(frozen=True, slots=True)
class Chain:
    """The links on both sides of a record; None at an end, or where a link was erased."""

    predecessor: LinkedRecord | None
    successor: LinkedRecord | None


_SAME: Final = (
    "id",
    "version",
    "version_number",
    "subject",
    "predicate",
    "object",
    "statement",
    "kind",
    "confidence",
    "valid_from",
    "valid_until",
    "known_from",
    "known_until",
    "recorded_by_kind",
    "recorded_via",
)


def find_chain(actor: Actor, record: RecordDetail) -> Chain:
    """What a record replaced and what replaced it. At most one statement, by primary key."""
    wanted = [id_ for id_ in (record.replaces, record.replaced_by) if id_ is not None]
    if not wanted:
        return Chain(None, None)
    rows = (
        Record.objects.visible_to(actor)
        .filter(id__in=wanted)
        .values(*_SAME, "trust", "status", "recorded_by_id", about=F("data_subject_name"))
    )
    found = {row["id"]: _linked(row) for row in rows}
    return Chain(
        predecessor=found.get(record.replaces) if record.replaces else None,
        successor=found.get(record.replaced_by) if record.replaced_by else None,
    )


def _linked(row: dict[str, Any]) -> LinkedRecord:
    return LinkedRecord(
        **{name: row[name] for name in _SAME},
        trust=Trust(row["trust"]),
        status=RecordStatus(row["status"]),
        recorded_by=row["recorded_by_id"],
        data_subject=row["about"],
    )
