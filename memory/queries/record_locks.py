"""The locks that operations take on records (`docs/locking.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from memory.errors import NotFound
from memory.models import Record
from memory.vocabulary import PREVIEW_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.actor import Actor


_SHARE: Final = """
SELECT subject, predicate, object, left(statement, %s), status, version, version_number,
  known_until, replaced_by
FROM memory_record WHERE project_id = %s AND id = %s FOR SHARE
"""


def lock_record(actor: Actor, record_id: UUID) -> Record:
    """The record with its aggregate locked against changes, or NotFound. One statement."""
    return lock_records(actor, [record_id])[0]


def lock_records(actor: Actor, record_ids: Iterable[UUID]) -> list[Record]:
    """Several records, locked by ascending id so that nobody deadlocks, in the order asked for.

    NO KEY UPDATE, so that rows which merely point at a record (a citation, an outcome) do not
    wait for its change. Raises NotFound unless all of them are visible.
    """
    wanted = list(record_ids)
    locked = (
        Record.objects.visible_to(actor)
        .filter(id__in=wanted)
        .order_by("id")
        .select_for_update(of=("self",), no_key=True)
    )
    by_id = {record.id: record for record in locked}
    if len(by_id) < len(set(wanted)):
        raise NotFound
    return [by_id[record_id] for record_id in wanted]


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

    FOR SHARE waits for a change under way and then sees its result. One statement, in SQL because
    the ORM has no FOR SHARE.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SHARE, [PREVIEW_CHARACTERS, actor.project_id, record_id])
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return Target(*row)
