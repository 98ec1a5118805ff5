"""The watch over every test: no text, id, key or token in an audit entry or in the log.

Rule: `design.md`, "Audit"; `assurance.md` 8, cases 24 and S8.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest
import structlog
from django.db import connection
from typing_extensions import override

from tests.factories import MARKER, REMEMBERED

TOKEN = re.compile(r"errata_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")
UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
AUDIT_LOG = "SELECT coalesce(string_agg(to_jsonb(e)::text, E'\\n'), '') FROM memory_auditentry e"
DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


class LogReader(logging.Handler):
    """Keeps the lines that the application writes, formatted as it formats them."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        ours = [
            handler.formatter
            for handler in logging.getLogger().handlers
            if isinstance(handler.formatter, structlog.stdlib.ProcessorFormatter)
        ]
        self.setFormatter(ours[0])

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Keep one line."""
        self.lines.append(self.format(record))


def leaks_in(text: str) -> list[str]:
    """What must not stand in a log: the factories' marker, their ids, anybody's token."""
    ids = {found.replace("-", "") for found in UUID.findall(text)}
    return [
        *([MARKER] if MARKER in text else []),
        *sorted(known for known in REMEMBERED if known.replace("-", "") in ids),
        *TOKEN.findall(text),
    ]


def audit_log() -> str:
    """Every audit entry there is, with all its columns."""
    with connection.cursor() as cursor:
        cursor.execute(AUDIT_LOG)
        return str(cursor.fetchone()[0])


@pytest.fixture(scope="session")
def log_reader() -> Iterator[LogReader]:
    """Listens to the whole run."""
    reader = LogReader()
    logging.getLogger().addHandler(reader)
    yield reader
    logging.getLogger().removeHandler(reader)


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest, log_reader: LogReader) -> Iterator[None]:
    """Fail the test that put a text, an id or a token where it does not belong."""
    has_database = bool(
        request.node.get_closest_marker("django_db")
        or DATABASE_FIXTURES.intersection(request.fixturenames)
    )
    if has_database:
        request.getfixturevalue("db")  # so that this ends before the rows are rolled back
    log_reader.lines.clear()
    yield
    found = leaks_in("\n".join(log_reader.lines))
    if has_database:
        found += leaks_in(audit_log())
    REMEMBERED.clear()
    assert not found, f"leaked into a log: {found}"
