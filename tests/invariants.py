"""Runs `tests/invariants.sql`: what must hold after every test that tries to break it."""

from __future__ import annotations

from pathlib import Path

from django.db import connection

QUERIES = [
    query
    for query in Path(__file__).with_name("invariants.sql").read_text().split(";")
    if "SELECT" in query
]


def broken_invariants() -> dict[str, list[str]]:
    """Numbers of the invariants that do not hold, with the ids of the rows that break them."""
    broken: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        for query in QUERIES:
            cursor.execute(query)
            for number, ids in cursor.fetchall():
                broken.setdefault(number, []).extend(str(id_) for id_ in ids)
    return broken


def assert_invariants() -> None:
    """Fail with the ids of the rows that break an invariant."""
    assert broken_invariants() == {}
