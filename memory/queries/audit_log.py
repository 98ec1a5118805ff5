"""Reads of the audit log, for auditors and owners."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Q

from memory import policies
from memory.models import AuditEntry
from memory.paging import Page
from memory.transactions import audited_read
from memory.vocabulary import SCANNED_ROWS, ActorKind, AuditOutcome, Edge, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

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


HELD_BACK_ENTRIES: Final = 4


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

    One statement, which reads at most `SCANNED_ROWS` rows where a condition is answered by no
    index. Indexes: memory_auditentry_all_idx, _change_, _op_, _actor_,
    _request_.
    """
    policies.can_read_audit(actor).require()
    return page_of_entries(actor, narrow=narrow, after=after, limit=limit)


def page_of_entries(
    actor: Actor, *, narrow: AuditFilter, after: Seek | None, limit: int
) -> Page[AuditRow]:
    """The same inside another audited read."""
    rows, rest = _indexed(AuditEntry.objects.visible_to(actor), narrow)
    if narrow.since is not None:
        rows = rows.filter(recorded_at__gte=narrow.since)
    if narrow.until is not None:
        rows = rows.filter(recorded_at__lt=narrow.until)
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    found = rows.read_page(*_COLUMNS, limit=limit, rest=rest)
    entries = [AuditRow(*values) for values in found.rows]
    return Page.cut(entries, _without_torn_request(entries, limit), bound=found.bound)


def _without_torn_request(found: list[AuditRow], limit: int) -> int:
    """The length of a page that ends between two requests, if there is such a place near its end.

    A call writes two entries at most; a command that writes many does not empty the page.
    """
    if len(found) <= limit:
        return limit
    torn = found[limit].request_id
    near = range(limit, max(0, limit - HELD_BACK_ENTRIES), -1)
    return next((n for n in near if found[n - 1].request_id != torn), limit)


@dataclass(frozen=True, slots=True)
class AuditActor:
    """Somebody who stands in the log. `is_recent`: among the last who acted."""

    id: UUID
    name: str
    kind: ActorKind
    is_recent: bool


OFFERED_ACTORS: Final = 100

_ACTORS: Final = """
WITH newest AS (
  SELECT actor_id, recorded_at FROM memory_auditentry WHERE project_id = %(project)s
  ORDER BY recorded_at DESC, id DESC LIMIT %(scanned)s
), recent AS (
  SELECT actor_id FROM newest WHERE actor_id IS NOT NULL
  GROUP BY actor_id ORDER BY max(recorded_at) DESC, actor_id LIMIT %(offered)s
), wanted AS (
  SELECT actor_id AS id, true AS is_recent FROM recent
  UNION ALL SELECT unnest(%(others)s::uuid[]), false
)
SELECT w.id, coalesce(c.name, u.username),
       CASE WHEN c.id IS NULL THEN 'user' ELSE 'credential' END, w.is_recent
FROM (SELECT id, bool_or(is_recent) AS is_recent FROM wanted GROUP BY id) AS w
LEFT JOIN memory_credential c ON c.id = w.id AND c.project_id = %(project)s
LEFT JOIN memory_user u ON u.id = w.id
WHERE c.id IS NOT NULL OR u.id IS NOT NULL
"""


def list_actors(actor: Actor, others: Iterable[UUID]) -> dict[UUID, AuditActor]:
    """The last `OFFERED_ACTORS` who acted in this project, and the names of `others` in its log.

    One statement that reads the newest `SCANNED_ROWS` entries by memory_auditentry_all_idx. Ask
    for none but ids from this project's log: names of people belong to no project.
    """
    policies.can_read_audit(actor).require()
    parameters: dict[str, Any] = {
        "project": actor.project_id,
        "scanned": SCANNED_ROWS,
        "offered": OFFERED_ACTORS,
        "others": sorted(set(others)),
    }
    with connection.cursor() as cursor:
        cursor.execute(_ACTORS, parameters)
        found = [
            AuditActor(id_, name, ActorKind(kind), is_recent)
            for id_, name, kind, is_recent in cursor.fetchall()
        ]
    return {known.id: known for known in found}


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
