"""The floor does what the product does: else its numbers would mean nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from feedback.operations.promote_report import promote_report
from feedback.operations.record_report import ReportDraft, record_report
from memory.operations.assert_records import AssertedRecord
from tests.bench import bare_wsgi
from tests.bench.floor import Floor, Refused
from tests.factories import MARKER, a_record, a_report, fresh
from tests.invariants import assert_invariants
from tests.wire import InProcess

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db(transaction=True)

SAME: Final = {"subject": MARKER, "object": f"{MARKER} 1", "statement": f"{MARKER}, it was said."}
NOTE: Final = f"No {MARKER} was there."

#: What a promotion of a report about a record writes or changes, with the order of the rows.
EFFECT: Final = {
    "memory_record": "id = %(id)s OR replaces = %(id)s ORDER BY version_number",
    "memory_recordversion": "record_id IN (SELECT id FROM memory_record WHERE id = %(id)s"
    " OR replaces = %(id)s) ORDER BY number, status",
    "feedback_report": "record_id = %(id)s ORDER BY recorded_at",
    "memory_source": "id IN (SELECT source_id FROM memory_recordversion v"
    " JOIN memory_record r ON r.id = v.record_id WHERE r.replaces = %(id)s)",
    "memory_message": "source_id IN (SELECT source_id FROM memory_recordversion v"
    " JOIN memory_record r ON r.id = v.record_id WHERE r.replaces = %(id)s)",
    "memory_citation": "record_id IN (SELECT id FROM memory_record WHERE replaces = %(id)s)",
}
AUDIT: Final = """
SELECT operation, outcome, code, actor_kind, actor_id, edge, magnitude, is_read
FROM memory_auditentry WHERE request_id = (
  SELECT request_id FROM memory_auditentry ORDER BY recorded_at DESC LIMIT 1)
ORDER BY operation
"""


def conninfo() -> str:
    """How psycopg reaches the database of this test."""
    parameters = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port", "passfile")
    return make_conninfo("", **{name: parameters[name] for name in names if name in parameters})


@pytest.fixture
def floor(agent_token: str) -> Iterator[Floor]:
    """A connection of the floor, as the read-write program."""
    opened = Floor(conninfo(), agent_token)
    yield opened
    opened.close()


def test_the_floor_lists_what_the_product_lists(
    floor: Floor, agent: Actor, call: InProcess
) -> None:
    for _ in range(22):
        a_report(agent)
    answer = call("/v1/feedback/list", {"open_only": True})
    product_entries = latest_entries()
    listed = floor.list_open()
    assert [str(row[0]) for row in listed[:20]] == [
        report["id"] for report in answer.body["feedback"]
    ]
    assert latest_entries() == product_entries


def test_bare_wsgi_answers_what_the_product_answers(
    agent: Actor, agent_token: str, call: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for proposed in (None, f"{MARKER} 2"):
        a_report(agent, proposed_object=proposed)
    answer = call("/v1/feedback/list", {"open_only": True})
    product_entries = latest_entries()
    monkeypatch.setenv("DATABASE_URL", conninfo())
    body = json.dumps({"open_only": True, "limit": 20}).encode()
    content = bare_wsgi.application(
        {
            "REQUEST_METHOD": "POST",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_AUTHORIZATION": f"Bearer {agent_token}",
            "wsgi.input": io.BytesIO(body),
        },
        lambda *_: lambda _: None,
    )
    bare_wsgi.disconnect()
    assert json.loads(b"".join(content)) == answer.body
    assert latest_entries() == product_entries


def test_a_report_by_the_floor_leaves_the_rows_of_the_product(floor: Floor, agent: Actor) -> None:
    def by_floor(record: AssertedRecord) -> None:
        floor.report(record.id, NOTE)

    def by_product(record: AssertedRecord) -> None:
        record_report(actor=fresh(agent), draft=ReportDraft(record_id=record.id, note=NOTE))

    assert effect_of(agent, by_floor) == effect_of(agent, by_product)
    assert_invariants()


@pytest.mark.parametrize("proposed", [None, f"{MARKER} 2"], ids=["retraction", "correction"])
def test_a_promotion_by_the_floor_leaves_the_rows_of_the_product(
    floor: Floor, agent: Actor, proposed: str | None
) -> None:
    def report(record: AssertedRecord) -> UUID:
        a_report(agent, record, note=NOTE)  # a sibling, which loses its target
        return a_report(agent, record, note=NOTE, proposed_object=proposed).id

    def by_floor(record: AssertedRecord) -> None:
        floor.promote(report(record), record.version)

    def by_product(record: AssertedRecord) -> None:
        promote_report(
            actor=fresh(agent), report_id=report(record), expected_version=record.version
        )

    assert effect_of(agent, by_floor) == effect_of(agent, by_product)
    assert_invariants()


def test_the_floor_refuses_a_second_promotion(floor: Floor, agent: Actor) -> None:
    record = a_record(agent)
    report = a_report(agent, record)
    floor.promote(report.id, record.version)
    with pytest.raises(Refused):
        floor.promote(report.id, record.version)


def effect_of(agent: Actor, change: Callable[[AssertedRecord], None]) -> dict[str, Any]:
    """The rows about a new record after a change of it, ids and times apart; audit entries too."""
    record = a_record(agent, **SAME)
    change(record)
    found: dict[str, Any] = {"audit": latest_entries()}
    with connection.cursor() as cursor:
        for table, condition in EFFECT.items():
            cursor.execute(f"SELECT * FROM {table} WHERE {condition}", {"id": record.id})  # noqa: S608 - ours
            names = [column.name for column in cursor.description or ()]
            found[table] = [
                {name: plain(name, value) for name, value in zip(names, row, strict=True)}
                for row in cursor.fetchall()
            ]
    return found


def plain(name: str, value: object) -> object:
    """A value, or what stands for one that differs each time."""
    if name in ("request_id", "promotion_request_id", "log_offset", "origin_digest"):
        return value is not None
    return type(value) if isinstance(value, UUID | datetime) else value


def latest_entries() -> list[tuple[Any, ...]]:
    """The audit entries of the newest request."""
    with connection.cursor() as cursor:
        cursor.execute(AUDIT)
        entries: list[tuple[Any, ...]] = cursor.fetchall()
    return entries
