"""Signals: lists, sums by record and by sender, and how those that count move a score."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import Signal
from feedback.operations.record_signals import SignalDraft
from feedback.queries import signals
from feedback.queries.outcomes import NO_VOTES, Votes, count_votes, get_outcome_summary
from feedback.queries.signals import (
    OldSignals,
    Rewards,
    SenderRow,
    SignalRow,
    SignalSummary,
    Suspicions,
    UnboundRow,
    YesNo,
    count_old_signals,
    count_unbound,
    get_signal_summary,
    list_senders,
    list_signals,
)
from feedback.vocabulary import IntegrityState, OutcomeKind
from memory.digests import Digester
from memory.errors import Denied, NotFound
from memory.models import Project
from memory.operations.configure_project import configure_project
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.paging import Page, Seek
from memory.transactions import project_scope
from memory.vocabulary import UtilityScope
from tests.factories import (
    MARKER,
    a_hit,
    a_record,
    a_run,
    a_signal,
    an_outcome,
    another,
    fresh,
    some_signals,
    suspect,
)
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

ELSEWHERE = f"{MARKER}#1"
POISON: dict[str, Any] = {"is_poison_suspected": True}
INJECTION: dict[str, Any] = {"is_injection_suspected": True}


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement="zebra one")


def said(actor: Actor, record: AssertedRecord | UUID | str, **what: Any) -> UUID:
    """The id of a new signal."""
    known = set(Signal.objects.values_list("id", flat=True))
    a_signal(actor, record, **what)
    return Signal.objects.exclude(id__in=known).get().id


def listed(
    actor: Actor, limit: int = 100, after: Seek | None = None, **narrow: Any
) -> Page[SignalRow]:
    return list_signals(actor=fresh(actor), after=after, limit=limit, **narrow)


def ids(actor: Actor, **narrow: Any) -> list[UUID]:
    return [row.id for row in listed(actor, **narrow).rows]


def all_ids(actor: Actor, limit: int, **narrow: Any) -> list[UUID]:
    """What the pages of a list hold together."""
    found: list[UUID] = []
    after: Seek | None = None
    while True:
        page = listed(actor, limit, after, **narrow)
        found += [row.id for row in page.rows]
        after = page.next
        if after is None:
            return found


# --- Lists ---------------------------------------------------------------------------------------


def test_a_row_says_what_was_said_of_what_and_by_whom(
    reviewer: Actor, record: AssertedRecord
) -> None:
    draft = {"is_used": True, "is_cited": False, "reward": -0.5, "is_poison_suspected": True}
    signal_id = said(reviewer, record, session="traj-42", **draft)
    key = Project.objects.values_list("digest_key", flat=True).get(id=reviewer.project_id)
    (row,) = listed(reviewer).rows
    assert row == SignalRow(
        id=signal_id,
        record_id=record.id,
        record_version=record.version,
        is_used=True,
        is_cited=False,
        is_helpful=None,
        reward=-0.5,
        is_poison_suspected=True,
        is_injection_suspected=None,
        session_digest=Digester(bytes(key)).digest("session", "traj-42"),
        recorded_by=reviewer.id,
        recorded_by_kind="user",
        recorded_via="console",
        recorded_at=Signal.objects.get().recorded_at,
    )


def test_signals_stand_newest_first_and_pages_fit_together(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent)
    made = [said(agent, record if place % 2 == 0 else other.id, **POISON) for place in range(5)]
    said(agent, ELSEWHERE, **POISON)
    said(outsider, a_record(outsider), **POISON)
    for limit in (1, 2, 5, 100):
        assert all_ids(agent, limit) == made[::-1]
        assert all_ids(agent, limit, is_suspected_only=True) == made[::-1]
        assert all_ids(agent, limit, record_id=record.id) == made[::-2]


def test_signals_are_narrowed_by_record_and_suspicion(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent)
    one, two = said(agent, record, **POISON), said(agent, record, is_used=True)
    three, four = said(agent, other, **INJECTION), said(agent, other, is_poison_suspected=False)
    assert ids(agent) == [four, three, two, one]
    assert ids(agent, record_id=record.id) == [two, one]
    assert ids(agent, is_suspected_only=True) == [three, one]
    assert ids(agent, record_id=record.id, is_suspected_only=True) == [one]
    assert ids(agent, record_id=other.id, is_suspected_only=True) == [three]
    assert ids(agent, record_id=uuid4()) == ids(outsider, record_id=record.id) == []
    assert ids(outsider) == ids(outsider, is_suspected_only=True) == []


def test_the_suspicions_about_one_record_are_sought_among_all_that_is_said_of_it(
    agent: Actor, record: AssertedRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 3)
    rare = said(agent, record, **POISON)
    for _ in range(5):
        said(agent, record, is_used=True)
    page = listed(agent, record_id=record.id, is_suspected_only=True)
    assert ([row.id for row in page.rows], page.next, page.is_scan_cut) == ([rare], None, False)


def test_a_list_is_audited_once_with_its_number_of_rows(
    agent: Actor, record: AssertedRecord
) -> None:
    for _ in range(3):
        said(agent, record)
    assert changed_tables(lambda: list_signals(actor=agent, limit=2)) == {}
    assert audit_of(agent) == [Entry("signal.list", "allowed", "", 2)]


@pytest.mark.parametrize(
    ("is_of_record", "is_suspected", "most"), [(0, 0, 3), (1, 0, 3), (0, 1, 3), (1, 1, 3)]
)
def test_ten_signals_send_as_many_statements_as_one(
    agent: Actor, record: AssertedRecord, is_of_record: int, is_suspected: int, most: int
) -> None:
    narrow: dict[str, Any] = {"record_id": record.id} if is_of_record else {}
    numbers = []
    for number in (1, 9):
        for _ in range(number):
            said(agent, record, **POISON)
        with watched() as statements:
            listed(agent, is_suspected_only=bool(is_suspected), **narrow)
        numbers.append(len(statements))
    assert numbers[0] == numbers[1] <= most


# --- Sums ----------------------------------------------------------------------------------------


def test_a_summary_counts_what_was_said_and_by_how_many(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    said(agent, record, is_used=True, is_cited=True, is_helpful=False, reward=0.5, **POISON)
    said(agent, record.id, is_used=True, is_cited=False, reward=-0.25, **POISON)
    said(agent, record, is_used=False, is_poison_suspected=False)
    said(reviewer, record, reward=1.0, **POISON, **INJECTION)
    said(another(agent), ELSEWHERE, is_used=True, **POISON)
    said(another(agent), a_record(agent), is_used=True, **POISON)
    assert get_signal_summary(actor=agent, record_id=record.id) == SignalSummary(
        record_id=record.id,
        signals=4,
        distinct_actors=2,
        used=YesNo(2, 1),
        cited=YesNo(1, 1),
        helpful=YesNo(0, 1),
        reward=Rewards(3, 0.4166666666666667, -0.25, 1.0),
        poison_suspected=Suspicions(3, 2),
        injection_suspected=Suspicions(1, 1),
        is_in_utility=False,
        integrity=IntegrityState.OPEN,
    )
    assert audit_of(agent) == [Entry("signal.summary", "allowed", "", 1)]


def test_a_record_without_signals_is_neutral_in_any_state(
    agent: Actor, operator: Actor, record: AssertedRecord
) -> None:
    none = SignalSummary(
        record_id=record.id,
        signals=0,
        distinct_actors=0,
        used=YesNo(0, 0),
        cited=YesNo(0, 0),
        helpful=YesNo(0, 0),
        reward=Rewards(0, None, None, None),
        poison_suspected=Suspicions(0, 0),
        injection_suspected=Suspicions(0, 0),
        is_in_utility=True,
        integrity=None,
    )
    configure_project(actor=fresh(operator), are_signals_counted=True)
    assert get_signal_summary(actor=fresh(agent), record_id=record.id) == none
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert get_signal_summary(actor=fresh(agent), record_id=record.id) == none


def test_ten_signals_are_summed_in_as_many_statements_as_one(
    agent: Actor, record: AssertedRecord
) -> None:
    numbers = []
    for number in (1, 9):
        suspect(agent, record, actors=number)
        with watched() as statements:
            get_signal_summary(actor=fresh(agent), record_id=record.id)
        numbers.append(len(statements))
    assert numbers == [5, 5]


# --- Senders -------------------------------------------------------------------------------------


def test_what_one_sender_says_of_a_record_is_one_row(
    agent: Actor, reviewer: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    for place in range(5):
        said(agent, record, reward=0.5 if place % 2 else None, **POISON)
    said(reviewer, record, **INJECTION)
    said(agent, a_record(agent), **POISON)
    said(agent, ELSEWHERE, **POISON)
    times = list(
        Signal.objects.filter(record_id=record.id)
        .order_by("recorded_at")
        .values_list("recorded_at", flat=True)
    )
    with project_scope(agent.project_id), watched() as statements:
        found = list_senders(agent, record.id)
    assert len(statements) == 1
    assert found == [
        SenderRow(reviewer.id, "user", "console", 1, None, 0, 1, times[5], times[5]),
        SenderRow(agent.id, "credential", "api", 5, 1.0, 5, 0, times[0], times[4]),
    ]
    with project_scope(outsider.project_id):
        assert list_senders(outsider, record.id) == []


def test_so_many_senders_are_listed(
    agent: Actor, record: AssertedRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "SENDERS", 3)
    suspect(agent, record, actors=5)
    newest = Signal.objects.order_by("-recorded_at").values_list("recorded_by_id", flat=True)[:3]
    with project_scope(agent.project_id):
        assert [row.recorded_by for row in list_senders(agent, record.id)] == list(newest)


def test_signals_about_no_record_are_counted_by_sender(
    agent: Actor, reviewer: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    said(reviewer, ELSEWHERE)
    for _ in range(3):
        said(agent, ELSEWHERE, is_used=True)
    said(agent, record)
    said(outsider, record.id)
    last = dict(
        Signal.objects.filter(record__isnull=True)
        .order_by("recorded_at")
        .values_list("recorded_by_id", "recorded_at")
    )
    rows = [
        UnboundRow(agent.id, "credential", 3, last[agent.id]),
        UnboundRow(reviewer.id, "user", 1, last[reviewer.id]),
    ]
    with project_scope(agent.project_id):
        with watched() as statements:
            assert count_unbound(agent) == rows
        assert len(statements) == 1
        assert count_unbound(agent, newest=2) == [
            UnboundRow(agent.id, "credential", 2, last[agent.id])
        ]


def test_old_signals_are_those_about_no_record_from_before_a_day(
    agent: Actor, record: AssertedRecord
) -> None:
    said(agent, ELSEWHERE)
    said(agent, record)
    assert count_old_signals(actor=fresh(agent), days=1).signals == 0
    old = count_old_signals(actor=agent, days=-1)
    assert old == OldSignals(old.before, 1)
    assert old.before > Signal.objects.get(record__isnull=True).recorded_at
    assert isinstance(old.before, datetime)
    assert audit_of(agent) == [Entry("signal.list", "allowed", "", 1)]


# --- Votes ---------------------------------------------------------------------------------------


@pytest.fixture
def counting(operator: Actor) -> Actor:
    """The operator of a project where signals count."""
    configure_project(actor=fresh(operator), are_signals_counted=True)
    return operator


def votes(actor: Actor, record: AssertedRecord) -> Votes:
    with project_scope(actor.project_id):
        return count_votes(actor, [record.id]).get(record.id, NO_VOTES)


def utility(actor: Actor) -> float:
    """The utility of the best item of a new pack."""
    return a_run(actor, "zebra").items[0].components.utility


def in_sessions(actor: Actor, record: AssertedRecord, *opinions: dict[str, Any]) -> None:
    """Each of them in a session of its own."""
    for opinion in opinions:
        a_signal(actor, record, session=f"{MARKER}-{uuid4()}", **opinion)


GOOD: dict[str, Any] = {"reward": 1.0}
BAD: dict[str, Any] = {"reward": -1.0}

#: +1 counts for a record, -1 against it, 0 not at all
OPINIONS: list[tuple[dict[str, Any], int]] = [
    ({}, 0),
    ({"reward": 0.001}, 1),
    ({"reward": -0.001}, -1),
    ({"reward": 0.0}, 0),
    ({"is_used": True}, 1),
    ({"is_cited": True}, 1),
    ({"is_helpful": True}, 1),
    ({"is_used": False, "is_cited": True}, 1),
    ({"is_used": False}, 0),
    ({"is_cited": False}, 0),
    ({"is_helpful": False}, -1),
    ({"is_used": True, "is_helpful": False}, 1),
    ({"is_used": True, "reward": -0.5}, -1),
    ({"is_used": True, "reward": 0.0}, 0),
    ({"is_helpful": False, "reward": 0.5}, 1),
    ({"is_helpful": False, "reward": 0.0}, -1),
    ({"is_helpful": True, "reward": -0.5}, -1),
    (POISON, 0),
    (INJECTION, 0),
    ({**POISON, **INJECTION, "is_used": True}, 1),
]


@pytest.mark.parametrize(("opinion", "vote"), OPINIONS)
def test_what_a_signal_says_of_its_record(
    agent: Actor, record: AssertedRecord, counting: Actor, opinion: dict[str, Any], vote: int
) -> None:
    in_sessions(agent, record, *[opinion] * 3)
    assert (
        votes(counting, record)
        == {
            1: Votes(3, 0, 1),
            -1: Votes(0, 3, 1),
            0: NO_VOTES,
        }[vote]
    )
    assert utility(agent) == (1 + vote) / 2


def test_signals_count_only_where_an_owner_says_so(
    agent: Actor, operator: Actor, record: AssertedRecord
) -> None:
    in_sessions(agent, record, *[BAD] * 5)
    for is_on, expected in ((False, 0.5), (True, 0.0), (False, 0.5)):
        configure_project(actor=fresh(operator), are_signals_counted=is_on)
        assert utility(agent) == expected
        summary = get_signal_summary(actor=fresh(agent), record_id=record.id)
        assert (summary.is_in_utility, summary.signals) == (is_on, 5)


def test_one_or_two_signals_move_nothing_and_three_do(
    agent: Actor, record: AssertedRecord, counting: Actor
) -> None:
    for expected in (0.5, 0.5, 0.0, 0.0):
        in_sessions(agent, record, BAD)
        assert utility(counting) == expected


def test_signals_and_outcomes_are_one_count(
    agent: Actor, reviewer: Actor, record: AssertedRecord, counting: Actor
) -> None:
    run = a_run(agent, "zebra")
    an_outcome(agent, run, record.id, OutcomeKind.USEFUL)
    in_sessions(reviewer, record, GOOD, BAD)
    assert votes(counting, record) == Votes(2, 1, 2)
    assert utility(agent) == 0.666667
    summary = get_outcome_summary(actor=fresh(agent), record_id=record.id)
    assert (summary.by_kind[OutcomeKind.USEFUL], summary.votes.total) == (1, 3)
    assert summary.utility == pytest.approx(2 / 3)


def test_a_session_stands_for_a_run(agent: Actor, record: AssertedRecord, counting: Actor) -> None:
    two = another(agent)
    for actor, session, opinion in (
        (agent, "one", BAD),
        (agent, "one", BAD),
        (agent, "one", GOOD),
        (two, "one", GOOD),
        (agent, "two", GOOD),
        (agent, "one", {"is_used": False}),  # judges nothing, so it replaces nothing
    ):
        a_signal(actor, record, session=session, **opinion)
    assert votes(counting, record) == Votes(3, 2, 2)
    configure_project(actor=fresh(counting), one_vote_per_run=True)
    assert votes(counting, record) == Votes(3, 0, 2)


@pytest.mark.parametrize("is_one_vote", [0, 1])
def test_without_a_session_an_actor_has_one_vote_a_record(
    agent: Actor, record: AssertedRecord, counting: Actor, is_one_vote: int
) -> None:
    configure_project(actor=fresh(counting), one_vote_per_run=bool(is_one_vote))
    other = a_record(agent, statement="zebra two")
    for opinion in (BAD, BAD, GOOD, {"is_cited": False}):
        a_signal(agent, record, **opinion)
        a_signal(agent, other.id, **opinion)
    assert votes(counting, record) == votes(counting, other) == Votes(1, 0, 1)
    a_signal(another(agent), record, **BAD)
    a_signal(agent, record, session="one", **BAD)
    assert votes(counting, record) == Votes(1, 2, 2)


def test_the_least_number_of_actors_is_counted_over_both(
    agent: Actor, record: AssertedRecord, counting: Actor
) -> None:
    configure_project(actor=fresh(counting), minimum_actors=3)
    run = a_run(agent, "zebra")
    an_outcome(agent, run, record.id, OutcomeKind.HARMFUL)
    in_sessions(agent, record, *[BAD] * 5)
    in_sessions(another(agent), record, BAD)
    assert utility(agent) == 0.5
    in_sessions(another(agent), record, {"is_used": False}, POISON)  # no vote, so no actor
    assert utility(agent) == 0.5
    in_sessions(another(agent), record, BAD)
    assert utility(agent) == 0.0


def test_where_outcomes_count_by_task_no_signal_does(
    agent: Actor, record: AssertedRecord, counting: Actor
) -> None:
    in_sessions(agent, record, *[BAD] * 5)
    configure_project(actor=fresh(counting), utility_scope=UtilityScope.TASK)
    assert votes(counting, record) == NO_VOTES
    assert utility(agent) == 0.5


def test_signals_about_no_record_or_another_s_count_for_none(
    agent: Actor, outsider: Actor, record: AssertedRecord, counting: Actor
) -> None:
    in_sessions(outsider, record, *[BAD] * 3)
    wrong = {**a_hit(record), "version": uuid4()}
    some_signals(agent, [SignalDraft(**wrong, **BAD)] * 3, session="one")
    assert votes(counting, record) == NO_VOTES


def test_the_votes_of_both_are_one_statement(
    agent: Actor, record: AssertedRecord, counting: Actor
) -> None:
    in_sessions(agent, record, *[GOOD] * 3)
    with project_scope(counting.project_id), watched() as statements:
        count_votes(counting, [record.id, uuid4()])
    assert len(statements) == 1


# --- Who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(
    agent: Actor, record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    signal_id = said(agent, record)
    actor: Actor = request.getfixturevalue(persona)
    assert ids(actor) == [signal_id]
    assert get_signal_summary(actor=fresh(actor), record_id=record.id).signals == 1
    assert count_old_signals(actor=fresh(actor), days=1).signals == 0


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_record(
    record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    for record_id in (record.id, uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "signal.summary"):
            get_signal_summary(actor=actor, record_id=record_id)
    actor = fresh(actor)
    with refused(actor, Denied, "signal.list"):
        list_signals(actor=actor, limit=1)
    actor = fresh(actor)
    with refused(actor, Denied, "signal.list"):
        count_old_signals(actor=actor, days=1)


def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    said(agent, record)
    for actor, record_id in ((outsider, record.id), (agent, uuid4()), (agent, record.version)):
        again = fresh(actor)
        with refused(again, NotFound, "signal.summary"):
            get_signal_summary(actor=again, record_id=record_id)
