"""The plans of what the product really sends, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from re import sub
from typing import Any

from django.db import connection, transaction
from psycopg import ClientCursor

from tests.statements import watched

Node = dict[str, Any]
UNSOUGHT = ("Sort", "Incremental Sort", "Seq Scan", "Bitmap Heap Scan")


@dataclass(frozen=True, slots=True)
class Explained:
    """One statement: what its second execution touched."""

    buffers: int
    seek_buffers: int  # by the scan of the listed table alone, without look-ups in others
    index: str
    shape: tuple[str, ...]
    rows_read: int
    rows_removed: int

    @property
    def unsought(self) -> list[str]:
        """What a seek has no need of."""
        return [kind for kind in self.shape if kind in UNSOUGHT]


def explain(call: Callable[[], object], table: str, *, is_prepared: bool) -> list[Explained]:
    """Plans of the statements that a call sends to list a table, of their page where they audit."""
    with watched() as statements:
        call()
    return [
        _explained(_plan_of(sql, params, is_prepared=is_prepared), table)
        for sql, params in statements.sent
        if sql.startswith(("SELECT", "WITH")) and f'FROM "{table}"' in sql
    ]


def _plan_of(sql: str, params: Any, *, is_prepared: bool) -> Node:
    """The plan for these values, or the one that a prepared statement has for any."""
    with transaction.atomic(), connection.cursor() as cursor:
        if is_prepared:
            cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            sql, params = _prepare(sql, params), None
        for _ in range(2):
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
        plan: Node = cursor.fetchone()[0][0]["Plan"]
        if is_prepared:
            cursor.execute("DEALLOCATE probe")
    return next((node for node in _nodes(plan) if node.get("Subplan Name") == "CTE page"), plan)


def _prepare(sql: str, params: Any) -> str:
    """Prepare a statement as `probe`; the statement that executes it."""
    places = (f"${number}" for number in count(1))
    with connection.cursor() as cursor:
        cursor.execute(f"PREPARE probe AS {sub('%s', lambda _: next(places), sql)}")
    return ClientCursor(connection.connection).mogrify(
        f"EXECUTE probe ({', '.join(['%s'] * len(params))})", params
    )


def _explained(plan: Node, table: str) -> Explained:
    nodes = list(_nodes(plan))
    scan = next(node for node in nodes if node.get("Relation Name") == table)
    inside = sum(_buffers(node) for node in scan.get("Plans", ()))  # look-ups for shown columns
    return Explained(
        buffers=_buffers(plan),
        seek_buffers=_buffers(scan) - inside,
        index=scan.get("Index Name", ""),
        shape=tuple(node["Node Type"] for node in nodes),
        rows_read=_rows(scan) + _removed(scan),
        rows_removed=sum(_removed(node) for node in nodes),
    )


def _nodes(plan: Node) -> Iterator[Node]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


def _buffers(node: Node) -> int:
    return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])


def _rows(node: Node) -> int:
    rows: float = node["Actual Rows"] * node["Actual Loops"]
    return round(rows)


def _removed(node: Node) -> int:
    return sum(
        round(value * node["Actual Loops"])
        for name, value in node.items()
        if name.startswith("Rows Removed by")
    )
