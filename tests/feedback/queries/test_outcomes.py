"""Outcomes: rows that say whether they count, sums, and the votes behind a score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import Outcome
from feedback.queries import outcomes
from feedback.queries.outcomes import (
    OutcomeFilter,
    OutcomeRow,
    OutcomeSummary,
    Votes,
    count_outcomes_in,
    count_votes,
    get_outcome_summary,
    list_grades,
    list_outcomes,
    tally_outcomes,
)
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied, NotFound
from memory.operations.configure_project import configure_project
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.paging import Page, Seek
from memory.transactions import project_scope
from tests.factories import a_record, a_run, an_outcome, fresh
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from feedback.operations.compile_context import CompiledContext
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

USED, USEFUL, IRRELEVANT, INCORRECT, HARMFUL = OutcomeKind


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement="zebra one")


@pytest.fixture
def pack(agent: Actor, record: AssertedRecord) -> CompiledContext:  # noqa: ARG001 - is in the pack
    return a_run(agent, "zebra")


def listed(
    actor: Actor, limit: int = 100, after: Seek | None = None, **narrow: Any
) -> Page[OutcomeRow]:
    narrowed = OutcomeFilter(**narrow)
    return list_outcomes(actor=fresh(actor), narrow=narrowed, after=after, limit=limit)


def ids(actor: Actor, **narrow: Any) -> list[UUID]:
    return [row.id for row in listed(actor, **narrow).rows]


def counted(actor: Actor) -> list[bool]:
    return [row.is_counted for row in listed(actor).rows]


def another(agent: Actor) -> Actor:
    """Another program of the same project."""
    return replace(fresh(agent), id=uuid4())


# --- Lists ---------------------------------------------------------------------------------------


def test_a_row_says_what_became_of_what_and_who_says_so(
    agent: Actor, reviewer: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    receipt = an_outcome(reviewer, pack, record.id, HARMFUL, reason_code="stale")
    (row,) = listed(agent).rows
    assert row == OutcomeRow(
        id=receipt.id,
        run_id=pack.run_id,
        record_id=record.id,
        kind=HARMFUL,
        reason_code="stale",
        is_counted=True,
        recorded_by=reviewer.id,
        recorded_by_kind="user",
        recorded_via="console",
        recorded_at=receipt.recorded_at,
    )


def test_outcomes_stand_newest_first_and_pages_fit_together(
    agent: Actor, outsider: Actor, pack: CompiledContext
) -> None:
    made = [an_outcome(agent, pack).id for _ in range(5)]
    an_outcome(outsider, a_run(outsider))
    for limit in (1, 2, 5, 100):
        found: list[UUID] = []
        after: Seek | None = None
        while True:
            page = listed(agent, limit, after)
            found += [row.id for row in page.rows]
            after = page.next
            if after is None:
                break
        assert found == made[::-1]


def test_outcomes_are_narrowed_by_run_record_kind_and_actor(
    agent: Actor, reviewer: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    other_run = a_run(agent, "zebra")
    one = an_outcome(agent, pack, record.id, USED).id
    two = an_outcome(reviewer, pack, kind=HARMFUL).id
    three = an_outcome(reviewer, other_run, record.id, HARMFUL).id
    assert ids(agent) == [three, two, one]
    assert ids(agent, run_id=pack.run_id) == [two, one]
    assert ids(agent, record_id=record.id) == [three, one]
    assert ids(agent, kind=HARMFUL) == [three, two]
    assert ids(agent, actor_id=reviewer.id) == [three, two]
    assert ids(agent, record_id=record.id, kind=HARMFUL) == [three]
    assert ids(agent, run_id=pack.run_id, actor_id=reviewer.id) == [two]
    assert ids(agent, run_id=pack.run_id, record_id=record.id, kind=USED, actor_id=agent.id) == [
        one
    ]
    for narrow in ("run_id", "record_id", "actor_id"):
        assert ids(agent, **{narrow: uuid4()}) == []


def test_a_second_condition_reads_so_many_rows_a_page(
    agent: Actor, pack: CompiledContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 3)
    rare = an_outcome(agent, pack, kind=HARMFUL).id
    for _ in range(5):
        an_outcome(agent, pack, kind=USED)
    asked: dict[str, Any] = {"run_id": pack.run_id, "kind": HARMFUL}
    first = listed(agent, **asked)
    assert (first.rows, first.is_scan_cut) == ((), True)
    second = listed(agent, after=first.next, **asked)
    assert [row.id for row in second.rows] == [rare]


def test_outcomes_about_the_pack_count_for_nothing(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    an_outcome(agent, pack)
    an_outcome(agent, pack, record.id)
    assert counted(agent) == [True, False]


def test_with_one_vote_a_run_only_the_latest_of_an_actor_counts(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    two = another(agent)
    for actor in (agent, agent, two, agent):
        an_outcome(actor, pack, record.id)
    an_outcome(agent, a_run(agent, "zebra"), record.id)
    an_outcome(agent, pack)
    assert counted(agent) == [False, True, True, True, True, True]
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    assert counted(agent) == [False, True, True, True, False, False]
    votes = get_outcome_summary(actor=agent, record_id=record.id).votes
    assert votes.total == sum(counted(agent))


def test_a_list_is_audited_once_with_its_number_of_rows(
    agent: Actor, pack: CompiledContext
) -> None:
    for _ in range(3):
        an_outcome(agent, pack)
    narrow = OutcomeFilter()
    changes = changed_tables(lambda: list_outcomes(actor=agent, narrow=narrow, after=None, limit=2))
    assert changes == {}
    assert audit_of(agent) == [Entry("outcome.list", "allowed", "", 2)]


@pytest.mark.parametrize(
    ("narrow", "most"), [({}, 3), ({"kind": USEFUL}, 3), ({"kind": USEFUL, "run_id": ...}, 3)]
)
def test_ten_outcomes_send_as_many_statements_as_one(
    agent: Actor,
    pack: CompiledContext,
    record: AssertedRecord,
    narrow: dict[str, Any],
    most: int,
) -> None:
    narrow = {**narrow, **({"run_id": pack.run_id} if "run_id" in narrow else {})}
    numbers = []
    for number in (1, 9):
        for _ in range(number):
            an_outcome(agent, pack, record.id)
        with watched() as statements:
            listed(agent, **narrow)
        numbers.append(len(statements))
    assert numbers[0] == numbers[1] <= most


# --- Sums ----------------------------------------------------------------------------------------


def test_a_summary_counts_every_kind_and_says_what_they_make(
    agent: Actor, reviewer: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for kind in (USED, USEFUL, USEFUL, IRRELEVANT):
        an_outcome(agent, pack, record.id, kind)
    an_outcome(reviewer, pack, record.id, USED)
    an_outcome(agent, pack, kind=HARMFUL)
    assert get_outcome_summary(actor=agent, record_id=record.id) == OutcomeSummary(
        record_id=record.id,
        by_kind={USED: 2, USEFUL: 2, IRRELEVANT: 1, INCORRECT: 0, HARMFUL: 0},
        votes=Votes(positive=4, negative=1, actors=2),
        minimum_actors=1,
        utility=0.8,
    )
    assert audit_of(agent) == [Entry("outcome.summary", "allowed", "", 1)]


def test_a_record_without_outcomes_is_neutral_in_any_state(
    agent: Actor, record: AssertedRecord
) -> None:
    neutral = OutcomeSummary(record.id, dict.fromkeys(OutcomeKind, 0), Votes(0, 0, 0), 1, 0.5)
    assert get_outcome_summary(actor=fresh(agent), record_id=record.id) == neutral
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert get_outcome_summary(actor=fresh(agent), record_id=record.id) == neutral


def test_a_summary_names_the_least_number_of_actors(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), minimum_actors=2)
    for _ in range(3):
        an_outcome(agent, pack, record.id)
    summary = get_outcome_summary(actor=agent, record_id=record.id)
    assert (summary.minimum_actors, summary.votes.actors, summary.utility) == (2, 1, 0.5)


def test_ten_outcomes_are_summed_in_as_many_statements_as_one(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    numbers = []
    for number in (1, 9):
        for _ in range(number):
            an_outcome(agent, pack, record.id)
        with watched() as statements:
            get_outcome_summary(actor=fresh(agent), record_id=record.id)
        numbers.append(len(statements))
    assert numbers[0] == numbers[1] <= 5


# --- Votes ---------------------------------------------------------------------------------------


def test_votes_are_counted_for_many_records_in_one_statement(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent, statement="zebra two")
    silent = a_record(agent, statement="zebra three")
    run = a_run(agent, "zebra")
    an_outcome(agent, run, record.id, USED)
    an_outcome(another(agent), run, other.id, HARMFUL)
    wanted = [record.id, other.id, silent.id, uuid4()]
    with project_scope(agent.project_id):
        with watched() as statements:
            found = count_votes(agent, wanted)
        assert len(statements) == 1
        assert found == {record.id: Votes(1, 0, 1), other.id: Votes(0, 1, 1)}
        with watched() as statements:
            assert count_votes(agent, []) == {}
        assert len(statements) == 0
    with project_scope(outsider.project_id):
        assert count_votes(outsider, wanted) == {}


def test_a_digest_narrows_votes_only_where_the_project_says_so(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    an_outcome(agent, pack, record.id)
    digest = bytes(Outcome.objects.get().lexemes_digest)
    with project_scope(agent.project_id):
        for given in (digest, b"another", None):
            assert count_votes(agent, [record.id], lexemes_digest=given)[record.id].total == 1


# --- Who -----------------------------------------------------------------------------------------


def test_no_more_than_the_newest_are_read_where_so_is_asked(
    agent: Actor, record: AssertedRecord, pack: CompiledContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "COUNTED_OUTCOMES", 2)
    for kind in (HARMFUL, USEFUL, USEFUL, USEFUL):
        an_outcome(agent, pack, record.id, kind)
    elsewhere = a_run(agent, "zebra")
    an_outcome(agent, elsewhere, record.id, HARMFUL)
    with project_scope(agent.project_id):
        newest, every = tally_outcomes(agent, record.id, newest=3), tally_outcomes(agent, record.id)
        fitting = tally_outcomes(agent, record.id, newest=5)
        counts = count_outcomes_in(agent, record.id, [pack.run_id, elsewhere.run_id, uuid4()])
        grades = list_grades(agent, pack.run_id, [record.id], each=1)
        few = list_grades(agent, elsewhere.run_id, [record.id], each=1)
    assert (newest.is_cut, newest.total) == (True, 4)
    assert (every.is_cut, every.total, fitting) == (False, 5, every)
    assert counts == {
        pack.run_id: {USEFUL: 3},
        elsewhere.run_id: {HARMFUL: 1},
    }
    assert [(row.kind, row.number, row.is_cut) for row in grades] == [(USEFUL, 3, True)]
    assert [(row.kind, row.number, row.is_cut) for row in few] == [(HARMFUL, 1, False)]


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(
    agent: Actor,
    pack: CompiledContext,
    record: AssertedRecord,
    persona: str,
    request: pytest.FixtureRequest,
) -> None:
    an_outcome(agent, pack, record.id)
    actor: Actor = request.getfixturevalue(persona)
    assert len(ids(actor)) == 1
    assert get_outcome_summary(actor=fresh(actor), record_id=record.id).votes.total == 1


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_record(
    record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    for record_id in (record.id, uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "outcome.summary"):
            get_outcome_summary(actor=actor, record_id=record_id)
    actor = fresh(actor)
    with refused(actor, Denied, "outcome.list"):
        list_outcomes(actor=actor, narrow=OutcomeFilter(), after=None, limit=1)


def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, outsider: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for actor, record_id in ((outsider, record.id), (agent, uuid4()), (agent, pack.run_id)):
        again = fresh(actor)
        with refused(again, NotFound, "outcome.summary"):
            get_outcome_summary(actor=again, record_id=record_id)
    an_outcome(agent, pack, record.id)
    assert ids(outsider, record_id=record.id) == ids(outsider, run_id=pack.run_id) == []
