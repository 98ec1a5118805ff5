"""Rows read together, with the cursor of their next page, as outputs take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.queries.citations import CitationRow
    from memory.queries.records import RecordDetail
    from memory.queries.versions import VersionRow


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """A record, a page of its states, and the cursor of the next page."""

    record: RecordDetail
    versions: Sequence[VersionRow]
    next: str | None

    @property
    def previous(self) -> list[VersionRow]:
        """The states of the page that something ended."""
        return [version for version in self.versions if version.ended_at is not None]


@dataclass(frozen=True, slots=True)
class EvidenceAnswer:
    """A record, a page of its citations, and the cursor of the next page."""

    record: RecordDetail
    evidence: Sequence[CitationRow]
    next: str | None
