from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from feedback.models import ContextItem, ContextRun, Outcome
from feedback.operations.compile_context import ContextRequest, compile_context
from feedback.operations.record_outcome import OutcomeDraft, record_outcome
from feedback.queries.outcomes import get_outcome_summary
from feedback.vocabulary import OutcomeKind
from memory.actor import Actor
from memory.models import AuditEntry
from tests.commands import answered, refusal_of, said
from tests.factories import a_record, fresh

pytestmark = pytest.mark.django_db


def a_graded_run(actor: Actor, days_ago: int) -> ContextRun:
    """A run with one item that somebody found useful, aged by SQL."""
    record = a_record(actor)
    request = ContextRequest(task="Where does it meet?", max_tokens=9_000, max_candidates=5)
    context = compile_context(actor=fresh(actor), request=request, weigh=lambda _: 1)
    record_outcome(
        actor=fresh(actor),
        draft=OutcomeDraft(run_id=context.run_id, kind=OutcomeKind.USEFUL, record_id=record.id),
    )
    at = datetime.now(UTC) - timedelta(days=days_ago)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE feedback_contextrun DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE feedback_contextrun SET recorded_at = %s WHERE id = %s", [at, context.run_id]
        )
        cursor.execute("ALTER TABLE feedback_contextrun ENABLE TRIGGER USER")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return ContextRun.objects.get(id=context.run_id)


def test_old_runs_go_with_their_items_and_newer_ones_stay(agent: Actor, operator: Actor) -> None:
    old, new = a_graded_run(agent, days_ago=40), a_graded_run(agent, days_ago=20)
    items = ContextItem.objects.filter(run=old).count()
    answer = answered("prune_runs", "demo", "--older-than", 30)
    assert (answer["runs"], answer["items"], answer["dry_run"]) == (1, items, False)
    assert list(ContextRun.objects.values_list("id", flat=True)) == [new.id]
    assert set(ContextItem.objects.values_list("run_id", flat=True)) == {new.id}
    entry = AuditEntry.objects.get(operation="context.prune")
    assert (entry.project_id, entry.magnitude) == (operator.project_id, 1)


def test_outcomes_of_a_pruned_run_stay_and_count(agent: Actor) -> None:
    run = a_graded_run(agent, days_ago=40)
    said("prune_runs", "demo", "--older-than", 30)
    outcome = Outcome.objects.get(run_id=run.id)
    assert outcome.record_id is not None
    summary = get_outcome_summary(actor=fresh(agent), record_id=outcome.record_id)
    assert (summary.votes.positive, summary.votes.total) == (1, 1)


def test_a_dry_run_counts_and_deletes_nothing(agent: Actor) -> None:
    a_graded_run(agent, days_ago=40)
    sentence = said("prune_runs", "demo", "--older-than", 30, "--dry-run")
    assert sentence == "1 runs with 1 items would be deleted in demo.\n"
    assert ContextRun.objects.count() == 1
    assert not AuditEntry.objects.filter(operation="context.prune").exists()


def test_runs_of_another_project_stay(agent: Actor, outsider: Actor) -> None:
    a_graded_run(outsider, days_ago=40)
    a_graded_run(agent, days_ago=40)
    said("prune_runs", "demo", "--older-than", 30)
    assert list(ContextRun.objects.values_list("project_id", flat=True)) == [outsider.project_id]


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_an_impossible_age_is_refused(operator: Actor, days: int) -> None:  # noqa: ARG001 - makes the project
    message = refusal_of("prune_runs", "demo", f"--older-than={days}")
    assert message == "--older-than must be 1 to 36500 days."
