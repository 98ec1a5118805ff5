"""Integrity items: lists and single reads, with who suspects what, counted anew each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import IntegrityItem, Report, Signal
from feedback.operations.decide_integrity import Doubt, IntegrityDecision, decide_integrity
from feedback.queries.integrity import (
    IntegrityRow,
    SuspicionCount,
    find_integrity_of,
    get_integrity,
    list_integrity,
)
from feedback.vocabulary import IntegrityState, Suspicion
from memory.errors import Denied, NotFound
from memory.operations.correct_records import Correction, correct_records
from memory.paging import Page, Seek
from memory.transactions import project_scope
from memory.vocabulary import RecordStatus
from tests.factories import MARKER, a_record, a_signal, another, fresh, some_records, suspect
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

OPEN, NO_CONCERN, REPORTED = IntegrityState
INJECTION: dict[str, Any] = {"is_injection_suspected": True}
NONE = SuspicionCount(signals=0, actors=0, first_at=None, last_at=None)


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, subject="zebra", predicate="lives_in", object="herds")


def an_item(actor: Actor, record: AssertedRecord | None = None, **said: Any) -> UUID:
    """The item of a record that two programs suspect."""
    record = record or a_record(actor)
    suspect(actor, record, **said)
    return IntegrityItem.objects.get(record_id=record.id).id


def decide(actor: Actor, item_id: UUID, **decided: Any) -> None:
    decision = IntegrityDecision(item_id=item_id, seen_state=OPEN, **decided)
    decide_integrity(actor=fresh(actor), decision=decision)


def listed(
    actor: Actor, limit: int = 100, after: Seek | None = None, **narrow: Any
) -> Page[IntegrityRow]:
    return list_integrity(actor=fresh(actor), after=after, limit=limit, **narrow)


def ids(actor: Actor, **narrow: Any) -> list[UUID]:
    return [row.id for row in listed(actor, **narrow).rows]


# --- Rows ----------------------------------------------------------------------------------------


def test_a_row_shows_the_record_and_who_suspects_it_of_what(
    agent: Actor, record: AssertedRecord
) -> None:
    item_id = an_item(agent, record)
    one = another(agent)
    for _ in range(3):
        a_signal(one, record, **INJECTION)
    a_signal(one, record, is_used=True)
    suspect(agent, a_record(agent), actors=1, **INJECTION)
    times = list(
        Signal.objects.filter(record_id=record.id)
        .order_by("recorded_at")
        .values_list("recorded_at", flat=True)
    )
    row = IntegrityRow(
        id=item_id,
        record_id=record.id,
        version=record.version,
        subject="zebra",
        predicate="lives_in",
        object="herds",
        status=RecordStatus.CURRENT,
        state=OPEN,
        recorded_at=IntegrityItem.objects.get().recorded_at,
        decided_at=None,
        decided_by=None,
        decided_by_kind=None,
        reason=None,
        report_id=None,
        poison=SuspicionCount(signals=2, actors=2, first_at=times[0], last_at=times[1]),
        injection=SuspicionCount(signals=3, actors=1, first_at=times[2], last_at=times[4]),
    )
    assert listed(agent).rows == (row,)
    assert get_integrity(actor=agent, item_id=item_id) == row
    assert audit_of(agent) == [Entry("signal.list", "allowed", "", 1)]


def test_a_decided_row_says_who_decided_what(
    agent: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    harmless, doubted = an_item(agent), an_item(agent, record, **INJECTION)
    decide(reviewer, harmless, reason="It is so.")
    decide(reviewer, doubted, report=Doubt(note=f"No {MARKER}."))
    one = get_integrity(actor=fresh(agent), item_id=harmless)
    two = get_integrity(actor=fresh(agent), item_id=doubted)
    assert (one.state, one.reason, one.report_id) == (NO_CONCERN, "It is so.", None)
    assert (two.state, two.reason, two.report_id) == (REPORTED, None, Report.objects.get().id)
    for row in (one, two):
        assert (row.decided_by, row.decided_by_kind) == (reviewer.id, "user")
        assert row.decided_at is not None
    assert (one.injection, two.poison) == (NONE, NONE)


def test_a_record_is_shown_as_it_is_now(agent: Actor, record: AssertedRecord) -> None:
    item_id = an_item(agent, record)
    change = Correction(
        record_id=record.id, expected_version=record.version, object="x", statement="zebra"
    )
    correct_records(actor=fresh(agent), corrections=[change])
    row = get_integrity(actor=agent, item_id=item_id)
    assert (row.status, row.object) == (RecordStatus.SUPERSEDED, "herds")
    assert row.version != record.version


def test_the_item_of_a_record_is_found_by_it(
    agent: Actor, outsider: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    item_id = an_item(agent, record)
    with project_scope(agent.project_id), watched() as statements:
        assert find_integrity_of(agent, record.id) == (item_id, OPEN)
    assert len(statements) == 1
    decide(reviewer, item_id, reason="It is so.")
    with project_scope(agent.project_id):
        assert find_integrity_of(agent, record.id) == (item_id, NO_CONCERN)
        assert find_integrity_of(agent, uuid4()) is None
    with project_scope(outsider.project_id):
        assert find_integrity_of(outsider, record.id) is None


# --- Lists ---------------------------------------------------------------------------------------


def test_items_stand_by_when_they_were_opened_last_and_pages_fit_together(
    agent: Actor, outsider: Actor, reviewer: Actor
) -> None:
    records = some_records(agent, 5)
    made = [an_item(agent, record) for record in records]
    an_item(outsider)
    decide(reviewer, made[0], reason="It is so.")
    suspect(agent, records[0])  # opens it again
    order = [made[0], *made[:0:-1]]
    for limit in (1, 2, 5, 100):
        for narrow in ({}, {"state": OPEN}, {"suspicion": Suspicion.POISON}):
            found: list[UUID] = []
            after: Seek | None = None
            while True:
                page = listed(agent, limit, after, **narrow)
                found += [row.id for row in page.rows]
                after = page.next
                if after is None:
                    break
            assert found == order


def test_items_are_narrowed_by_state_and_suspicion(agent: Actor, reviewer: Actor) -> None:
    poisoned, injected = an_item(agent), an_item(agent, **INJECTION)
    both = an_item(agent, **INJECTION, is_poison_suspected=True)
    decide(reviewer, injected, reason="It is so.")
    assert ids(agent) == [both, injected, poisoned]
    assert ids(agent, state=OPEN) == [both, poisoned]
    assert ids(agent, state=NO_CONCERN) == [injected]
    assert ids(agent, state=REPORTED) == []
    assert ids(agent, suspicion=Suspicion.POISON) == [both, poisoned]
    assert ids(agent, suspicion=Suspicion.INJECTION) == [both, injected]
    assert ids(agent, suspicion=Suspicion.INJECTION, state=OPEN) == [both]


def test_a_suspicion_reads_so_many_rows_a_page(
    agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 2)
    rare = an_item(agent, **INJECTION)
    for _ in range(3):
        an_item(agent)
    first = listed(agent, suspicion=Suspicion.INJECTION)
    assert (first.rows, first.is_scan_cut) == ((), True)
    second = listed(agent, after=first.next, suspicion=Suspicion.INJECTION)
    assert [row.id for row in second.rows] == [rare]


def test_a_list_is_audited_once_with_its_number_of_rows(agent: Actor) -> None:
    for _ in range(3):
        an_item(agent)
    assert changed_tables(lambda: list_integrity(actor=agent, limit=2)) == {}
    assert audit_of(agent) == [Entry("signal.list", "allowed", "", 2)]


@pytest.mark.parametrize(("narrow", "most"), [({}, 4), ({"suspicion": Suspicion.POISON}, 4)])
def test_ten_items_send_as_many_statements_as_one(
    agent: Actor, narrow: dict[str, Any], most: int
) -> None:
    numbers = []
    for number in (1, 9):
        for _ in range(number):
            an_item(agent)
        with watched() as statements:
            listed(agent, **narrow)
        numbers.append(len(statements))
    assert numbers[0] == numbers[1] <= most


# --- Who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    item_id = an_item(agent)
    actor: Actor = request.getfixturevalue(persona)
    assert ids(actor) == [item_id]
    assert get_integrity(actor=fresh(actor), item_id=item_id).state is OPEN


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_item(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    for item_id in (an_item(agent), uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "signal.list"):
            get_integrity(actor=actor, item_id=item_id)
    actor = fresh(actor)
    with refused(actor, Denied, "signal.list"):
        list_integrity(actor=actor, limit=1)


def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    item_id = an_item(agent, record)
    for actor, any_id in ((outsider, item_id), (agent, uuid4()), (agent, record.id)):
        again = fresh(actor)
        with refused(again, NotFound, "signal.list"):
            get_integrity(actor=again, item_id=any_id)
    assert ids(outsider) == []
