"""How much is open in several projects at once; numbers only, so nothing of it is audited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from feedback.queries.reports import COUNTED_REPORTS

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOK: Final = """
SELECT statement_timestamp(), p.id,
       (SELECT count(*) FROM (SELECT FROM feedback_report r
                              WHERE r.project_id = p.id AND r.promoted_at IS NULL
                              LIMIT %s) AS counted),
       (SELECT r.recorded_at FROM feedback_report r
        WHERE r.project_id = p.id AND r.promoted_at IS NULL
        ORDER BY r.recorded_at, r.id LIMIT 1)
FROM (SELECT) AS one LEFT JOIN unnest(%s::uuid[]) AS p(id) ON true
"""


@dataclass(frozen=True, slots=True)
class OpenReports:
    """How many reports of a project are open, bounded, and since when the oldest is."""

    count: int
    oldest_at: datetime | None


@dataclass(frozen=True, slots=True)
class OpenReportsByProject:
    """The same for several projects, and the database's time at which that was so."""

    now: datetime
    by_project: dict[UUID, OpenReports]


def count_open_reports_of(project_ids: Sequence[UUID]) -> OpenReportsByProject:
    """Count at most `COUNTED_REPORTS` + 1 a project. One statement; feedback_report_open_idx."""
    with connection.cursor() as cursor:
        cursor.execute(_LOOK, [COUNTED_REPORTS + 1, list(project_ids)])
        rows = cursor.fetchall()
    found = {row[1]: OpenReports(row[2], row[3]) for row in rows if row[1] is not None}
    return OpenReportsByProject(rows[0][0], found)
