"""Where `feedback` plugs into what `memory` does; its `apps.py` fills the lists.

They run inside the transaction of the change, in the order in which they were added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.vocabulary import RecordStatus


@dataclass(frozen=True, slots=True)
class ClosedRecord:
    """A record that was closed, and its state since."""

    id: UUID
    status: RecordStatus
    version: UUID
    version_number: int
    replaced_by: UUID | None


def columns_of(closed: Sequence[ClosedRecord]) -> list[Any]:
    """One list for each member of closed records, as `unnest` takes them."""
    return [
        [record.id for record in closed],
        [record.status.value for record in closed],
        [record.version for record in closed],
        [record.version_number for record in closed],
        [record.replaced_by for record in closed],
    ]


#: Called with the project, the closed records (locked) and the time at which they closed; answers
#: how many open reports were about them.
RecordClosed = Callable[[UUID, Sequence[ClosedRecord], datetime], int]

on_record_closed: Final[list[RecordClosed]] = []


def record_closed(project_id: UUID, closed: Sequence[ClosedRecord], closed_at: datetime) -> int:
    """Tell everybody that records were closed; the number of open reports about them."""
    return sum(hook(project_id, closed, closed_at) for hook in on_record_closed)


#: Called with the project and a record; answers how many open reports are about it (bounded).
OpenReports = Callable[[UUID, UUID], int]

open_report_counts: Final[list[OpenReports]] = []


def count_open_reports(project_id: UUID, record_id: UUID) -> int:
    """How many open reports are about a record; each counter bounds its own work."""
    return sum(count(project_id, record_id) for count in open_report_counts)


#: Called with a project and an id; answers whether a context run of the project has it.
ContextRunExists = Callable[[UUID, UUID], bool]

context_run_checks: Final[list[ContextRunExists]] = []


def has_context_run(project_id: UUID, run_id: UUID) -> bool:
    """Whether a project has a context run of this id."""
    return any(check(project_id, run_id) for check in context_run_checks)
