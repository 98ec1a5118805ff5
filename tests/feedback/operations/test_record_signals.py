"""record_signals: rows that are advice, bound where their hit is one of ours, and the quorum."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from feedback.models import IntegrityItem, Signal
from feedback.operations.decide_integrity import Doubt, IntegrityDecision, decide_integrity
from feedback.operations.record_signals import SignalDraft, SignalsReceipt, record_signals
from feedback.queries.retrieve import RetrieveRequest, retrieve
from feedback.vocabulary import IntegrityState
from memory.digests import Digester
from memory.errors import Denied, IdempotencyConflict
from memory.models import Project
from memory.operations.configure_project import configure_project
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge
from tests.contracts.catalogue import run
from tests.factories import (
    MARKER,
    a_hit,
    a_key,
    a_project,
    a_record,
    a_run,
    a_signal,
    another,
    fresh,
    some_records,
    some_signals,
    suspect,
)
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.racing import behind, race, successes
from tests.statements import Held, watched

if TYPE_CHECKING:
    from datetime import datetime

    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

ELSEWHERE = f"{MARKER}-chunk#1"
POISON: dict[str, Any] = {"is_poison_suspected": True}
INJECTION: dict[str, Any] = {"is_injection_suspected": True}


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement=f"{MARKER} zebra")


def claimed(record: AssertedRecord, version: UUID) -> dict[str, Any]:
    """A hit that names a version of a record, whether or not it is one."""
    return {"hit": f"{record.id}@{version}", "record_id": record.id, "version": version}


def digester(project_id: UUID) -> Digester:
    return Digester(bytes(Project.objects.values_list("digest_key", flat=True).get(id=project_id)))


def bindings() -> list[tuple[UUID | None, UUID | None]]:
    """Record and version of each signal, the oldest first."""
    rows = Signal.objects.order_by("recorded_at", "id")
    return list(rows.values_list("record_id", "record_version"))


def open_items() -> list[UUID]:
    """The records that reviewers are asked to look at."""
    items = IntegrityItem.objects.filter(state=IntegrityState.OPEN)
    return list(items.values_list("record_id", flat=True))


def age_signals(days: float) -> None:
    """Make all signals so many days older: by SQL, since they never change."""
    run("SET CONSTRAINTS ALL IMMEDIATE")
    run("ALTER TABLE feedback_signal DISABLE TRIGGER USER")
    run("UPDATE feedback_signal SET recorded_at = recorded_at - %s * interval '1 day'", days)
    run("ALTER TABLE feedback_signal ENABLE TRIGGER USER")


def erase(record: AssertedRecord) -> None:
    """A record and what is about it, as an erasure takes them away."""
    run("SET CONSTRAINTS ALL DEFERRED")
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    for table in ("feedback_signal", "feedback_integrityitem", "memory_citation"):
        run(f"DELETE FROM {table} WHERE record_id = %s", record.id)  # noqa: S608 - ours
    run("DELETE FROM memory_recordversion WHERE record_id = %s", record.id)
    run("DELETE FROM memory_record WHERE id = %s", record.id)
    run("SET LOCAL errata.erasure = ''")


# --- The row -------------------------------------------------------------------------------------


def test_a_signal_is_one_row_about_the_version_that_was_judged(
    agent: Actor, record: AssertedRecord
) -> None:
    draft = SignalDraft(
        **a_hit(record),
        is_used=True,
        is_cited=False,
        is_helpful=True,
        reward=-0.25,
        is_poison_suspected=False,
        is_injection_suspected=True,
    )
    query = f"Where is the {MARKER}?"
    receipt = record_signals(actor=agent, drafts=[draft], session="traj-42", query=query)
    row, digests = Signal.objects.get(), digester(agent.project_id)
    assert receipt == SignalsReceipt(accepted=1)
    assert (row.project_id, row.record_id, row.record_version) == (
        agent.project_id,
        record.id,
        record.version,
    )
    assert (row.is_used, row.is_cited, row.is_helpful, row.reward) == (True, False, True, -0.25)
    assert (row.is_poison_suspected, row.is_injection_suspected) == (False, True)
    assert row.session_digest is not None
    assert row.query_digest is not None
    assert bytes(row.session_digest) == digests.digest("session", "traj-42")
    assert bytes(row.query_digest) == digests.digest("query", query)
    assert row.hit_digest is None
    assert (row.recorded_by_kind, row.recorded_by_id, row.recorded_via, row.request_id) == (
        "credential",
        agent.id,
        "api",
        agent.request_id,
    )
    assert_invariants()


def test_a_signal_that_only_names_its_hit_counts_and_what_was_not_sent_is_null(
    agent: Actor, record: AssertedRecord
) -> None:
    assert a_signal(agent, record).accepted == 1
    row = Signal.objects.get()
    assert {
        row.is_used,
        row.is_cited,
        row.is_helpful,
        row.reward,
        row.is_poison_suspected,
        row.is_injection_suspected,
        row.session_digest,
        row.query_digest,
        row.hit_digest,
    } == {None}


def test_rewards_may_be_whole_numbers_among_others(agent: Actor, record: AssertedRecord) -> None:
    rewards = [1, -0.5, None, 0, -1, 0.25]
    some_signals(agent, [SignalDraft(**a_hit(record), reward=reward) for reward in rewards])
    stored = list(Signal.objects.values_list("reward", flat=True))
    assert sorted(stored, key=str) == sorted([1.0, -0.5, None, 0.0, -1.0, 0.25], key=str)


def test_a_bare_record_is_bound_without_a_version(agent: Actor, record: AssertedRecord) -> None:
    a_signal(agent, record.id, is_used=True)
    assert bindings() == [(record.id, None)]


def test_hits_of_closed_records_resolve_to_the_version_that_was_judged(agent: Actor) -> None:
    corrected, retracted = some_records(agent, 2)
    change = Correction(
        record_id=corrected.id,
        expected_version=corrected.version,
        object="x",
        statement=f"{MARKER} anew",
    )
    correct_records(actor=fresh(agent), corrections=[change])
    draft = RetractionDraft(record_id=retracted.id, expected_version=retracted.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    some_signals(agent, [SignalDraft(**a_hit(each), **POISON) for each in (corrected, retracted)])
    assert set(bindings()) == {(each.id, each.version) for each in (corrected, retracted)}
    assert_invariants()


def test_every_signal_of_a_call_is_a_row_even_twice_about_one_hit(
    agent: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent)
    drafts = [
        SignalDraft(**a_hit(each), is_used=is_used)
        for each in (other, ELSEWHERE, record, record.id, record)
        for is_used in (True, None)
    ]
    assert some_signals(agent, drafts).accepted == 10
    assert Counter(bindings()) == {
        (other.id, other.version): 2,
        (None, None): 2,
        (record.id, None): 2,
        (record.id, record.version): 4,
    }
    used = Signal.objects.filter(is_used=True)
    assert (used.count(), used.filter(record_id=other.id).count()) == (5, 1)
    assert_invariants()


def test_signals_write_nothing_else_and_are_audited_once(
    agent: Actor, record: AssertedRecord
) -> None:
    drafts = [
        SignalDraft(**a_hit(record), reward=1.0, **POISON),
        SignalDraft(**a_hit(ELSEWHERE), is_used=True, **INJECTION),
        SignalDraft(**a_hit(record.id)),
    ]
    said = {"session": f"{MARKER}-session", "query": f"{MARKER}?"}
    call = partial(record_signals, actor=agent, drafts=drafts, **said)  # type: ignore[arg-type]
    assert changed_tables(call) == {"feedback_signal": (0, 3)}
    assert audit_of(agent) == [Entry("signal.record", "allowed", "", 3)]


def test_a_call_without_signals_is_audited_and_writes_nothing(agent: Actor) -> None:
    assert changed_tables(lambda: record_signals(actor=agent, drafts=[])) == {}
    assert audit_of(agent) == [Entry("signal.record", "allowed", "", 0)]


def test_every_call_without_a_key_adds_rows(agent: Actor, record: AssertedRecord) -> None:
    for _ in range(3):
        a_signal(agent, record, is_used=True)
    assert Signal.objects.count() == 3


# --- Hits that are none of ours ------------------------------------------------------------------


def unbound_hits(agent: Actor, outsider: Actor, record: AssertedRecord) -> list[dict[str, Any]]:
    """One of each kind of hit that resolves to nothing."""
    foreign, other, erased = a_record(outsider), a_record(agent), a_record(agent)
    erase(erased)
    return [
        a_hit(ELSEWHERE),
        a_hit(uuid4()),
        a_hit(foreign),
        a_hit(foreign.id),
        a_hit(erased),
        a_hit(erased.id),
        claimed(record, uuid4()),
        claimed(record, other.version),
        claimed(record, foreign.version),
        claimed(record, record.id),
        a_hit(record.version),
        a_hit(record.source_id),
        {"hit": "7"},
        {"hit": "%s'); DROP TABLE x; --\u200b"},
    ]


def test_a_hit_that_is_none_of_ours_is_recorded_unbound(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    hits = unbound_hits(agent, outsider, record)
    drafts = [SignalDraft(**hit, is_used=True, **POISON) for hit in hits]
    assert some_signals(agent, drafts) == SignalsReceipt(len(hits))
    assert set(bindings()) == {(None, None)}
    digests = digester(agent.project_id)
    kept = {
        bytes(digest) for digest in Signal.objects.values_list("hit_digest", flat=True) if digest
    }
    assert kept == {digests.digest("hit", hit["hit"]) for hit in hits}


def test_nothing_tells_the_hits_apart_that_are_none_of_ours(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    seen = set()
    for hit in [*unbound_hits(agent, outsider, record), a_hit(record)]:
        actor = fresh(agent)
        with watched() as statements:
            receipt = record_signals(actor=actor, drafts=[SignalDraft(**hit, **POISON)])
        seen.add((str(statements), receipt, tuple(audit_of(actor))))
    assert len(seen) == 1


def test_a_foreign_digest_is_another_one(agent: Actor, outsider: Actor) -> None:
    for actor in (agent, outsider):
        a_signal(actor, ELSEWHERE, session="same")
    assert len(set(map(bytes, Signal.objects.values_list("hit_digest", flat=True)))) == 2  # type: ignore[arg-type]
    assert len(set(map(bytes, Signal.objects.values_list("session_digest", flat=True)))) == 2  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_a_record_stays_until_the_signals_about_it_are_there() -> None:
    operator = a_project()[1]
    record = a_record(operator)
    held = Held("unnest(%(records)s::uuid[], %(versions)s::uuid[], %(suspicions)s")
    with behind(held, lambda: a_signal(operator, record)) as outcomes:
        for lock, is_free in (("NO KEY UPDATE", True), ("UPDATE", False)):
            assert _is_free(record, lock) is is_free
    assert outcomes == [SignalsReceipt(1)]
    assert bindings() == [(record.id, record.version)]
    assert _is_free(record, "UPDATE")


def _is_free(record: AssertedRecord, lock: str) -> bool:
    """Whether somebody else could lock a record's row at once."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                f"SELECT FROM memory_record WHERE id = %s FOR {lock} NOWAIT", [record.id]
            )
    except OperationalError:
        return False
    return True


