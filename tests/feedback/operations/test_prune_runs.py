"""prune_runs: old runs go with their items, oldest first; what became of them stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from feedback.models import ContextItem, ContextRun, Outcome
from feedback.operations.prune_runs import PruneReceipt, prune_runs
from feedback.queries.runs import get_run
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied, NotFound
from memory.operations.configure_project import configure_project
from memory.vocabulary import UtilityScope
from tests.factories import a_project, a_record, a_run, an_outcome, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.racing import behind
from tests.statements import Held, watched

if TYPE_CHECKING:
    from uuid import UUID

    from feedback.operations.compile_context import CompiledContext
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

FAR = datetime(2999, 1, 1, tzinfo=UTC)


def some_runs(actor: Actor, number: int, items: int = 2) -> list[CompiledContext]:
    for place in range(items):
        a_record(actor, statement=f"zebra {place}")
    return [a_run(actor, "zebra") for _ in range(number)]


def runs_left() -> list[UUID]:
    return list(ContextRun.objects.order_by("recorded_at").values_list("id", flat=True))


def recorded_at(run: CompiledContext) -> datetime:
    return ContextRun.objects.get(id=run.run_id).recorded_at


def test_runs_from_before_a_time_go_with_their_items(agent: Actor, operator: Actor) -> None:
    runs = some_runs(agent, 3)
    receipt = prune_runs(actor=operator, before=recorded_at(runs[2]))
    assert receipt == PruneReceipt(runs=2, items=4, is_more=False)
    assert runs_left() == [runs[2].run_id]
    assert set(ContextItem.objects.values_list("run_id", flat=True)) == {runs[2].run_id}
    with pytest.raises(NotFound):
        get_run(actor=agent, run_id=runs[0].run_id)
    assert_invariants()


def test_nothing_else_changes_and_it_is_audited_once(agent: Actor, operator: Actor) -> None:
    runs = some_runs(agent, 2)
    an_outcome(agent, runs[0], runs[0].items[0].record.id)
    changes = changed_tables(lambda: prune_runs(actor=operator, before=FAR))
    assert changes == {"feedback_contextrun": (2, 0), "feedback_contextitem": (4, 0)}
    assert audit_of(operator) == [Entry("context.prune", "allowed", "", 2)]


def test_at_most_so_many_go_at_once_the_oldest_first(agent: Actor, operator: Actor) -> None:
    runs = some_runs(agent, 5)
    for left, is_more in ((3, True), (1, True), (0, False)):
        receipt = prune_runs(actor=fresh(operator), before=FAR, most=2)
        assert receipt.is_more is is_more
        assert runs_left() == [run.run_id for run in runs[5 - left :]]
    assert prune_runs(actor=operator, before=FAR, most=2) == PruneReceipt(0, 0, is_more=False)


def test_without_old_runs_nothing_goes(agent: Actor, operator: Actor) -> None:
    (run,) = some_runs(agent, 1)
    before = recorded_at(run)
    assert changed_tables(lambda: prune_runs(actor=operator, before=before)) == {}
    assert audit_of(operator) == [Entry("context.prune", "allowed", "", 0)]


def test_runs_of_another_project_stay(operator: Actor, outsider: Actor) -> None:
    (run,) = some_runs(outsider, 1)
    assert prune_runs(actor=operator, before=FAR).runs == 0
    assert runs_left() == [run.run_id]


@pytest.mark.parametrize("scope", UtilityScope)
def test_outcomes_outlive_their_run_and_keep_counting(
    agent: Actor, operator: Actor, scope: UtilityScope
) -> None:
    (run,) = some_runs(agent, 1, items=1)
    record_id = run.items[0].record.id
    for _ in range(3):
        an_outcome(agent, run, record_id, OutcomeKind.HARMFUL)
    an_outcome(agent, run, kind=OutcomeKind.USED)
    configure_project(actor=fresh(operator), utility_scope=scope)
    assert prune_runs(actor=fresh(operator), before=FAR).runs == 1
    assert Outcome.objects.count() == 4
    assert a_run(agent, "zebra").items[0].components.utility == 0.0


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert prune_runs(actor=actor, before=FAR).runs == 0


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    some_runs(agent, 1)
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "context.prune"):
        prune_runs(actor=actor, before=FAR)


def test_ten_runs_send_as_many_statements_as_one(agent: Actor, operator: Actor) -> None:
    counts = set()
    for number in (1, 10):
        some_runs(agent, number)
        with watched() as statements:
            assert prune_runs(actor=fresh(operator), before=FAR).runs == number
        counts.add(len(statements))
    assert counts == {6}


@pytest.mark.django_db(transaction=True)
def test_a_run_that_somebody_is_grading_stays_until_they_are_done() -> None:
    operator = a_project()[1]
    graded, other = some_runs(operator, 2)
    held = Held("FOR KEY SHARE")
    with behind(held, lambda: an_outcome(operator, graded, graded.items[0].record.id)) as outcomes:
        receipt = prune_runs(actor=fresh(operator), before=FAR)
        assert (receipt.runs, runs_left()) == (1, [graded.run_id])
    assert Outcome.objects.get().id == getattr(outcomes[0], "id", outcomes[0])
    assert other.run_id not in runs_left()
    assert prune_runs(actor=fresh(operator), before=FAR + timedelta(days=1)).runs == 1
    assert_invariants()
