"""Reads of the audit log, for auditors and owners."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Q

from memory import policies
from memory.models import AuditEntry
from memory.paging import Page
from memory.transactions import audited_read
from memory.vocabulary import SCANNED_ROWS, AuditOutcome, Edge, Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.models.querysets import ProjectQuerySet
    from memory.paging import Seek


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """What the log is narrowed to; `since` is inclusive, `until` exclusive."""

    operation: str | None = None
    outcome: AuditOutcome | None = None
    actor_id: UUID | None = None
    edge: Edge | None = None
    request_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    is_hiding_reads: bool = False


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry, without what only the sealer needs."""

    id: UUID
    recorded_at: datetime
    operation: str
    outcome: str
    code: str
    actor_kind: str
    actor_id: UUID | None
    edge: str
    request_id: str
    magnitude: int


_COLUMNS = tuple(field.name for field in fields(AuditRow))


@audited_read(Operation.AUDIT_LIST)
def list_entries(
    *, actor: Actor, narrow: AuditFilter, after: Seek | None, limit: int
) -> Page[AuditRow]:
    """One page of the project's log, newest first.

    One statement; two where a condition is answered by no index, which then reads at most
    `SCANNED_ROWS` index entries. Indexes: memory_auditentry_all_idx, _change_, _op_, _actor_,
    _request_.
    """
    policies.can_read_audit(actor).require()
    rows, rest = _indexed(AuditEntry.objects.visible_to(actor), narrow)
    if narrow.since is not None:
        rows = rows.filter(recorded_at__gte=narrow.since)
    if narrow.until is not None:
        rows = rows.filter(recorded_at__lt=narrow.until)
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    bound = rows.scan_bound(SCANNED_ROWS) if rest else None
    if rest:
        rows = rows.up_to(bound, is_newest_first=True).filter(rest)
    found = [AuditRow(*values) for values in rows.values_list(*_COLUMNS)[: limit + 1]]
    return Page.cut(found, limit, bound=bound)


def list_actor_ids(actor: Actor) -> list[UUID]:
    """Who stands in the newest part of this project's log; for the filter's choices.

    One statement that reads at most `SCANNED_ROWS` entries.
    """
    policies.can_read_audit(actor).require()
    newest = AuditEntry.objects.visible_to(actor).in_order(is_newest_first=True)
    ids = newest.values_list("actor_id", flat=True)[:SCANNED_ROWS]
    return sorted({actor_id for actor_id in ids if actor_id is not None})


def _indexed(
    rows: ProjectQuerySet[AuditEntry], narrow: AuditFilter
) -> tuple[ProjectQuerySet[AuditEntry], Q]:
    """Split a filter into what one index answers and what is left to look at row by row."""
    conditions = {
        "request_id": narrow.request_id,
        "actor_id": narrow.actor_id,
        "operation": narrow.operation,
        "is_read": False if narrow.is_hiding_reads else None,
        "outcome": narrow.outcome,
        "edge": narrow.edge,
    }
    wanted = {name: value for name, value in conditions.items() if value is not None}
    answered = next(
        (name for name in ("request_id", "actor_id", "operation", "is_read") if name in wanted),
        None,
    )
    if answered is not None:
        rows = rows.filter(Q((answered, wanted.pop(answered))))
    return rows, Q(*wanted.items())
