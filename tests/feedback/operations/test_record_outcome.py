"""record_outcome: one row about a pack or a record in it, which moves a score and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from django.db import DataError

from feedback.models import ContextRun, Outcome
from feedback.operations.prune_runs import prune_runs
from feedback.operations.record_outcome import OutcomeDraft, OutcomeReceipt, record_outcome
from feedback.queries.outcomes import get_outcome_summary
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied, IdempotencyConflict, NotFound
from memory.operations.configure_project import configure_project
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge, UtilityScope
from tests.contracts.catalogue import fetch
from tests.factories import (
    MARKER,
    PERSON,
    a_claim,
    a_key,
    a_record,
    a_run,
    a_source,
    an_outcome,
    fresh,
)
from tests.factories.bulk import bulk_outcomes, bulk_records
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, content, refused
from tests.statements import watched

if TYPE_CHECKING:
    from feedback.operations.compile_context import CompiledContext
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

USEFUL, HARMFUL = OutcomeKind.USEFUL, OutcomeKind.HARMFUL


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement=f"{MARKER} zebra")


@pytest.fixture
def pack(agent: Actor, record: AssertedRecord) -> CompiledContext:  # noqa: ARG001 - is in the pack
    return a_run(agent, "zebra")


def grade(
    actor: Actor, run: CompiledContext | UUID, record_id: UUID | None, **said: Any
) -> OutcomeReceipt:
    key = said.pop("key", None)
    run_id = run if isinstance(run, UUID) else run.run_id
    draft = OutcomeDraft(run_id=run_id, record_id=record_id, **{"kind": USEFUL, **said})
    return record_outcome(actor=actor, draft=draft, key=key)


def utility(actor: Actor, task: str = "zebra", **said: Any) -> float:
    """The utility of the best item of a new pack."""
    return a_run(actor, task, **said).items[0].components.utility


def some_actors(agent: Actor, number: int) -> list[Actor]:
    """Other programs of the same project."""
    return [replace(fresh(agent), id=uuid4()) for _ in range(number)]


# --- The row -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", OutcomeKind)
def test_an_outcome_is_one_row_about_a_record_in_a_pack(
    agent: Actor, pack: CompiledContext, record: AssertedRecord, kind: OutcomeKind
) -> None:
    receipt = grade(agent, pack, record.id, kind=kind, reason_code="é" * 64)
    row, run = Outcome.objects.get(), ContextRun.objects.get()
    assert (row.id, row.run_id, row.record_id, row.kind, row.reason_code) == (
        receipt.id,
        pack.run_id,
        record.id,
        kind.value,
        "é" * 64,
    )
    assert bytes(row.lexemes_digest) == bytes(run.lexemes_digest)
    assert (row.recorded_by_kind, row.recorded_by_id, row.recorded_via, row.request_id) == (
        "credential",
        agent.id,
        "api",
        agent.request_id,
    )
    assert receipt == OutcomeReceipt(row.id, pack.run_id, record.id, kind, row.recorded_at)
    assert_invariants()


def test_an_outcome_remembers_whom_its_run_was_about(agent: Actor) -> None:
    claim = a_claim(agent, statement="zebra")
    run = a_run(agent, "zebra", data_subject=PERSON)
    grade(agent, run, claim.id)
    assert Outcome.objects.get().data_subject_id == ContextRun.objects.get().data_subject_id


def test_an_outcome_may_grade_the_whole_pack(agent: Actor, pack: CompiledContext) -> None:
    receipt = grade(agent, pack, None)
    row = Outcome.objects.get()
    assert (receipt.record_id, row.record_id, row.reason_code) == (None, None, None)


def test_an_outcome_writes_nothing_else_and_is_audited_once(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    assert changed_tables(lambda: grade(agent, pack, record.id)) == {"feedback_outcome": (0, 1)}
    assert audit_of(agent) == [Entry("outcome.record", "allowed", "", 1)]


def test_every_call_without_a_key_is_a_new_row(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    receipts = {grade(fresh(agent), pack, record.id).id for _ in range(3)}
    assert len(receipts) == Outcome.objects.count() == 3


# --- Who, and about what -------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_grade_what_another_compiled(
    agent_ro: Actor, record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    run = a_run(agent_ro, "zebra")
    actor: Actor = fresh(request.getfixturevalue(persona))
    grade(actor, run, record.id)
    assert audit_of(actor) == [Entry("outcome.record", "allowed", "", 1)]


def test_a_tool_of_a_model_may_grade(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    grade(replace(agent, edge=Edge.MCP), pack, record.id)
    assert Outcome.objects.get().recorded_via == "mcp"


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_run(
    pack: CompiledContext, record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    for run_id in (pack.run_id, uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "outcome.record"):
            grade(actor, run_id, record.id)


def test_a_run_that_is_not_there_or_elsewhere_is_not_found(
    agent: Actor, outsider: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for actor, run_id in ((agent, uuid4()), (outsider, pack.run_id), (agent, record.id)):
        for record_id in (record.id, None):
            again = fresh(actor)
            with refused(again, NotFound, "outcome.record"):
                grade(again, run_id, record_id, key=a_key())


def test_a_record_that_was_not_in_the_pack_is_not_found(
    agent: Actor, outsider: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    others = [
        a_record(agent, statement="zebra, too late").id,
        a_record(outsider, statement="zebra").id,
        record.version,
        pack.run_id,
        uuid4(),
    ]
    for record_id in others:
        actor = fresh(agent)
        with refused(actor, NotFound, "outcome.record"):
            grade(actor, pack, record_id, key=a_key())
    a_run(agent, "zebra")  # has the first of them, but is another pack
    actor = fresh(agent)
    with refused(actor, NotFound, "outcome.record"):
        grade(actor, pack, others[0])


def test_what_was_left_out_of_a_pack_was_not_in_it(agent: Actor, record: AssertedRecord) -> None:
    less = a_record(agent, statement="zebra lake", confidence=0.1)
    run = a_run(agent, "zebra", top_k=1)
    grade(fresh(agent), run, record.id)
    with refused(agent, NotFound, "outcome.record"):
        grade(agent, run, less.id)


def test_a_pruned_run_takes_no_more_outcomes(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    receipt = grade(fresh(agent), pack, record.id)
    prune_runs(actor=operator, before=receipt.recorded_at)
    with refused(agent, NotFound, "outcome.record"):
        grade(agent, pack, record.id)


def test_an_outcome_about_a_record_that_was_closed_since_is_accepted(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert changed_tables(lambda: grade(agent, pack, record.id, kind=HARMFUL)) == {
        "feedback_outcome": (0, 1)
    }
    assert_invariants()


# --- Once ----------------------------------------------------------------------------------------


def test_a_repeated_key_answers_the_first_outcome(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    key = a_key()
    first = grade(fresh(agent), pack, record.id, key=key)
    assert changed_tables(lambda: grade(agent, pack, record.id, key=key)) == {}
    assert grade(fresh(agent), pack, record.id, key=key) == replace(first, is_replay=True)
    assert audit_of(agent) == [Entry("outcome.record", "allowed", "", 0)]
    assert_invariants()


def test_a_key_answers_its_outcome_after_the_run_was_pruned(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    key = a_key()
    first = grade(fresh(agent), pack, record.id, key=key)
    prune_runs(actor=operator, before=first.recorded_at)
    assert grade(agent, pack, record.id, key=key) == replace(first, is_replay=True)


def test_a_key_of_another_call_is_a_conflict(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    grade(fresh(agent), pack, record.id, key=a_key("quagga-1", call=1))
    with refused(agent, IdempotencyConflict, "outcome.record"):
        grade(agent, pack, record.id, key=a_key("quagga-1", call=2))


def test_another_actor_s_key_is_another_key(
    agent: Actor, reviewer: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    key = a_key()
    assert not grade(agent, pack, record.id, key=key).is_replay
    assert not grade(reviewer, pack, record.id, key=key).is_replay


def test_a_refused_call_leaves_no_key(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    key, actor = a_key(), fresh(agent)
    with refused(actor, NotFound, "outcome.record"):
        grade(actor, pack, uuid4(), key=key)
    assert not grade(agent, pack, record.id, key=key).is_replay


def test_a_failure_leaves_nothing(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    key = a_key()

    def fail() -> None:
        with pytest.raises(DataError):
            grade(agent, pack, record.id, key=key, reason_code="a" * 65)

    assert changed_tables(fail) == {}
    assert not grade(fresh(agent), pack, record.id, key=key).is_replay


@pytest.mark.parametrize("number", [1, 100])
def test_an_outcome_sends_as_many_statements_for_any_pack(agent: Actor, number: int) -> None:
    bulk_records(agent, number, statement="zebra")
    run = a_run(agent, "zebra")
    with watched() as statements:
        grade(fresh(agent), run, run.items[-1].record.id, key=a_key())
    assert len(run.items) == number
    assert len(statements) == 5  # and one for the credential


# --- How it counts -------------------------------------------------------------------------------


def test_codecoradev_uteke_718_one_or_two_outcomes_move_nothing_and_three_do(
    agent: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent, statement=f"{MARKER} zebra lake")

    def standing() -> list[tuple[UUID, float, float]]:
        items = a_run(agent, "zebra").items
        return [(item.record.id, item.components.utility, item.score) for item in items]

    before = standing()
    assert [row[0] for row in before] == [record.id, other.id]
    for kind in (HARMFUL, OutcomeKind.INCORRECT):
        an_outcome(agent, a_run(agent, "zebra"), record.id, kind)
        assert standing() == before
    an_outcome(agent, a_run(agent, "zebra"), record.id, HARMFUL)
    after = {row[0]: row[1:] for row in standing()}
    assert after[other.id] == before[1][1:]
    moved, score = after[record.id]
    assert moved == 0.0
    assert score == pytest.approx(before[0][2] - 0.05)


def test_three_outcomes_on_one_run_by_one_actor_count_by_the_published_rule(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for _ in range(2):
        an_outcome(agent, pack, record.id)
        assert utility(agent) == 0.5
    an_outcome(agent, pack, record.id)
    assert utility(agent) == 1.0


def test_a_replay_is_no_signal(agent: Actor, pack: CompiledContext, record: AssertedRecord) -> None:
    keys = [a_key(), a_key()]
    for key in keys * 2:
        grade(fresh(agent), pack, record.id, key=key)
    assert utility(agent) == 0.5


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ("used useful used", 1.0),
        ("irrelevant incorrect harmful", 0.0),
        ("used useful harmful", 0.666667),
        ("used irrelevant incorrect", 0.333333),
        ("used useful incorrect irrelevant", 0.5),
        ("used used useful harmful", 0.75),
    ],
)
def test_utility_is_the_balance_of_all_outcomes(
    agent: Actor, pack: CompiledContext, record: AssertedRecord, kinds: str, expected: float
) -> None:
    for kind in kinds.split():
        an_outcome(agent, pack, record.id, OutcomeKind(kind))
    assert utility(agent) == expected


def test_outcomes_about_the_whole_pack_move_nothing(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for _ in range(5):
        an_outcome(agent, pack, kind=HARMFUL)
    assert utility(agent) == 0.5
    assert a_run(agent, "zebra").items[0].record.id == record.id


def test_votes_belong_to_the_record_so_a_correction_starts_anew(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for _ in range(3):
        an_outcome(agent, pack, record.id, HARMFUL)
    change = Correction(
        record_id=record.id, expected_version=record.version, object="x", statement="zebra anew"
    )
    correct_records(actor=fresh(agent), corrections=[change])
    assert utility(agent) == 0.5


def test_negative_outcomes_survive_a_retraction(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for _ in range(3):
        an_outcome(agent, pack, record.id, HARMFUL)
    rows = content()["feedback_outcome"]
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert content()["feedback_outcome"] == rows
    summary = get_outcome_summary(actor=agent, record_id=record.id)
    assert (summary.by_kind[HARMFUL], summary.votes.negative, summary.utility) == (3, 3, 0.0)
    assert_invariants()


def test_outcomes_of_another_project_never_count(
    agent: Actor, outsider: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    theirs = a_record(outsider, statement=f"{MARKER} zebra")
    run = a_run(outsider, "zebra")
    bulk_outcomes(outsider, 50, run_id=run.run_id, record_id=theirs.id, kind=HARMFUL)
    assert (utility(outsider), utility(agent)) == (0.0, 0.5)
    an_outcome(agent, pack, record.id)
    assert utility(agent) == 0.5


def test_outcomes_of_one_record_move_no_other(agent: Actor, record: AssertedRecord) -> None:
    other = a_record(agent, statement=f"{MARKER} zebra lake", data_subject=PERSON)
    run = a_run(agent, "zebra", data_subject=PERSON, include_shared=True)
    bulk_outcomes(agent, 50, run_id=run.run_id, record_id=other.id, kind=HARMFUL)
    found = a_run(agent, "zebra", data_subject=PERSON, include_shared=True).items
    assert {item.record.id: item.components.utility for item in found} == {
        record.id: 0.5,
        other.id: 0.0,
    }


def test_a_thousand_outcomes_change_nothing_but_scores(agent: Actor, outsider: Actor) -> None:
    pro = a_source(agent, "The zebra ran.")
    claim = a_claim(agent, pro, statement=f"{MARKER} zebra")
    a_record(outsider, statement="zebra")
    run = a_run(agent, "zebra", data_subject=PERSON)
    before, item = content(), run.items[0]
    for kind in OutcomeKind:
        bulk_outcomes(agent, 200, run_id=run.run_id, record_id=claim.id, kind=kind)

    after = content()
    assert len(after.pop("feedback_outcome")) == 1_000
    assert before.pop("feedback_outcome") == []
    assert after == before
    (again,) = a_run(agent, "zebra", data_subject=PERSON, at=run.as_of).items
    assert again.record == item.record
    assert again.components == replace(item.components, utility=0.4)
    assert again.score == pytest.approx(item.score - 0.01 * 0.8)
    assert_invariants()


# --- Project settings ----------------------------------------------------------------------------


def test_arize_ai_phoenix_6440_each_actor_s_latest_word_on_a_run_counts(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    actors = some_actors(agent, 5)
    for actor in actors:
        an_outcome(actor, pack, record.id)
    assert (Outcome.objects.count(), utility(agent)) == (5, 1.0)

    an_outcome(actors[0], pack, record.id, HARMFUL)

    summary = get_outcome_summary(actor=agent, record_id=record.id)
    assert Outcome.objects.count() == sum(summary.by_kind.values()) == 6
    assert (summary.votes.positive, summary.votes.negative, summary.votes.actors) == (4, 1, 5)
    assert summary.utility == utility(agent) == 0.8
    an_outcome(actors[0], pack, record.id)
    assert utility(agent) == 1.0


def test_with_one_vote_a_run_an_actor_is_one_signal_on_a_run_and_one_more_on_each_other(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for _ in range(10):
        an_outcome(agent, pack, record.id)
    assert utility(agent) == 1.0
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    assert utility(agent) == 0.5
    an_outcome(agent, a_run(agent, "zebra"), record.id)
    assert utility(agent) == 0.5
    an_outcome(agent, a_run(agent, "zebra"), record.id)
    assert utility(agent) == 1.0


def test_with_one_vote_a_run_a_word_on_the_pack_replaces_none_on_a_record(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    for actor in some_actors(agent, 3):
        an_outcome(actor, pack, record.id)
        an_outcome(actor, pack, kind=HARMFUL)
    assert utility(agent) == 1.0


def test_with_one_vote_a_run_an_actor_has_one_on_each_record_of_it(
    agent: Actor, operator: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent, statement=f"{MARKER} zebra lake")
    run = a_run(agent, "zebra")
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    for actor in some_actors(agent, 3):
        an_outcome(actor, run, record.id)
        an_outcome(actor, run, other.id, HARMFUL)
    found = a_run(agent, "zebra").items
    assert {item.record.id: item.components.utility for item in found} == {
        record.id: 1.0,
        other.id: 0.0,
    }


def test_a_person_and_a_program_of_one_id_are_two_actors(
    agent: Actor, reviewer: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), one_vote_per_run=True, minimum_actors=2)
    twin = replace(agent, id=reviewer.id)
    for actor in (reviewer, twin, agent):
        an_outcome(actor, pack, record.id)
    assert utility(agent) == 1.0


def test_below_the_least_number_of_actors_utility_stays_neutral(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), minimum_actors=2)
    for _ in range(20):
        an_outcome(agent, pack, record.id)
    assert utility(agent) == 0.5
    an_outcome(some_actors(agent, 1)[0], pack, record.id, HARMFUL)
    assert utility(agent) == round(20 / 21, 6)


def test_with_scope_task_only_outcomes_of_tasks_of_the_same_words_count(
    agent: Actor, operator: Actor
) -> None:
    record = a_record(agent, statement=f"{MARKER} zebra river")
    configure_project(actor=fresh(operator), utility_scope=UtilityScope.TASK)
    for _ in range(3):
        an_outcome(agent, a_run(agent, "zebra by a river"), record.id)
    assert utility(agent, "The rivers! A ZEBRA?") == 1.0
    for other in ("zebra", "river", "zebra river unicorn"):
        assert utility(agent, other) == 0.5
    configure_project(actor=fresh(operator), utility_scope=UtilityScope.RECORD)
    assert utility(agent, "zebra") == 1.0


def test_with_scope_task_the_votes_of_other_tasks_are_not_enough(
    agent: Actor, operator: Actor
) -> None:
    record = a_record(agent, statement=f"{MARKER} zebra river")
    configure_project(actor=fresh(operator), utility_scope=UtilityScope.TASK)
    for task in ("zebra", "zebra", "river"):
        an_outcome(agent, a_run(agent, task), record.id)
    assert utility(agent, "zebra") == 0.5
    an_outcome(agent, a_run(agent, "zebra"), record.id)
    assert (utility(agent, "zebra"), utility(agent, "river")) == (1.0, 0.5)
    assert get_outcome_summary(actor=agent, record_id=record.id).votes.total == 4


def test_nothing_of_an_outcome_is_kept_beside_its_row(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    """Utility is read at each compile: rows that are gone (here by an erasure) count no more."""
    for _ in range(3):
        an_outcome(agent, pack, record.id)
    assert utility(agent) == 1.0
    fetch("SELECT set_config('errata.erasure', %s, true)", str(uuid4()))
    Outcome.objects.filter(record_id=record.id).delete()
    assert utility(agent) == 0.5
