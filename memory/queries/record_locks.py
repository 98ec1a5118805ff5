"""The locks that operations take on records (`docs/locking.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from memory.errors import NotFound
from memory.vocabulary import PREVIEW_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class LockedRecord:
    """A record that nobody else changes before this transaction ends."""

    id: UUID
    subject: str
    predicate: str
    kind: str
    confidence: float
    trust: int
    data_subject_id: UUID | None
    valid_from: datetime
    valid_until: datetime | None
    known_from: datetime
    status: str
    version: UUID
    version_number: int
    locked_at: datetime  # by the database's clock, once it was locked


# The clock is read for each row that leaves the part above it, so after that row was locked.
_LOCK: Final = """
WITH locked AS MATERIALIZED (
  SELECT id, subject, predicate, kind, confidence, trust, data_subject_id, valid_from, valid_until,
    known_from, status, version, version_number
  FROM memory_record WHERE project_id = %s AND id = ANY(%s) ORDER BY id FOR NO KEY UPDATE
)
SELECT *, clock_timestamp() FROM locked
"""
_SHARE: Final = """
SELECT subject, predicate, object, left(statement, %s), status, version, version_number,
  known_until, replaced_by
FROM memory_record WHERE project_id = %s AND id = %s FOR SHARE
"""


def lock_record(actor: Actor, record_id: UUID) -> LockedRecord:
    """The record with its aggregate locked against changes, or NotFound. One statement."""
    return lock_records(actor, [record_id])[0]


def lock_records(actor: Actor, record_ids: Iterable[UUID]) -> list[LockedRecord]:
    """Several records, locked by ascending id so that nobody deadlocks, in the order asked for.

    NO KEY UPDATE, so that rows which merely point at a record (a citation, an outcome) do not
    wait for its change. Raises NotFound unless all of them are visible. One statement.
    """
    wanted = list(record_ids)
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [actor.project_id, wanted])
        by_id = {row[0]: LockedRecord(*row) for row in cursor.fetchall()}
    if len(by_id) < len(set(wanted)):
        raise NotFound
    return [by_id[record_id] for record_id in wanted]


def time_of_change(records: Sequence[LockedRecord]) -> datetime:
    """The database's time after the locks, which a change of these records has.

    Never before one of them began, should that clock have been set back.
    """
    return max(time for record in records for time in (record.locked_at, record.known_from))


@dataclass(frozen=True, slots=True)
class Target:
    """What a report says of the record it is about."""

    subject: str
    predicate: str
    object: str
    preview: str
    status: str
    version: UUID
    version_number: int
    closed_at: datetime | None
    replaced_by: UUID | None

    def is_current_at(self, version: UUID) -> bool:
        """Whether the record is current, and has this version."""
        return self.closed_at is None and self.version == version


def share_record(actor: Actor, record_id: UUID) -> Target:
    """A record, whose state nobody changes before this transaction ends, or NotFound.

    FOR SHARE waits for a change under way and then sees its result. One statement.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SHARE, [PREVIEW_CHARACTERS, actor.project_id, record_id])
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return Target(*row)
