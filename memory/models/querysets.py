"""What every list shares: narrowing to what an actor may see, and seeking by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.db import models
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleGreaterThanOrEqual,
    TupleLessThan,
    TupleLessThanOrEqual,
)

from memory.paging import Seek

if TYPE_CHECKING:
    from typing import Self

    from memory.actor import Actor


Row = TypeVar("Row", bound=models.Model)


class ProjectQuerySet(models.QuerySet[Row]):
    """Rows of one project, in the order `(recorded_at, id)`.

    Places are compared as rows, `(recorded_at, id) < (x, y)`, because PostgreSQL seeks an index by
    that form alone; the module of Django that writes it is not documented, so a test pins the SQL.
    """

    def visible_to(self, actor: Actor) -> Self:
        """Rows of the actor's project. Every read and every lock starts here."""
        return self.filter(project_id=actor.project_id)

    def in_order(self, *, is_newest_first: bool) -> Self:
        """Sorted by place; ids break ties."""
        if is_newest_first:
            return self.order_by("-recorded_at", "-id")
        return self.order_by("recorded_at", "id")

    def beyond(self, place: Seek | None, *, is_newest_first: bool) -> Self:
        """Rows that come after a place in reading order; all of them without a place."""
        if place is None:
            return self
        compare = TupleLessThan if is_newest_first else TupleGreaterThan
        return self.filter(compare(Tuple("recorded_at", "id"), (place.recorded_at, place.id)))

    def up_to(self, place: Seek | None, *, is_newest_first: bool) -> Self:
        """Rows that come before a place in reading order, or stand on it."""
        if place is None:
            return self
        compare = TupleGreaterThanOrEqual if is_newest_first else TupleLessThanOrEqual
        return self.filter(compare(Tuple("recorded_at", "id"), (place.recorded_at, place.id)))

    def scan_bound(self, rows: int) -> Seek | None:
        """The place of the last of the next `rows` rows, or None if there are fewer.

        Bounds a page whose filter no index answers: reads `rows` index entries and no more.
        """
        from_index = self.values_list("recorded_at", "id", named=True)[rows - 1 : rows]
        return next((Seek.of(row) for row in from_index), None)
