"""Stamp the reports about records that were closed; runs in the closing's own transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import connection

from memory.hooks import columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from memory.hooks import ClosedRecord

_STAMP: Final = """
UPDATE feedback_report
SET target_closed_at = %s, target_status = t.status, target_version = t.version,
  target_version_number = t.version_number, target_replaced_by = t.replaced_by
FROM unnest(%s::uuid[], %s::text[], %s::uuid[], %s::integer[], %s::uuid[])
  AS t (id, status, version, version_number, replaced_by)
WHERE project_id = %s AND record_id = t.id AND promoted_at IS NULL AND target_closed_at IS NULL
"""


def close_targets(project_id: UUID, closed: Sequence[ClosedRecord], closed_at: datetime) -> int:
    """Stamp every open report about these records with their last state; how many there were.

    Not an operation of its own: the record's lock is held and its change is what is audited. None
    of them is promoted, since a promoted report had its target closed by the promotion. One
    statement; feedback_report_t_ready_idx.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STAMP, [closed_at, *columns_of(closed), project_id])
        stamped: int = cursor.rowcount
        return stamped
