"""The watch over logs works: it sees what it must, and what the product writes has none of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
import structlog
from django.db import transaction

from memory.models import AuditEntry
from memory.tokens import new_token
from tests.factories import MARKER, REMEMBERED, a_record
from tests.leaks import LogReader, audit_log, leaks_in

if TYPE_CHECKING:
    from memory.actor import Actor


def line(message: object, *arguments: object, error: BaseException | None = None) -> str:
    """What the application would write of a record; nothing is logged."""
    raised = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("some.library", logging.ERROR, "x.py", 1, message, arguments, raised)
    return LogReader().format(record)


def test_the_watch_sees_markers_ids_and_tokens() -> None:
    id_, token = str(uuid4()), new_token()
    REMEMBERED.add(id_)
    assert leaks_in(f"a note of the {MARKER}") == [MARKER]
    assert leaks_in(f"record {id_}") == leaks_in(f"req_{id_.replace('-', '')}") == [id_]
    assert leaks_in(f"Bearer {token}") == [token]
    assert leaks_in(f"record {uuid4()}") == []
    REMEMBERED.clear()


def test_the_watch_reads_what_the_application_logs(log_reader: LogReader) -> None:
    structlog.get_logger("tests").warning("something", route="some:route")
    assert any("some:route" in written for written in log_reader.lines)
    assert all(written.startswith("{") for written in log_reader.lines)


@pytest.mark.django_db
def test_the_watch_reads_every_column_of_the_audit_log(agent: Actor) -> None:
    record = a_record(agent)
    assert leaks_in(audit_log()) == []
    with transaction.atomic():
        AuditEntry.objects.create(
            project_id=agent.project_id,
            operation="record.get",
            outcome="refused",
            code=MARKER,
            actor_kind=agent.kind,
            actor_id=record.id,
            edge=agent.edge,
            request_id=agent.request_id,
            magnitude=0,
            is_read=True,
        )
        assert leaks_in(audit_log()) == [MARKER, str(record.id)]
        transaction.set_rollback(True)


def test_arguments_of_a_library_s_line_are_left_out() -> None:
    assert leaks_in(line("could not store %s", MARKER)) == []


def test_the_text_of_an_error_is_left_out() -> None:
    written = line("failed", error=ValueError(f"Key (note)=({MARKER}) is too long"))
    assert leaks_in(written) == []
    assert "ValueError" in written
