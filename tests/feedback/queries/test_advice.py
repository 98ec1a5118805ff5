"""What clients say of one record, outcomes and signals together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from feedback.operations.decide_integrity import IntegrityDecision, decide_integrity
from feedback.queries import advice
from feedback.queries.advice import AdviceTally, SuspicionTally, tally_advice
from feedback.queries.integrity import get_integrity, get_suspected_for
from feedback.queries.outcomes import Votes, count_votes, tally_outcomes
from feedback.vocabulary import IntegrityState, OutcomeKind, Suspicion
from memory.errors import NotFound
from memory.operations.configure_project import configure_project
from memory.transactions import project_scope
from memory.vocabulary import UtilityScope
from tests.factories import a_record, a_run, an_outcome, fresh
from tests.review.situations import signalled, suspected
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement="zebra one")


def told(actor: Actor, record: AssertedRecord) -> AdviceTally:
    with project_scope(actor.project_id):
        return tally_advice(actor, record.id)


def graded(agent: Actor, record: AssertedRecord, kind: OutcomeKind, times: int = 1) -> None:
    for _ in range(times):
        an_outcome(agent, a_run(agent, "zebra"), record.id, kind)


def test_outcomes_are_tallied_as_without_signals(agent: Actor, record: AssertedRecord) -> None:
    graded(agent, record, OutcomeKind.USEFUL, 3)
    graded(agent, record, OutcomeKind.HARMFUL)
    with project_scope(agent.project_id):
        assert tally_advice(agent, record.id).outcomes == tally_outcomes(agent, record.id)


def test_a_record_of_which_nothing_was_said_has_an_empty_tally(
    agent: Actor, record: AssertedRecord
) -> None:
    tally = told(agent, record)
    nothing = SuspicionTally(0, 0, None)
    assert (tally.signals, tally.senders, tally.open_item) == (0, 0, None)
    assert tally.suspicions == {Suspicion.POISON: nothing, Suspicion.INJECTION: nothing}
    assert (tally.outcomes.total, tally.outcomes.votes) == (0, Votes(0, 0, 0))


def test_signals_and_suspicions_are_counted_with_their_senders(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    for _ in range(3):
        signalled(agent, record, is_poison_suspected=True)
    signalled(agent, record, is_used=True, is_poison_suspected=False)
    signalled(reviewer, record, is_injection_suspected=True)
    signalled(agent, a_record(agent), is_poison_suspected=True)
    tally = told(agent, record)
    poison, injection = tally.suspicions[Suspicion.POISON], tally.suspicions[Suspicion.INJECTION]
    assert (tally.signals, tally.senders) == (5, 2)
    assert (poison.number, poison.actors, injection.number, injection.actors) == (3, 1, 1, 1)
    assert poison.since is not None
    assert injection.since is not None
    assert poison.since < injection.since


def test_an_item_is_named_while_it_is_open(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    signalled(agent, record, is_poison_suspected=True)
    assert told(agent, record).open_item is None
    item = suspected(record, reviewer)
    assert told(agent, record).open_item == item
    decision = IntegrityDecision(item_id=item, seen_state=IntegrityState.OPEN, reason="Fine.")
    decide_integrity(actor=fresh(reviewer), decision=decision)
    assert told(agent, record).open_item is None


def test_votes_are_those_that_rank_whether_or_not_signals_count(
    agent: Actor, reviewer: Actor, operator: Actor, record: AssertedRecord
) -> None:
    graded(agent, record, OutcomeKind.INCORRECT)
    for number in range(3):
        signalled(reviewer, record, session=f"s{number}", reward=1.0)
    signalled(reviewer, record, is_poison_suspected=True)

    def votes() -> tuple[Votes, Votes, bool, float]:
        with project_scope(agent.project_id):
            tally = tally_advice(agent, record.id)
            ranked = count_votes(agent, [record.id])[record.id]
            outcomes = tally.outcomes
            return outcomes.votes, ranked, tally.are_signals_counted, outcomes.utility

    assert votes() == (Votes(0, 1, 1), Votes(0, 1, 1), False, 0.5)
    configure_project(actor=fresh(operator), are_signals_counted=True)
    assert votes() == (Votes(3, 1, 2), Votes(3, 1, 2), True, 0.75)
    configure_project(actor=fresh(operator), utility_scope=UtilityScope.TASK)
    assert votes() == (Votes(0, 1, 1), Votes(0, 1, 1), False, 0.5)


def test_where_signals_count_and_none_has_a_vote_nothing_counts(
    agent: Actor, operator: Actor, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), are_signals_counted=True)
    signalled(agent, record, is_poison_suspected=True)
    assert told(agent, record).outcomes.votes == Votes(0, 0, 0)


def test_it_takes_one_statement_and_sees_one_project(
    agent: Actor, reviewer: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    suspected(record, agent, reviewer)
    with project_scope(agent.project_id), watched() as statements:
        tally_advice(agent, record.id)
    assert len(statements) == 1
    elsewhere = told(outsider, record)
    assert (elsewhere.signals, elsewhere.open_item) == (0, None)


def test_no_more_than_the_newest_of_each_are_read(
    agent: Actor, owner: Actor, record: AssertedRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "COUNTED_OUTCOMES", 2)
    graded(agent, record, OutcomeKind.HARMFUL)
    graded(agent, record, OutcomeKind.USEFUL, 4)
    signalled(owner, record, is_poison_suspected=True)
    for _ in range(5):
        signalled(agent, record, is_used=True)
    for are_counted in (False, True):
        configure_project(actor=fresh(owner), are_signals_counted=are_counted)
        tally = told(agent, record)
        assert (tally.outcomes.is_cut, tally.outcomes.total, tally.signals) == (True, 3, 3)
        assert tally.outcomes.votes.positive == (4 if are_counted else 3)
        assert tally.suspicions[Suspicion.POISON].number == 1  # older than what was read of all


# Who suspects a record, and in which sessions


def test_the_newest_suspicions_of_a_record_are_told_one_by_one(
    agent: Actor, reviewer: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    signalled(agent, record, session="one", is_poison_suspected=True)
    signalled(agent, record.id, is_poison_suspected=True, is_injection_suspected=True)
    signalled(reviewer, record, is_used=True, is_poison_suspected=False)
    item = suspected(record, reviewer, is_injection_suspected=True, is_poison_suspected=True)
    with project_scope(agent.project_id):
        newest, middle, oldest = get_suspected_for(agent, item, told=3).suspicions
        assert get_suspected_for(agent, item, told=1).suspicions == (newest,)
    assert (newest.is_poison, newest.is_injection, newest.recorded_by) == (True, True, reviewer.id)
    assert (middle.is_poison, middle.is_injection) == (True, True)
    assert (middle.record_version, middle.session_digest) == (None, None)
    assert (oldest.is_poison, oldest.is_injection) == (True, False)
    assert (oldest.record_version, oldest.recorded_via) == (record.version, "rcp")
    assert oldest.session_digest is not None
    with project_scope(outsider.project_id), pytest.raises(NotFound):
        get_suspected_for(outsider, item, told=3)


def test_the_senders_of_an_item_are_those_who_suspect_its_record(
    agent: Actor, reviewer: Actor, owner: Actor, record: AssertedRecord
) -> None:
    signalled(agent, record, is_used=True, reward=1.0)
    signalled(agent, record, is_poison_suspected=True, reward=-0.5)
    signalled(owner, record, is_used=True)
    signalled(replace(fresh(agent), id=uuid4()), record, is_injection_suspected=False)
    item = suspected(record, reviewer)
    with project_scope(agent.project_id), watched() as statements:
        found = get_suspected_for(agent, item, told=0)
    assert len(statements) == 2
    latest, earliest = found.senders
    assert (latest.recorded_by, latest.signals, latest.reward_sum) == (reviewer.id, 1, None)
    assert (earliest.recorded_by, earliest.signals, earliest.reward_sum) == (agent.id, 1, -0.5)
    assert (earliest.poison_suspected, earliest.injection_suspected) == (1, 0)
    assert earliest.first_at == earliest.last_at == found.item.poison.first_at
    assert found.item == get_integrity(actor=fresh(agent), item_id=item)
    assert found.suspicions == ()
