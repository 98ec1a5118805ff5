"""Records as claims: what a consolidation answers of them, read back from their rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import OuterRef, Subquery

from memory.models import Citation, Record
from memory.scope import current_scope
from memory.vocabulary import RecordStatus, Trust

if TYPE_CHECKING:
    from collections.abc import Collection

    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a record stands: its status, whether evidence contradicts it, whether it holds on."""

    status: RecordStatus
    is_disputed: bool
    is_expired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A record as it is now, with the sources that it cites."""

    id: UUID
    version: UUID
    kind: str
    standing: Standing
    trust: Trust
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    source_ids: tuple[UUID, ...]


def find_claims(actor: Actor, record_ids: Collection[UUID]) -> dict[UUID, ClaimRow]:
    """Records by id; erased ones are absent. One statement."""
    cited = (
        Citation.objects.filter(project_id=OuterRef("project_id"), record_id=OuterRef("id"))
        .order_by()
        .values("record_id")
        .annotate(sources=ArrayAgg("source_id", order_by=("recorded_at", "id")))
        .values("sources")
    )
    rows = Record.objects.visible_to(actor).filter(id__in=record_ids)
    now = current_scope().opened_at
    return {
        row[0]: ClaimRow(
            id=row[0],
            version=row[1],
            kind=row[2],
            standing=Standing(
                RecordStatus(row[3]),
                is_disputed=row[4],
                is_expired=row[8] is not None and row[8] <= now,
            ),
            trust=Trust(row[5]),
            confidence=row[6],
            valid_from=row[7],
            valid_until=row[8],
            source_ids=tuple(dict.fromkeys(row[9] or ())),
        )
        for row in rows.values_list(
            "id",
            "version",
            "kind",
            "status",
            "is_disputed",
            "trust",
            "confidence",
            "valid_from",
            "valid_until",
            Subquery(cited),
        )
    }
