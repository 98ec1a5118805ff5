"""Runs: lists that fit together, and one run as delivered and as its records stand now."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import ContextRun
from feedback.queries.runs import (
    RunFilter,
    RunRow,
    get_run,
    get_run_for,
    has_run,
    list_runs,
    page_of_deliveries,
    page_of_runs,
)
from feedback.ranking import POLICY
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied, NotFound
from memory.models import Record
from memory.operations.consolidate_records import ClaimSource
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.paging import Page, Seek
from memory.transactions import project_scope
from memory.vocabulary import RecordStatus, Relation, Trust
from tests.contracts.catalogue import run as send
from tests.factories import (
    PERSON,
    a_claim,
    a_record,
    a_run,
    a_source,
    an_outcome,
    fresh,
    supports,
)
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

NONE = dict.fromkeys(OutcomeKind, 0)


def listed(
    actor: Actor, limit: int = 100, after: Seek | None = None, **narrow: Any
) -> Page[RunRow]:
    return list_runs(actor=fresh(actor), narrow=RunFilter(**narrow), after=after, limit=limit)


def ids(actor: Actor, **narrow: Any) -> list[UUID]:
    return [row.id for row in listed(actor, **narrow).rows]


def walk(actor: Actor, limit: int, **narrow: Any) -> list[UUID]:
    """The ids of all pages, one after the other."""
    found: list[UUID] = []
    after: Seek | None = None
    while True:
        page = listed(actor, limit, after, **narrow)
        found += [row.id for row in page.rows]
        if page.next is None:
            return found
        after = page.next


# --- Lists ---------------------------------------------------------------------------------------


def test_a_row_says_who_asked_for_whom_and_what_came_back(agent: Actor, reviewer: Actor) -> None:
    for statement in ("zebra one", "zebra one", "zebra two " + "lake " * 99):
        a_claim(agent, statement=statement)
    a_source(agent)
    run = a_run(reviewer, "zebra", data_subject=PERSON, include_shared=True, max_tokens=9)
    for kind in (OutcomeKind.USED, OutcomeKind.USED, OutcomeKind.HARMFUL):
        an_outcome(agent, run, run.items[0].record.id, kind)
    an_outcome(agent, run, kind=OutcomeKind.IRRELEVANT)
    stored = ContextRun.objects.get(id=run.run_id)
    (row,) = listed(agent).rows
    assert row == RunRow(
        id=run.run_id,
        task_digest=bytes(stored.task_digest),
        data_subject=PERSON,
        is_shared_included=True,
        as_of=run.as_of,
        policy=POLICY,
        max_tokens=9,
        used_tokens=3,
        selected_items=1,
        omitted_items=1,
        deduplicated_items=1,
        unconsolidated_observations=1,
        is_budget_exhausted=True,
        recorded_by=reviewer.id,
        recorded_by_kind="user",
        recorded_via="console",
        recorded_at=stored.recorded_at,
        request_id=stored.request_id,
        outcomes={
            OutcomeKind.USED: 2,
            OutcomeKind.USEFUL: 0,
            OutcomeKind.IRRELEVANT: 1,
            OutcomeKind.INCORRECT: 0,
            OutcomeKind.HARMFUL: 1,
        },
    )


def test_the_newest_outcomes_are_counted_where_so_is_asked_and_else_all(agent: Actor) -> None:
    run = a_run(agent)
    for kind in (OutcomeKind.HARMFUL, OutcomeKind.USED, OutcomeKind.USED, OutcomeKind.USED):
        an_outcome(agent, run, kind=kind)
    with project_scope(agent.project_id):
        (bounded,) = page_of_runs(agent, narrow=RunFilter(), limit=2, counted=2).rows
        alone = get_run_for(agent, run.run_id, counted=2).run
    (row,) = listed(agent).rows
    assert bounded == alone
    assert {kind: number for kind, number in alone.outcomes.items() if number} == {
        OutcomeKind.USED: 3
    }
    assert sum(row.outcomes.values()) == 4
    assert get_run(actor=fresh(agent), run_id=run.run_id).run == row


def test_runs_stand_newest_first_and_pages_fit_together(agent: Actor, outsider: Actor) -> None:
    made = [a_run(agent).run_id for _ in range(5)]
    a_run(outsider)
    for limit in (1, 2, 5, 100):
        assert walk(agent, limit) == made[::-1]
    assert audit_of(agent) == []


def test_a_list_is_audited_once_with_its_number_of_rows(agent: Actor) -> None:
    for _ in range(3):
        a_run(agent)
    changes = changed_tables(
        lambda: list_runs(actor=agent, narrow=RunFilter(), after=None, limit=2)
    )
    assert changes == {}
    assert audit_of(agent) == [Entry("context.list", "allowed", "", 2)]


def test_runs_are_narrowed_by_person_actor_outcome_and_time(
    agent: Actor, reviewer: Actor, outsider: Actor
) -> None:
    record = a_record(agent, statement="zebra")
    nobody_s = a_run(agent, "zebra")
    ann_s = a_run(agent, "zebra", data_subject="ann")
    reviewer_s = a_run(reviewer, "zebra", data_subject="ann")
    an_outcome(agent, nobody_s, record.id, OutcomeKind.HARMFUL)
    an_outcome(agent, reviewer_s, kind=OutcomeKind.USED)
    one, two, three = nobody_s.run_id, ann_s.run_id, reviewer_s.run_id

    assert ids(agent) == [three, two, one]
    assert ids(agent, data_subject="ann") == [three, two]
    assert ids(agent, data_subject="a stranger") == []
    assert ids(agent, actor_id=agent.id) == [two, one]
    assert ids(agent, actor_id=agent.id, data_subject="ann") == [two]
    assert ids(agent, actor_id=outsider.id) == []
    assert ids(agent, kinds=frozenset({OutcomeKind.USED})) == [three]
    assert ids(agent, kinds=frozenset({OutcomeKind.USED, OutcomeKind.HARMFUL})) == [three, one]
    assert ids(agent, kinds=frozenset({OutcomeKind.HARMFUL}), data_subject="ann") == []
    at = ContextRun.objects.get(id=two).recorded_at
    assert ids(agent, since=at) == [three, two]
    assert ids(agent, until=at) == [one]
    moment = timedelta(microseconds=1)
    assert ids(agent, since=at, until=at + moment, data_subject="ann") == [two]


def test_a_filter_without_an_index_reads_so_many_rows_a_page(
    agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 3)
    made = [a_run(agent) for _ in range(8)]
    for run in (made[0], made[4]):
        an_outcome(agent, run)
    kinds = frozenset({OutcomeKind.USEFUL})
    first = listed(agent, 100, kinds=kinds)
    assert (first.rows, first.is_scan_cut) == ((), True)
    assert walk(agent, 100, kinds=kinds) == [made[4].run_id, made[0].run_id]


@pytest.mark.parametrize(
    ("narrow", "most"),
    [
        ({}, 4),
        ({"data_subject": PERSON}, 4),
        ({"kinds": frozenset(OutcomeKind)}, 4),
        ({"data_subject": PERSON, "actor_id": None, "kinds": frozenset(OutcomeKind)}, 4),
    ],
)
def test_ten_runs_send_as_many_statements_as_one(
    agent: Actor, narrow: dict[str, Any], most: int
) -> None:
    counts = []
    for number in (1, 9):
        for _ in range(number):
            an_outcome(agent, a_run(agent, data_subject=PERSON))
        with watched() as statements:
            listed(agent, **narrow)
        counts.append(len(statements))
    assert counts[0] == counts[1] <= most


# --- One run -------------------------------------------------------------------------------------


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement="zebra one")


def test_a_run_shows_its_items_as_they_were_delivered(agent: Actor, record: AssertedRecord) -> None:
    pro, contra = a_source(agent, data_subject=PERSON), a_source(agent)
    claim = a_claim(
        agent,
        statement="zebra two",
        sources=(*supports(pro), ClaimSource(contra.id, Relation.CONTRADICTS)),
        observer_name="watch-1",
        confidence=0.3,
    )
    run = a_run(agent, "zebra", data_subject=PERSON, include_shared=True)
    an_outcome(agent, run, claim.id)
    detail = get_run(actor=agent, run_id=run.run_id)
    assert detail.run == listed(agent).rows[0]
    assert detail.run.outcomes == {**NONE, OutcomeKind.USEFUL: 1}
    first, second = detail.items
    assert [(item.rank, item.record_id, item.record_version) for item in detail.items] == [
        (1, record.id, record.version),
        (2, claim.id, claim.version),
    ]
    assert [(asdict(item.components), item.score) for item in detail.items] == [
        (asdict(item.components), item.score) for item in run.items
    ]
    stored = Record.objects.get(id=claim.id)
    assert (second.subject, second.predicate, second.object, second.statement, second.kind) == (
        stored.subject,
        stored.predicate,
        stored.object,
        "zebra two",
        stored.kind,
    )
    assert (second.confidence, second.trust, second.standing.is_disputed, second.observer_name) == (
        0.3,
        Trust.ASSERTED,
        True,
        "watch-1",
    )
    assert (second.standing.status, second.current_version, second.replaced_by) == (
        RecordStatus.CURRENT,
        claim.version,
        None,
    )
    assert (second.valid_from, second.valid_until) == (stored.valid_from, None)
    assert (second.evidence_ids, second.contradicting_ids) == ((pro.id, contra.id), (contra.id,))
    assert (first.evidence_ids, first.contradicting_ids) == ((record.source_id,), ())
    assert audit_of(agent) == [Entry("context.get", "allowed", "", 1)]


def test_mtrnix_metronix_memory_346_an_old_run_shows_what_was_delivered_and_what_became_of_it(
    agent: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent, statement="zebra two")
    run = a_run(agent, "zebra")
    before = {item.record_id: item for item in get_run(actor=agent, run_id=run.run_id).items}
    change = Correction(
        record_id=record.id, expected_version=record.version, object="x", statement="zebra anew"
    )
    (new,) = correct_records(actor=fresh(agent), corrections=[change]).records
    draft = RetractionDraft(record_id=other.id, expected_version=other.version)
    (gone,) = retract_records(actor=fresh(agent), retractions=[draft]).records

    after = {item.record_id: item for item in get_run(actor=agent, run_id=run.run_id).items}

    assert after.keys() == before.keys()
    for item_id, item in after.items():
        old = before[item_id]
        assert (item.rank, item.record_version, item.score, item.components) == (
            old.rank,
            old.record_version,
            old.score,
            old.components,
        )
        assert item.statement == old.statement
    corrected, retracted = after[record.id], after[other.id]
    assert (corrected.standing.status, corrected.current_version, corrected.replaced_by) == (
        RecordStatus.SUPERSEDED,
        new.original_version,
        new.id,
    )
    assert (retracted.standing.status, retracted.current_version, retracted.replaced_by) == (
        RecordStatus.RETRACTED,
        gone.version,
        None,
    )


def test_items_of_erased_records_are_gone_and_still_counted(
    agent: Actor, record: AssertedRecord
) -> None:
    kept = a_record(agent, statement="zebra two")
    run = a_run(agent, "zebra")
    send(f"SET LOCAL errata.erasure = '{uuid4()}'")
    for table in ("feedback_contextitem", "memory_citation", "memory_recordversion"):
        send(f"DELETE FROM {table} WHERE record_id = %s", record.id)  # noqa: S608 - ours
    send("DELETE FROM memory_record WHERE id = %s", record.id)
    detail = get_run(actor=agent, run_id=run.run_id)
    assert [item.record_id for item in detail.items] == [kept.id]
    assert detail.run.selected_items == 2


def test_an_empty_run_has_no_items(agent: Actor) -> None:
    run = a_run(agent, "unicorn")
    detail = get_run(actor=agent, run_id=run.run_id)
    assert (detail.items, detail.run.outcomes, detail.run.data_subject) == ((), NONE, None)


def test_a_large_run_sends_as_many_statements_as_a_small_one(agent: Actor) -> None:
    counts = []
    for number in (1, 11):
        for place in range(number):
            a_record(agent, statement=f"zebra {place} of {number}")
        run = a_run(agent, "zebra")
        with watched() as statements:
            get_run(actor=fresh(agent), run_id=run.run_id)
        counts.append(len(statements))
    assert counts[0] == counts[1] <= 5


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    run = a_run(agent)
    actor: Actor = request.getfixturevalue(persona)
    assert get_run(actor=fresh(actor), run_id=run.run_id).run.id == run.run_id
    assert ids(actor) == [run.run_id]


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_run(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    for run_id in (a_run(agent).run_id, uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "context.get"):
            get_run(actor=actor, run_id=run_id)
    actor = fresh(actor)
    with refused(actor, Denied, "context.list"):
        list_runs(actor=actor, narrow=RunFilter(), after=None, limit=1)


def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    run = a_run(agent, "zebra")
    for actor, run_id in ((outsider, run.run_id), (agent, uuid4()), (agent, record.id)):
        again = fresh(actor)
        with refused(again, NotFound, "context.get"):
            get_run(actor=again, run_id=run_id)
    assert has_run(agent.project_id, run.run_id)
    assert not has_run(outsider.project_id, run.run_id)
    assert not has_run(agent.project_id, uuid4())


# --- Packs that held a record --------------------------------------------------------------------


def test_deliveries_of_a_record_stand_newest_first(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    first = a_run(agent, "zebra")
    better = a_record(agent, statement="zebra")
    second = a_run(reviewer, "zebra")
    a_run(agent, "unicorn")
    with project_scope(agent.project_id):
        with watched() as statements:
            page = page_of_deliveries(agent, record.id, limit=10)
        assert len(statements) == 1
        assert [
            (row.run_id, row.rank, row.record_version, row.recorded_by, row.recorded_via)
            for row in page.rows
        ] == [
            (second.run_id, 2, record.version, reviewer.id, "console"),
            (first.run_id, 1, record.version, agent.id, "api"),
        ]
        assert page.rows[0].score == second.items[1].score
        start = page_of_deliveries(agent, record.id, limit=1)
        rest = page_of_deliveries(agent, record.id, after=start.next, limit=1)
        assert (*start.rows, *rest.rows) == page.rows
        assert rest.next is None
        assert len(page_of_deliveries(agent, better.id, limit=10).rows) == 1


def test_deliveries_of_another_project_s_record_are_none(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    a_run(agent, "zebra")
    with project_scope(outsider.project_id):
        assert page_of_deliveries(outsider, record.id, limit=10) == Page(())