# --- Who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_signal(
    record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    record_signals(actor=actor, drafts=[SignalDraft(**a_hit(record))])
    assert bindings() == [(record.id, record.version)]
    assert audit_of(actor) == [Entry("signal.record", "allowed", "", 1)]


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_hit(
    record: AssertedRecord, persona: str, request: pytest.FixtureRequest
) -> None:
    for hit in (a_hit(record), a_hit(ELSEWHERE)):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "signal.record"):
            record_signals(actor=actor, drafts=[SignalDraft(**hit, **POISON)], key=a_key())


def test_the_door_is_kept(agent: Actor, record: AssertedRecord) -> None:
    a_signal(replace(agent, edge=Edge.RCP), record)
    assert Signal.objects.get().recorded_via == "rcp"


# --- Once ----------------------------------------------------------------------------------------


def test_a_repeated_key_answers_the_first_number_and_stores_nothing(
    agent: Actor, record: AssertedRecord
) -> None:
    key = a_key()
    drafts = [SignalDraft(**a_hit(record), **POISON), SignalDraft(**a_hit(ELSEWHERE))]
    assert some_signals(agent, drafts, key=key) == SignalsReceipt(2)
    assert changed_tables(lambda: record_signals(actor=agent, drafts=drafts, key=key)) == {}
    assert some_signals(agent, drafts, key=key) == SignalsReceipt(2, is_replay=True)
    assert audit_of(agent) == [Entry("signal.record", "allowed", "", 0)]
    assert_invariants()


