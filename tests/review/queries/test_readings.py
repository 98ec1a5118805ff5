"""Every reading: audited once by its own name, closed to who may see no content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from feedback.models import ContextRun, IntegrityItem
from feedback.queries.runs import RunFilter
from feedback.vocabulary import Order, OutcomeKind
from memory.actor import Actor
from memory.errors import Denied, NotFound
from memory.models import AuditEntry
from review.queries import integrity, queue, record, report, runs, trouble
from review.vocabulary import QueueView
from tests.factories import a_record, a_report, fresh
from tests.review.situations import compiled, correct, graded, suspected

#: Name, the call for an actor and the ids of a report and its record, audit name, magnitude.
READINGS: list[tuple[str, Callable[[Actor, UUID, UUID], Any], str, int]] = [
    (
        "queue",
        lambda actor, _report, _record: queue.read_queue(
            actor=actor, view=QueueView.ALL, order=Order.NEWEST, after=None, limit=20
        ),
        "feedback.list",
        2,
    ),
    (
        "report",
        lambda actor, report_id, _record: report.read_report(
            actor=actor, report_id=report_id, view=QueueView.OPEN, order=Order.OLDEST
        ),
        "feedback.list",
        1,
    ),
    (
        "record",
        lambda actor, _report, record_id: record.read_record(
            actor=actor, record_id=record_id, after=None, limit=20
        ),
        "record.get",
        1,
    ),
    (
        "version",
        lambda actor, _report, record_id: record.read_version(
            actor=actor, record_id=record_id, number=1, after=None, limit=20
        ),
        "record.history",
        1,
    ),
    (
        "versions",
        lambda actor, _report, record_id: record.read_versions(
            actor=actor, record_id=record_id, after=None, limit=20
        ),
        "record.history",
        3,
    ),
    (
        "comparison",
        lambda actor, _report, record_id: record.read_comparison(
            actor=actor, record_id=record_id, older=1, newer="successor"
        ),
        "record.history",
        2,
    ),
    (
        "history",
        lambda actor, _report, record_id: record.read_history(
            actor=actor, record_id=record_id, after=None, limit=20
        ),
        "record.history",
        5,
    ),
    (
        "record reports",
        lambda actor, _report, record_id: record.read_record_reports(
            actor=actor, record_id=record_id, after=None, limit=20
        ),
        "feedback.list",
        2,
    ),
    (
        "record runs",
        lambda actor, _report, record_id: record.read_record_runs(
            actor=actor, record_id=record_id, after=None, limit=20
        ),
        "record.history",
        1,
    ),
    (
        "runs",
        lambda actor, _report, _record: runs.read_runs(
            actor=actor, narrow=RunFilter(), after=None, limit=20
        ),
        "context.list",
        1,
    ),
    (
        "run",
        lambda actor, _report, _record: runs.read_run(
            actor=actor, run_id=ContextRun.objects.get().id, after_rank=0, limit=20
        ),
        "context.get",
        1,
    ),
    (
        "trouble",
        lambda actor, _report, _record: trouble.read_trouble(
            actor=actor, days=30, is_with_closed=True
        ),
        "outcome.list",
        1,
    ),
    (
        "record signals",
        lambda actor, _report, record_id: integrity.read_record_signals(
            actor=actor, record_id=record_id
        ),
        "signal.list",
        2,
    ),
    (
        "integrity",
        lambda actor, _report, _record: integrity.read_integrity(
            actor=actor, state=None, suspicion=None, after=None, limit=20
        ),
        "signal.list",
        1,
    ),
    (
        "item",
        lambda actor, _report, _record: integrity.read_item(
            actor=actor, item_id=IntegrityItem.objects.get().id
        ),
        "signal.list",
        1,
    ),
]
#: Those that are lists of a project, and so find an empty one.
LISTS = {"queue", "runs", "trouble", "integrity"}
CASES = pytest.mark.parametrize(
    ("call", "name", "magnitude"),
    [case[1:] for case in READINGS],
    ids=[case[0] for case in READINGS],
)


@pytest.fixture
def ids(agent: Actor, reviewer: Actor) -> tuple[UUID, UUID]:
    """A report, and its record: delivered, graded, suspected, doubted twice, corrected since."""
    target = a_record(agent)
    suspected(target, agent, reviewer)
    graded(agent, compiled(agent), OutcomeKind.HARMFUL, target)
    first = a_report(agent, target)
    a_report(agent, target)
    correct(agent, target)
    return first.id, target.id


def entries(actor: Actor) -> list[tuple[str, str, int]]:
    found = AuditEntry.objects.filter(request_id=actor.request_id)
    return list(found.values_list("operation", "outcome", "magnitude"))


@CASES
def test_a_reading_is_audited_once_with_its_rows(
    reader: Actor, ids: tuple[UUID, UUID], call: Any, name: str, magnitude: int
) -> None:
    actor = fresh(reader)
    call(actor, *ids)
    assert entries(actor) == [(name, "allowed", magnitude)]


@CASES
def test_a_reading_is_refused_to_who_may_see_no_content(
    auditor: Actor, ids: tuple[UUID, UUID], call: Any, name: str, magnitude: int
) -> None:
    actor = fresh(auditor)
    with pytest.raises(Denied):
        call(actor, *ids)
    assert entries(actor) == [(name, "refused", 0)]
    assert magnitude


@CASES
def test_a_reading_finds_nothing_of_another_project(
    outsider: Actor, ids: tuple[UUID, UUID], call: Any, name: str, magnitude: int
) -> None:
    actor = fresh(outsider)
    if call in {case[1] for case in READINGS if case[0] in LISTS}:
        assert call(actor, *ids).magnitude == 0
        return
    with pytest.raises(NotFound):
        call(actor, *ids)
    assert entries(actor) == [(name, "refused", 0)]
    assert magnitude


def test_what_belongs_to_a_refused_promotion_writes_no_entry_of_its_own(
    reviewer: Actor, ids: tuple[UUID, UUID]
) -> None:
    actor = fresh(reviewer)
    place: dict[str, Any] = {"view": QueueView.OPEN, "order": Order.OLDEST}
    reading = report.read_conflict(actor=actor, report_id=ids[0], seen=None, **place)
    assert reading.chain.successor is not None
    assert report.find_following(actor=actor, report_id=ids[0], **place) == reading.following
    assert entries(actor) == []


def test_what_belongs_to_a_refused_decision_writes_no_entry_of_its_own(
    reviewer: Actor, ids: tuple[UUID, UUID]
) -> None:
    actor = fresh(reviewer)
    item_id = IntegrityItem.objects.get().id
    reading = integrity.read_item_again(actor=actor, item_id=item_id)
    assert reading.record.id == reading.item.record_id == ids[1]
    assert entries(actor) == []
