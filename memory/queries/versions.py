"""Reads of the states that records have been in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import OuterRef, Subquery

from memory.errors import NotFound
from memory.models import RecordVersion
from memory.paging import Page, Seek
from memory.queries.records import Interval, RecordDetail, get_detail
from memory.transactions import audited_read
from memory.vocabulary import Operation, RecordStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.models.querysets import ProjectQuerySet


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One state that a record has been in, and what ended it."""

    id: UUID
    number: int
    change: str
    status: RecordStatus
    valid: Interval
    known: Interval
    request_id: str
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    source_id: UUID | None
    ended_at: datetime | None
    ended_by_source_id: UUID | None


@dataclass(frozen=True, slots=True)
class History:
    """A record, as it stands, and one page of the states it has been in, newest first."""

    record: RecordDetail
    versions: Page[VersionRow]

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return self.versions.magnitude


@audited_read(Operation.RECORD_HISTORY)
def get_history(*, actor: Actor, record_id: UUID, after: Seek | None, limit: int) -> History:
    """The states of a record, newest first. Two statements; memory_recordversion_number_uniq."""
    record = get_detail(actor, record_id)
    return History(record, list_versions(actor, record_id, after=after, limit=limit))


def list_versions(
    actor: Actor, record_id: UUID, *, after: Seek | None = None, limit: int
) -> Page[VersionRow]:
    """One page of a record's states, newest first; not audited by itself. One statement."""
    states = _states(actor, record_id)
    if after is not None:
        seen = RecordVersion.objects.visible_to(actor).filter(record_id=record_id, id=after.id)
        states = states.filter(number__lt=Subquery(seen.values("number")))
    found = states.order_by("-number")[: limit + 1]
    return Page.cut([_version_row(state) for state in found], limit)


def find_version(actor: Actor, record_id: UUID, version: UUID) -> VersionRow | None:
    """One state of a record by its token; for pages that say what somebody saw. One statement."""
    state = _states(actor, record_id).filter(id=version).first()
    return None if state is None else _version_row(state)


def get_version(actor: Actor, record_id: UUID, number: int) -> VersionRow:
    """One state of a record by its number, or NotFound. One statement.

    Index: memory_recordversion_number_uniq.
    """
    state = _states(actor, record_id).filter(number=number).order_by("number").first()
    if state is None:
        raise NotFound
    return _version_row(state)


def _states(actor: Actor, record_id: UUID) -> ProjectQuerySet[Any]:
    following = RecordVersion.objects.filter(
        project_id=OuterRef("project_id"),
        record_id=OuterRef("record_id"),
        number=OuterRef("number") + 1,
    )
    return (
        RecordVersion.objects.visible_to(actor)
        .filter(record_id=record_id)
        .annotate(
            ended_at=Subquery(following.values("recorded_at")),
            ended_by_source_id=Subquery(following.values("source_id")),
        )
    )


def _version_row(state: RecordVersion) -> VersionRow:
    ended_at: datetime | None = state.ended_at  # type: ignore[attr-defined]
    return VersionRow(
        id=state.id,
        number=state.number,
        change=state.change,
        status=RecordStatus(state.status),
        valid=Interval(state.valid_from, state.valid_until),
        known=Interval(state.known_from, state.known_until or ended_at),
        request_id=state.request_id,
        recorded_by=state.recorded_by_id,
        recorded_by_kind=state.recorded_by_kind,
        recorded_via=state.recorded_via,
        recorded_at=state.recorded_at,
        source_id=state.source_id,
        ended_at=ended_at,
        ended_by_source_id=state.ended_by_source_id,  # type: ignore[attr-defined]
    )


@dataclass(frozen=True, slots=True)
class ClosingRow:
    """The version that closed a record: which operation, by whom, when."""

    record_id: UUID
    version: UUID
    operation_id: UUID
    principal_id: UUID
    closed_at: datetime


def list_closings(actor: Actor, versions: Sequence[UUID]) -> list[ClosingRow]:
    """Closing versions in the order asked for. One statement."""
    found = RecordVersion.objects.visible_to(actor).in_bulk(versions)
    return [
        ClosingRow(
            record_id=found[version].record_id,
            version=version,
            operation_id=UUID(hex=found[version].request_id.removeprefix("req_")),
            principal_id=found[version].recorded_by_id,
            closed_at=found[version].recorded_at,
        )
        for version in versions
    ]
