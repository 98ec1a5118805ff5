"""Stamp the reports about records that were closed; runs in the closing's own transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedback.models import Report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID


def close_targets(project_id: UUID, record_ids: Sequence[UUID], closed_at: datetime) -> int:
    """Set `target_closed_at` of every report about these records; how many there were.

    Not an operation of its own: the record's lock is held and its change is what is audited. All
    of them are open, since a promoted report had its target closed by the promotion. One statement;
    feedback_report_t_ready_idx.
    """
    return Report.objects.filter(
        project_id=project_id,
        record_id__in=record_ids,
        promoted_at=None,
        target_closed_at=None,
    ).update(target_closed_at=closed_at)
