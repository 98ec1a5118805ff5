"""What the audit log shows (S20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory import policies
from memory.queries.audit_log import list_actors, page_of_entries
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from memory.actor import Actor
    from memory.paging import Page, Seek
    from memory.queries.audit_log import AuditActor, AuditFilter, AuditRow


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReading:
    """One page of the log, and everybody whom it or its filters may have to name."""

    now: datetime
    page: Page[AuditRow]
    actors: Mapping[UUID, AuditActor]

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.page.magnitude


@audited_read(Operation.AUDIT_LIST)
def read_audit_log(
    *, actor: Actor, narrow: AuditFilter, after: Seek | None, limit: int
) -> AuditReading:
    """One page of the log with the names of who acted.

    Two statements; memory_auditentry_*_idx.
    """
    policies.can_read_audit(actor).require()
    page = page_of_entries(actor, narrow=narrow, after=after, limit=limit)
    named = {row.actor_id for row in page.rows if row.actor_id is not None}
    return AuditReading(now=current_scope().opened_at, page=page, actors=list_actors(actor, named))
