"""What many calls left in the audit log, asked in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.models import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Iterable

Entry = tuple[str, str, str, int]


def entries_by_request(request_ids: Iterable[str]) -> dict[str, list[Entry]]:
    """The entries of each call, in order of operation; a call that left none is not there."""
    rows = AuditEntry.objects.filter(request_id__in=list(request_ids)).order_by("operation")
    found: dict[str, list[Entry]] = {}
    for row in rows:
        assert row.edge == "api"
        entry = (row.operation, row.outcome, row.code, row.magnitude)
        found.setdefault(row.request_id, []).append(entry)
    return found