def test_a_key_of_another_call_is_a_conflict(agent: Actor, record: AssertedRecord) -> None:
    drafts = [SignalDraft(**a_hit(record))]
    some_signals(agent, drafts, key=a_key("quagga-1", call=1))
    with refused(agent, IdempotencyConflict, "signal.record"):
        record_signals(actor=agent, drafts=drafts, key=a_key("quagga-1", call=2))


def test_another_actor_s_key_is_another_key(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    key = a_key()
    for actor in (agent, reviewer):
        assert not some_signals(actor, [SignalDraft(**a_hit(record))], key=key).is_replay
    assert Signal.objects.count() == 2


def test_a_refused_call_leaves_no_key(
    agent: Actor, agent_ro: Actor, record: AssertedRecord
) -> None:
    key, drafts = a_key(), [SignalDraft(**a_hit(record))]
    with refused(agent_ro, Denied, "signal.record"):
        record_signals(actor=agent_ro, drafts=drafts, key=key)
    writer = replace(agent_ro, access=agent.access)
    assert not some_signals(writer, drafts, key=key).is_replay


@pytest.mark.parametrize("reward", [1.01, -1.01, float("nan"), float("inf")])
def test_a_failure_leaves_nothing(agent: Actor, record: AssertedRecord, reward: float) -> None:
    key = a_key()
    drafts = [SignalDraft(**a_hit(record)), SignalDraft(**a_hit(record), reward=reward)]

    def fail() -> None:
        with pytest.raises(IntegrityError, match="feedback_signal_reward_range"):
            record_signals(actor=agent, drafts=drafts, key=key)

    assert changed_tables(fail) == {}
    assert not some_signals(agent, drafts[:1], key=key).is_replay


@pytest.mark.parametrize("said", [{"is_used": True}, POISON])
def test_any_number_of_signals_sends_as_many_statements(agent: Actor, said: dict[str, Any]) -> None:
    records = some_records(agent, 20)
    suspect(agent, records[0])
    counts = set()
    for number in (1, 256):
        hits = [a_hit(records[place % 20]) for place in range(number)]
        with watched() as statements:
            some_signals(agent, [SignalDraft(**hit, **said) for hit in hits], key=a_key())
        counts.add(len(statements))
    (count,) = counts
    assert count == (6 if said is POISON else 5)  # and one for the credential: 7


# --- What they change: nothing -------------------------------------------------------------------


def zebras(agent: Actor) -> tuple[AssertedRecord, ...]:
    """Six records that a search for zebras finds, each with words of its own."""
    return tuple(a_record(agent, statement=f"{MARKER} zebra {place}") for place in range(6))


def many_signals(agent: Actor, records: tuple[AssertedRecord, ...]) -> None:
    """Every kind of opinion of a dozen actors, in one and the other direction."""
    for number in range(12):
        drafts = [
            SignalDraft(
                **a_hit(record),
                is_used=place % 2 == 0,
                is_cited=place % 2 == 0,
                is_helpful=place % 2 == 0,
                reward=1.0 if place % 2 == 0 else -1.0,
                is_poison_suspected=place % 3 == 0,
                is_injection_suspected=place % 3 == 1,
            )
            for place, record in enumerate(records)
        ]
        some_signals(another(agent), drafts, session=f"{MARKER}-{number}", query="zebra")


def hits_of(actor: Actor, at: datetime | None = None) -> list[dict[str, Any]]:
    request = RetrieveRequest(text="zebra", limit=200, candidates=200, as_of=at)
    return [asdict(hit) for hit in retrieve(actor=fresh(actor), request=request).hits]


def test_many_signals_change_no_record_no_score_and_no_order(agent: Actor) -> None:
    records = zebras(agent)
    at = retrieve(
        actor=fresh(agent), request=RetrieveRequest(text="zebra", limit=9, candidates=9)
    ).as_of
    hits = hits_of(agent, at)
    pack = [asdict(item) for item in a_run(agent, "zebra", at=at).items]
    changes = changed_tables(lambda: many_signals(agent, records))
    assert changes == {"feedback_signal": (0, 72), "feedback_integrityitem": (0, 4)}
    assert hits_of(agent, at) == hits
    assert [asdict(item) for item in a_run(agent, "zebra", at=at).items] == pack
    assert len(hits) == len(pack) == 6
    assert_invariants()


def test_where_signals_count_the_same_many_move_scores_and_no_record(
    agent: Actor, operator: Actor
) -> None:
    records = zebras(agent)
    many_signals(agent, records)
    before = {hit["record"]["id"]: hit for hit in hits_of(agent)}
    configure_project(actor=fresh(operator), are_signals_counted=True)
    after = {hit["record"]["id"]: hit for hit in hits_of(agent)}
    assert [after[record.id]["components"]["utility"] for record in records] == 3 * [1.0, 0.0]
    for record in records:
        assert after[record.id]["record"] == before[record.id]["record"]
        assert after[record.id]["citations"] == before[record.id]["citations"]


# --- The quorum ----------------------------------------------------------------------------------


def test_two_actors_open_one_item_and_a_third_changes_nothing(
    agent: Actor, record: AssertedRecord
) -> None:
    first, second, third = (another(agent) for _ in range(3))
    a_signal(first, record, **POISON)
    assert open_items() == []
    changes = changed_tables(lambda: a_signal(second, record, **POISON))
    assert changes == {"feedback_signal": (0, 1), "feedback_integrityitem": (0, 1)}
    item = IntegrityItem.objects.get()
    assert (item.project_id, item.record_id, item.state) == (agent.project_id, record.id, "open")
    assert changed_tables(lambda: a_signal(third, record, **POISON)) == {"feedback_signal": (0, 1)}
    assert_invariants()


def test_fifty_signals_of_one_actor_are_one_voice(agent: Actor, record: AssertedRecord) -> None:
    for number in range(5):
        drafts = [SignalDraft(**a_hit(record), **POISON, **INJECTION)] * 10
        some_signals(agent, drafts, session=f"{MARKER}-{number}")
        a_signal(replace(agent, edge=Edge.RCP), record, **POISON)
    assert open_items() == []
    a_signal(another(agent), record, **POISON)
    assert open_items() == [record.id]


@pytest.mark.parametrize("quorum", [1, 2, 3, 10])
def test_the_quorum_is_the_project_s(
    agent: Actor, operator: Actor, record: AssertedRecord, quorum: int
) -> None:
    configure_project(actor=fresh(operator), integrity_quorum=quorum)
    suspect(agent, record, actors=quorum - 1)
    assert open_items() == []
    suspect(agent, record, actors=1)
    assert open_items() == [record.id]


def test_planted_and_injected_are_suspicions_of_one_record_alike(
    agent: Actor, record: AssertedRecord
) -> None:
    suspect(agent, record, actors=1, **INJECTION)
    suspect(agent, record.id, actors=1, **POISON)
    assert open_items() == [record.id]


def test_only_a_suspicion_suspects(agent: Actor, record: AssertedRecord) -> None:
    no = {"is_poison_suspected": False, "is_injection_suspected": False}
    for said in ({"reward": -1.0}, {"is_helpful": False}, no):
        suspect(agent, record, actors=3, **said)
    suspect(agent, record, actors=1)
    suspect(agent, record, actors=3, **no)
    assert open_items() == []


def test_each_record_has_its_own_quorum_even_in_one_call(agent: Actor) -> None:
    one, two, three = some_records(agent, 3)
    some_signals(another(agent), [SignalDraft(**a_hit(each), **POISON) for each in (two, one)])
    drafts = [SignalDraft(**a_hit(each), **POISON) for each in (three, one, two)]
    some_signals(another(agent), drafts)
    assert set(open_items()) == {one.id, two.id}


def test_suspicions_of_hits_that_are_none_of_ours_open_nothing(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    for hit in unbound_hits(agent, outsider, record):
        for _ in range(3):
            some_signals(another(agent), [SignalDraft(**hit, **POISON)])
    assert not IntegrityItem.objects.exists()


def test_actors_of_another_project_are_none_of_the_quorum(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    suspect(outsider, record, actors=3)
    suspect(agent, record, actors=1)
    assert not IntegrityItem.objects.exists()


def test_suspicions_count_for_thirty_days(agent: Actor, record: AssertedRecord) -> None:
    suspect(agent, record, actors=1)
    age_signals(30.001)
    suspect(agent, record, actors=1)
    assert open_items() == []
    age_signals(29.99)
    suspect(agent, record, actors=1)
    assert open_items() == [record.id]


def test_a_closed_record_is_suspected_like_any_other(agent: Actor, record: AssertedRecord) -> None:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    suspect(agent, record)
    assert open_items() == [record.id]


def decide(actor: Actor, **decided: Any) -> None:
    item_id = IntegrityItem.objects.get().id
    decision = IntegrityDecision(item_id=item_id, seen_state=IntegrityState.OPEN, **decided)
    decide_integrity(actor=fresh(actor), decision=decision)


def test_after_no_concern_only_a_quorum_of_later_signals_opens_it_again(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    suspect(agent, record, actors=5)
    decide(reviewer, reason="It is so.")
    decided = IntegrityItem.objects.get()
    suspect(agent, record, actors=1)
    assert IntegrityItem.objects.values().get() == IntegrityItem.objects.values().get(
        state="no_concern", decided_at=decided.decided_at
    )
    suspect(agent, record, actors=1)
    item = IntegrityItem.objects.get()
    assert (item.id, item.state) == (decided.id, "open")
    assert {item.decided_at, item.decided_by_id, item.decided_by_kind, item.reason} == {None}
    assert decided.decided_at is not None
    assert item.recorded_at > decided.decided_at
    assert_invariants()


def test_whoever_suspected_before_may_be_of_the_later_quorum(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    actors = [another(agent), another(agent)]
    for _ in range(2):
        for actor in actors:
            assert open_items() == []
            a_signal(actor, record, **POISON)
        assert open_items() == [record.id]
        decide(reviewer, reason="It is so.")


def test_a_reported_item_stays_reported(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    suspect(agent, record)
    decide(reviewer, report=Doubt(note=f"No {MARKER}."))
    assert changed_tables(lambda: suspect(agent, record, actors=5)) == {"feedback_signal": (0, 5)}
    assert IntegrityItem.objects.get().state == "reported"


# --- At once -------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_suspicions_at_once_make_exactly_one_item() -> None:
    operator = a_project()[1]
    for _ in range(5):
        record = a_record(operator)
        calls = [partial(a_signal, another(operator), record, **POISON) for _ in range(2)]
        assert race(calls) == [SignalsReceipt(1), SignalsReceipt(1)]
        assert IntegrityItem.objects.filter(record_id=record.id).count() == 1
    assert_invariants()


@pytest.mark.django_db(transaction=True)
def test_the_second_suspicion_waits_for_the_first_and_then_sees_it() -> None:
    operator = a_project()[1]
    record = a_record(operator)
    held = Held("INSERT INTO feedback_signal")
    with behind(held, partial(a_signal, another(operator), record, **POISON)) as first:
        later = race([partial(_impatient, another(operator), record)])
        assert [type(outcome).__name__ for outcome in later] == ["Unavailable"]
        assert a_signal(another(operator), record, is_used=True).accepted == 1  # waits for nobody
    assert first == [SignalsReceipt(1)]
    assert open_items() == []
    a_signal(another(operator), record, **POISON)
    assert open_items() == [record.id]


def _impatient(actor: Actor, record: AssertedRecord) -> SignalsReceipt:
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
    return a_signal(actor, record, **POISON)


@pytest.mark.django_db(transaction=True)
def test_calls_that_suspect_the_same_records_in_any_order_do_not_deadlock() -> None:
    operator = a_project()[1]
    records = some_records(operator, 12)
    calls = [
        partial(
            some_signals,
            another(operator),
            [SignalDraft(**a_hit(record), **POISON) for record in order],
        )
        for order in (records, records[::-1], records[6:] + records[:6])
    ]
    for _ in range(3):
        assert successes(race(calls)) == 3 * [SignalsReceipt(12)]
    assert sorted(open_items()) == sorted(record.id for record in records)
    assert_invariants()
