"""prune_signals: old signals about no record go, oldest first; bound ones stay and count."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from feedback.models import IntegrityItem, Signal
from feedback.operations.prune_signals import SignalPruneReceipt, prune_signals
from feedback.operations.record_signals import SignalDraft
from memory.errors import Denied
from memory.operations.configure_project import configure_project
from tests.factories import MARKER, a_hit, a_record, a_run, a_signal, fresh, some_signals, suspect
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

FAR = datetime(2999, 1, 1, tzinfo=UTC)


def some_unbound(actor: Actor, number: int) -> list[Signal]:
    """So many signals about no record, the oldest first."""
    for place in range(number):
        a_signal(actor, f"{MARKER}#{place}", is_used=True)
    return list(Signal.objects.filter(record__isnull=True).order_by("recorded_at"))


def left() -> list[UUID]:
    return list(Signal.objects.order_by("recorded_at").values_list("id", flat=True))


def test_unbound_signals_from_before_a_time_go(agent: Actor, operator: Actor) -> None:
    signals = some_unbound(agent, 3)
    receipt = prune_signals(actor=operator, before=signals[2].recorded_at)
    assert receipt == SignalPruneReceipt(signals=2, is_more=False)
    assert left() == [signals[2].id]
    assert audit_of(operator) == [Entry("signal.prune", "allowed", "", 2)]


def test_signals_about_records_stay_and_keep_counting(agent: Actor, operator: Actor) -> None:
    record = a_record(agent, statement="zebra")
    configure_project(actor=fresh(operator), are_signals_counted=True)
    suspect(agent, record, is_poison_suspected=True, reward=-1.0)
    a_signal(agent, record, reward=-1.0)
    some_unbound(agent, 2)
    changes = changed_tables(lambda: prune_signals(actor=fresh(operator), before=FAR))
    assert changes == {"feedback_signal": (2, 0)}
    assert a_run(agent, "zebra").items[0].components.utility == 0.0
    assert IntegrityItem.objects.get().state == "open"
    assert_invariants()


def test_at_most_so_many_go_at_once_the_oldest_first(agent: Actor, operator: Actor) -> None:
    signals = some_unbound(agent, 5)
    for remaining, is_more in ((3, True), (1, True), (0, False)):
        receipt = prune_signals(actor=fresh(operator), before=FAR, most=2)
        assert receipt.is_more is is_more
        assert left() == [signal.id for signal in signals[5 - remaining :]]
    assert prune_signals(actor=operator, before=FAR, most=2) == SignalPruneReceipt(0, is_more=False)


def test_without_old_signals_nothing_goes(agent: Actor, operator: Actor) -> None:
    before = some_unbound(agent, 1)[0].recorded_at
    assert changed_tables(lambda: prune_signals(actor=operator, before=before)) == {}
    assert audit_of(operator) == [Entry("signal.prune", "allowed", "", 0)]


def test_signals_in_another_project_stay(operator: Actor, outsider: Actor) -> None:
    some_unbound(outsider, 1)
    assert prune_signals(actor=operator, before=FAR).signals == 0
    assert len(left()) == 1


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    some_unbound(agent, 1)
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert prune_signals(actor=actor, before=FAR).signals == 1


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    some_unbound(agent, 1)
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "signal.prune"):
        prune_signals(actor=actor, before=FAR)


def test_any_number_of_signals_sends_four_statements(agent: Actor, operator: Actor) -> None:
    for number in (1, 100):
        drafts = [SignalDraft(**a_hit(f"{MARKER}#{place}")) for place in range(number)]
        some_signals(agent, drafts)
        with watched() as statements:
            assert prune_signals(actor=fresh(operator), before=FAR).signals == number
        assert len(statements) == 4
