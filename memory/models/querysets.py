"""What every list shares: narrowing to what an actor may see, and seeking by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import models
from django.db.models import Q, Window
from django.db.models.expressions import Expression
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.functions import RowNumber
from django.db.models.sql.datastructures import BaseTable
from typing_extensions import override

from memory.paging import Seek
from memory.vocabulary import SCANNED_ROWS

if TYPE_CHECKING:
    from typing import Self

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler

    from memory.actor import Actor


Row = TypeVar("Row", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Found:
    """Rows of a list, and the last that was looked at where a bounded scan ended before it."""

    rows: list[tuple[Any, ...]]
    bound: Seek | None = None


class ProjectQuerySet(models.QuerySet[Row]):
    """Rows of one project, in the order `(recorded_at, id)`.

    Places are compared as rows, `(recorded_at, id) < (x, y)`, because PostgreSQL seeks an index by
    that form alone; the module of Django that writes it is not documented, so a test pins the SQL.
    The same holds of what `read_page` puts in the place of a table.
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

    def read_page(self, *columns: Any, limit: int, rest: Q | None = None) -> Found:
        """The first `limit + 1` rows of a list that is in order. One statement.

        `rest` is what no index answers: then the statement looks at the next `SCANNED_ROWS` rows
        at most, and where these are not all and hold no full page, the place of the last is told.
        """
        if not rest:
            return Found(list(self.values_list(*columns)[: limit + 1]))
        rows = self._scanned().annotate(is_fitting=rest)
        rows = rows.filter(Q(is_fitting=True) | Q(scan_row=SCANNED_ROWS))
        known = rows.values_list("is_fitting", "scan_row", "recorded_at", "id", *columns)
        looked = list(known[: limit + 1])
        found = [tuple(values) for is_fitting, _, _, _, *values in looked if is_fitting]
        if len(found) > limit or not looked or looked[-1][1] < SCANNED_ROWS:
            return Found(found)
        return Found(found, Seek(*looked[-1][2:4]))

    def _scanned(self) -> Self:
        """The next `SCANNED_ROWS` rows, numbered by `scan_row`, in the place of the whole table.

        What a later filter throws away costs no more than to read it, and a full page ends the
        reading. The bound and the page come from one scan, so they cannot disagree.
        """
        order = [str(name) for name in self.query.order_by]
        numbered = self.annotate(scan_row=Window(RowNumber(), order_by=order))
        sql, params = numbered[:SCANNED_ROWS].query.sql_with_params()
        rows = type(self)(self.model).order_by(*order)
        alias = rows.query.get_initial_alias()
        rows.query.alias_map[alias] = _Scan(alias, sql, params)
        return rows.annotate(scan_row=_ScanRow())


class _Scan(BaseTable):
    """A statement that a query reads in the place of its table."""

    def __init__(self, alias: str, sql: str, params: tuple[Any, ...]) -> None:
        super().__init__(alias, alias)
        self.sql, self.params = sql, params

    @override
    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        return f"({self.sql}) {compiler.quote_name_unless_alias(self.table_name)}", self.params


class _ScanRow(Expression):
    """The number of a row within its scan."""

    output_field = models.IntegerField()

    @override
    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        return compiler.quote_name_unless_alias("scan_row"), ()
