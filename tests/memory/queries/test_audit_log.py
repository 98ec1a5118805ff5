"""The audit log as auditors and owners read it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from feedback.operations.promote_report import promote_report
from memory.errors import Denied, NotFound
from memory.models import AuditEntry
from memory.paging import Seek
from memory.queries.audit_log import AuditFilter, list_actors, list_entries
from memory.queries.records import get_record
from memory.vocabulary import AuditOutcome, Edge
from tests.factories import a_record, a_report, fresh
from tests.observed import refused

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def history(agent: Actor, reviewer: Actor, reader: Actor) -> dict[str, Actor]:
    """A report, its promotion, a read and a refusal, each by another request."""
    report = a_report(agent)
    promoting, reading, failing = fresh(reviewer), fresh(reader), fresh(agent)
    promote_report(actor=promoting, report_id=report.id, expected_version=report.record_version)
    get_record(actor=reading, record_id=report.record_id)
    with pytest.raises(NotFound):
        get_record(actor=failing, record_id=uuid4())
    return {"promoting": promoting, "reading": reading, "failing": failing}


def listed(actor: Actor, **narrow: Any) -> list[tuple[str, str]]:
    page = list_entries(actor=fresh(actor), narrow=AuditFilter(**narrow), after=None, limit=100)
    return [(row.operation, row.outcome) for row in page.rows]


def test_entries_come_newest_first_with_who_and_how(
    auditor: Actor, history: dict[str, Actor]
) -> None:
    rows = list_entries(actor=auditor, narrow=AuditFilter(), after=None, limit=3).rows
    assert [(row.operation, row.outcome, row.code) for row in rows[:2]] == [
        ("record.get", "refused", "not_found"),
        ("record.get", "allowed", ""),
    ]
    failing = history["failing"]
    assert (rows[0].actor_id, rows[0].actor_kind, rows[0].edge, rows[0].request_id) == (
        failing.id,
        "credential",
        "api",
        failing.request_id,
    )
    assert (rows[0].magnitude, rows[1].magnitude) == (0, 1)


def test_each_condition_narrows_and_all_hold_together(
    auditor: Actor, history: dict[str, Actor]
) -> None:
    promotion = [("record.retract", "allowed"), ("feedback.promote", "allowed")]
    assert sorted(listed(auditor, request_id=history["promoting"].request_id)) == sorted(promotion)
    assert listed(auditor, operation="feedback.promote") == [("feedback.promote", "allowed")]
    assert listed(auditor, outcome=AuditOutcome.REFUSED) == [("record.get", "refused")]
    assert listed(auditor, actor_id=history["reading"].id) == [("record.get", "allowed")]
    assert ("record.get", "allowed") not in listed(auditor, edge=Edge.API)
    assert listed(auditor, operation="record.get", edge=Edge.CONSOLE) == [("record.get", "allowed")]
    assert listed(auditor, operation="record.get", is_hiding_reads=True) == []
    assert {operation for operation, _ in listed(auditor, is_hiding_reads=True)}.isdisjoint(
        {"record.get", "audit.list"}
    )
    assert listed(auditor, request_id="req_unheard_of") == []


def test_since_includes_and_until_excludes(auditor: Actor, history: dict[str, Actor]) -> None:
    entry = AuditEntry.objects.get(request_id=history["reading"].request_id)
    at, later = entry.recorded_at, entry.recorded_at + timedelta(microseconds=1)
    assert listed(auditor, since=at, until=later) == [("record.get", "allowed")]
    assert ("record.get", "allowed") not in listed(auditor, until=at)


def test_pages_fit_together_and_tear_no_request(
    auditor: Actor, agent: Actor, reviewer: Actor
) -> None:
    for _ in range(4):
        report = a_report(agent)
        promote_report(
            actor=fresh(reviewer), report_id=report.id, expected_version=report.record_version
        )
    whole = [
        row.id
        for row in list_entries(
            actor=auditor, narrow=AuditFilter(is_hiding_reads=True), after=None, limit=100
        ).rows
    ]
    for limit in (1, 2, 3, 5):
        walked: list[Any] = []
        after: Seek | None = None
        while True:
            page = list_entries(
                actor=fresh(auditor),
                narrow=AuditFilter(is_hiding_reads=True),
                after=after,
                limit=limit,
            )
            walked += [row.id for row in page.rows]
            if page.next is None:
                break
            if limit > 1:
                behind = AuditEntry.objects.get(id=whole[len(walked)])
                assert behind.request_id != page.rows[-1].request_id
            after = page.next
        assert walked == whole


@pytest.mark.usefixtures("history")
def test_a_page_without_an_index_ends_with_its_scan(
    auditor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 2)
    narrow = AuditFilter(operation="record.get", edge=Edge.CONSOLE)
    page = list_entries(actor=auditor, narrow=narrow, after=None, limit=20)
    assert len(page.rows) == 1
    assert page.is_scan_cut == (page.next is not None)


def test_who_acted_is_named(auditor: Actor, agent: Actor, history: dict[str, Actor]) -> None:
    found = list_actors(auditor, [history["reading"].id])
    assert (found[agent.id].name, found[agent.id].kind) == ("agent", "credential")
    reading = found[history["reading"].id]
    assert (reading.name, reading.kind, reading.is_recent) == ("reader", "user", True)


@pytest.mark.parametrize("persona", ["auditor", "owner", "operator"])
def test_auditors_and_owners_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert listed(actor) != []


@pytest.mark.parametrize("persona", ["reader", "reviewer", "nobody", "agent", "agent_ro"])
def test_nobody_else_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "audit.list"):
        list_entries(actor=actor, narrow=AuditFilter(), after=None, limit=1)


def test_another_project_s_entries_are_not_there(auditor: Actor, outsider: Actor) -> None:
    a_record(outsider)
    assert ("record.assert", "allowed") not in listed(auditor)
