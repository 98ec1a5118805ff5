"""What the product's source must not contain (`assurance.md` 4, attacks 13 and 14)."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = sorted(
    path
    for app in ("config", "memory", "feedback", "review")
    for path in (ROOT / app).rglob("*.py")
    if "migrations" not in path.parts
)
#: A mapping spread into one of these lets its keys choose columns and look-ups (CVE-2025-64459).
CONDITIONS: Final = frozenset(
    {"filter", "exclude", "get", "create", "update", "get_or_create", "update_or_create", "Q"}
)
#: Names given to these become SQL (CVE-2024-42005, CVE-2025-57833, CVE-2026-1287, CVE-2026-1312).
NAMING: Final = frozenset(
    {
        *("alias", "annotate", "aggregate", "values", "values_list", "order_by", "only", "defer"),
        "read_page",  # ours, which passes them on to `values_list`
    }
)
#: Functions whose names of columns are constants of theirs, or of the models that call them.
ALLOWED: Final = {
    "feedback/models/reports.py": {"_all_null"},
    "memory/models/columns.py": {"choice_check", "bytes_check"},
    "memory/models/querysets.py": {"read_page", "_scanned"},
    "memory/queries/members.py": {"list_projects_of"},
}
RAW: Final = frozenset({"extra", "raw", "RawSQL"})


def _name_of(call: ast.Call) -> str:
    function = call.func
    return getattr(function, "attr", getattr(function, "id", ""))


def _is_query(call: ast.Call) -> bool:
    """Not a dictionary's `get`, `values` or `update`: those are called with other arguments."""
    return isinstance(call.func, ast.Attribute) or _name_of(call) == "Q"


def _is_constant(argument: ast.expr) -> bool:
    """A literal, a constant of a module, or an expression that Django builds."""
    if isinstance(argument, ast.Starred):
        argument = argument.value
    if isinstance(argument, ast.Constant | ast.Call | ast.Attribute):
        return True
    if isinstance(argument, ast.Name):
        return argument.id.strip("_").isupper()
    return isinstance(argument, ast.Tuple | ast.List) and all(map(_is_constant, argument.elts))


def faults_in(source: str, allowed: Collection[str] = ()) -> Iterator[tuple[int, str]]:
    """Line and kind of every call that spreads a mapping, names a column by data, or is raw."""
    for node in _outside(ast.parse(source), allowed):
        if not isinstance(node, ast.Call) or not _is_query(node):
            continue
        name = _name_of(node)
        spreads = any(keyword.arg is None for keyword in node.keywords)
        if name in CONDITIONS | NAMING and spreads:
            yield node.lineno, f"{name}(**…)"
        if name in NAMING and not all(map(_is_constant, node.args)):
            yield node.lineno, f"{name}(name)"
        if name in RAW:
            yield node.lineno, name


def _outside(tree: ast.AST, functions: Collection[str]) -> Iterator[ast.AST]:
    """All nodes but those of these functions."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.FunctionDef) and child.name in functions):
            yield from _outside(child, functions)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_client_chooses_columns_look_ups_or_aliases(path: Path) -> None:
    allowed = ALLOWED.get(str(path.relative_to(ROOT)), set())

    assert list(faults_in(path.read_text(encoding="utf-8"), allowed)) == []


@pytest.mark.parametrize(
    "seeded",
    [
        "Report.objects.filter(**body)",
        "rows.exclude(**{**body})",
        "Q(**body)",
        "Record.objects.create(**values)",
        "rows.filter(id=1).update(**values)",
        "rows.order_by(order)",
        "rows.values(*names)",
        "rows.values_list(f'{name}')",
        "rows.read_page(*names, limit=20)",
        "rows.annotate(**{name: 1})",
        "rows.aggregate(**sums)",
        "rows.extra(where=[text])",
        "Record.objects.raw(text)",
    ],
)
def test_the_rule_notices_what_it_forbids(seeded: str) -> None:
    assert list(faults_in(seeded))
