from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection

from feedback.models import Signal
from feedback.operations import prune_signals as operation
from memory.actor import Actor
from memory.models import AuditEntry
from tests.commands import answered, refusal_of, said
from tests.factories import MARKER, a_record, a_signal

pytestmark = pytest.mark.django_db


def aged(actor: Actor, record: object = f"{MARKER}#1", *, days: int) -> UUID:
    """A signal of so many days ago, aged by SQL; about no record unless told which."""
    known = set(Signal.objects.values_list("id", flat=True))
    a_signal(actor, record, is_used=True)  # type: ignore[arg-type]
    (signal,) = Signal.objects.exclude(id__in=known)
    at = datetime.now(UTC) - timedelta(days=days)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE feedback_signal DISABLE TRIGGER USER")
        cursor.execute("UPDATE feedback_signal SET recorded_at = %s WHERE id = %s", [at, signal.id])
        cursor.execute("ALTER TABLE feedback_signal ENABLE TRIGGER USER")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return signal.id


def left() -> set[UUID]:
    return set(Signal.objects.values_list("id", flat=True))


def test_old_signals_about_no_record_go_and_all_others_stay(agent: Actor, operator: Actor) -> None:
    aged(agent, days=40)
    aged(agent, days=31)
    stay = {aged(agent, days=29), aged(agent, a_record(agent), days=400)}
    answer = answered("prune_signals", "demo", "--older-than", 30)
    assert (answer["project"], answer["signals"], answer["dry_run"]) == ("demo", 2, False)
    assert left() == stay
    entry = AuditEntry.objects.get(operation="signal.prune")
    assert (entry.project_id, entry.edge, entry.magnitude) == (operator.project_id, "cli", 2)


def test_many_go_batch_by_batch(agent: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        aged(agent, days=40)
    monkeypatch.setitem(operation.prune_signals.__wrapped__.__kwdefaults__, "most", 2)  # type: ignore[attr-defined]
    sentence = said("prune_signals", "demo", "--older-than", 30)
    assert sentence == "5 signals about no record were deleted in demo.\n"
    entries = AuditEntry.objects.filter(operation="signal.prune")
    assert sorted(entries.values_list("magnitude", flat=True)) == [1, 2, 2]
    assert len(set(entries.values_list("request_id", flat=True))) == 3


def test_a_dry_run_counts_and_deletes_nothing(agent: Actor) -> None:
    stay = {aged(agent, days=40), aged(agent, days=1)}
    sentence = said("prune_signals", "demo", "--older-than", 30, "--dry-run")
    assert sentence == "1 signals about no record would be deleted in demo.\n"
    assert left() == stay
    assert not AuditEntry.objects.filter(operation="signal.prune").exists()


def test_without_old_signals_nothing_is_pruned(agent: Actor) -> None:
    aged(agent, days=1)
    assert answered("prune_signals", "demo", "--older-than", 30)["signals"] == 0
    assert not AuditEntry.objects.filter(operation="signal.prune").exists()


def test_signals_in_another_project_stay(agent: Actor, outsider: Actor) -> None:
    aged(agent, days=40)
    stays = aged(outsider, days=40)
    assert answered("prune_signals", "demo", "--older-than", 30)["signals"] == 1
    assert left() == {stays}


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_an_impossible_age_is_refused(operator: Actor, days: int) -> None:  # noqa: ARG001 - makes the project
    message = refusal_of("prune_signals", "demo", f"--older-than={days}")
    assert message == "--older-than must be 1 to 36500 days."


def test_an_unknown_project_is_refused() -> None:
    message = refusal_of("prune_signals", "nowhere", "--older-than=30")
    assert message.startswith("There is no project")
