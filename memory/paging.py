"""Pages sought by `(recorded_at, id)`: where a page starts, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self


class Placed(Protocol):
    """A row that has a place in the order of a list."""

    @property
    def recorded_at(self) -> datetime:
        """When the database recorded the row."""

    @property
    def id(self) -> UUID:
        """What breaks ties."""


Row = TypeVar("Row", bound=Placed)


@dataclass(frozen=True, slots=True)
class Seek:
    """The place of the last row that a reader has seen."""

    recorded_at: datetime
    id: UUID

    @classmethod
    def of(cls, row: Placed) -> Self:
        """The place of a row."""
        return cls(row.recorded_at, row.id)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows of a list, and where the next ones start (None at the end)."""

    rows: tuple[Row, ...]
    next: Seek | None = None
    is_scan_cut: bool = False  # the scan bound ended the page, not its length

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.rows)

    @classmethod
    def cut(cls, rows: Sequence[Row], limit: int, *, bound: Seek | None = None) -> Page[Row]:
        """A page of at most `limit` of the `limit + 1` rows that were asked for.

        `bound` is the last row that a bounded scan looked at: if the page is not full, the next
        one starts behind it.
        """
        if len(rows) > limit:
            return Page(tuple(rows[:limit]), Seek.of(rows[limit - 1]))
        return Page(tuple(rows), bound, is_scan_cut=bound is not None)
