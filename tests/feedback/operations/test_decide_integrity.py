"""decide_integrity, reopen_integrity: what a reviewer makes of a suspected record, and back."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError

from feedback.errors import IntegrityDecided
from feedback.models import IntegrityItem, Report
from feedback.operations.decide_integrity import (
    Doubt,
    IntegrityDecision,
    IntegrityReceipt,
    decide_integrity,
    reopen_integrity,
)
from feedback.vocabulary import REASON_BYTES, IntegrityState
from memory.errors import Denied, FieldInvalid, IdempotencyConflict, NotFound, RecordConflict
from memory.operations.retract_records import RetractionDraft, retract_records
from tests.factories import MARKER, a_key, a_project, a_record, a_run, fresh, suspect
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.racing import race, refusals, successes
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

OPEN, NO_CONCERN, REPORTED = IntegrityState
REASON = f"The {MARKER} is well known."


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement=f"{MARKER} zebra")


@pytest.fixture
def item_id(agent: Actor, record: AssertedRecord) -> UUID:
    suspect(agent, record)
    return IntegrityItem.objects.get().id


def a_doubt(**said: Any) -> Doubt:
    return Doubt(**{"note": f"No {MARKER} said so.", **said})


def decide(actor: Actor, item_id: UUID, **decided: Any) -> IntegrityReceipt:
    """Of no concern, unless told otherwise, seen as open."""
    key, seen = decided.pop("key", None), decided.pop("seen_state", OPEN)
    decision = IntegrityDecision(
        item_id=item_id, seen_state=seen, **(decided or {"reason": REASON})
    )
    return decide_integrity(actor=actor, decision=decision, key=key)


def reopen(
    actor: Actor, item_id: UUID, seen_state: IntegrityState = NO_CONCERN, **said: Any
) -> IntegrityReceipt:
    return reopen_integrity(actor=actor, item_id=item_id, seen_state=seen_state, **said)


# --- No concern ----------------------------------------------------------------------------------


def test_a_reviewer_says_that_a_record_is_of_no_concern_and_why(
    reviewer: Actor, item_id: UUID, record: AssertedRecord
) -> None:
    receipt = decide(reviewer, item_id)
    item = IntegrityItem.objects.get()
    assert (item.state, item.reason, item.report_id) == ("no_concern", REASON, None)
    assert (item.decided_by_kind, item.decided_by_id) == ("user", reviewer.id)
    assert item.decided_at is not None
    assert item.decided_at > item.recorded_at
    assert receipt == IntegrityReceipt(item_id, record.id, NO_CONCERN, None, item.decided_at)
    assert_invariants()


def test_a_decision_writes_nothing_else_and_is_audited_once(reviewer: Actor, item_id: UUID) -> None:
    assert changed_tables(lambda: decide(reviewer, item_id)) == {"feedback_integrityitem": (1, 1)}
    assert audit_of(reviewer) == [Entry("integrity.decide", "allowed", "", 1)]


def test_a_decision_hides_and_demotes_nothing(agent: Actor, reviewer: Actor, item_id: UUID) -> None:
    before = [asdict(item) for item in a_run(agent, "zebra").items]
    decide(fresh(reviewer), item_id, report=a_doubt())
    assert [asdict(item) for item in a_run(agent, "zebra").items] == before


@pytest.mark.parametrize("reason", ["", "a" * (REASON_BYTES + 1), "é" * (REASON_BYTES // 2) + "a"])
def test_a_reason_without_words_or_too_long_leaves_nothing(
    reviewer: Actor, item_id: UUID, reason: str
) -> None:
    key = a_key()

    def fail() -> None:
        with pytest.raises(IntegrityError, match="feedback_integrityitem_reason_bytes"):
            decide(reviewer, item_id, reason=reason, key=key)

    assert changed_tables(fail) == {}
    assert not decide(fresh(reviewer), item_id, reason="é" * (REASON_BYTES // 2), key=key).is_replay


# --- A report ------------------------------------------------------------------------------------


def test_a_reviewer_files_an_ordinary_report(
    reviewer: Actor, item_id: UUID, record: AssertedRecord
) -> None:
    draft = a_doubt(proposed_object=f"{MARKER} lake", expected_version=record.version)
    changes = changed_tables(lambda: decide(reviewer, item_id, report=draft))
    assert changes == {"feedback_integrityitem": (1, 1), "feedback_report": (0, 1)}
    item, report = IntegrityItem.objects.get(), Report.objects.get()
    assert (item.state, item.report_id, item.reason) == ("reported", report.id, None)
    assert (report.record_id, report.note, report.proposed_object) == (
        record.id,
        draft.note,
        draft.proposed_object,
    )
    assert (report.recorded_by_id, report.promoted_at) == (reviewer.id, None)
    assert audit_of(reviewer) == [
        Entry("feedback.record", "allowed", "", 1),
        Entry("integrity.decide", "allowed", "", 1),
    ]
    assert_invariants()


def test_a_report_that_is_refused_leaves_the_item_open(
    agent: Actor, reviewer: Actor, item_id: UUID, record: AssertedRecord
) -> None:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    with refused(reviewer, RecordConflict, "integrity.decide"):
        decide(reviewer, item_id, report=a_doubt(expected_version=record.version))
    assert IntegrityItem.objects.get().state == "open"
    assert decide(fresh(reviewer), item_id, report=a_doubt()).state is REPORTED


@pytest.mark.parametrize("is_both", [True, False])
def test_it_is_one_or_the_other(reviewer: Actor, item_id: UUID, *, is_both: bool) -> None:
    decided = {"reason": REASON, "report": a_doubt()} if is_both else {"reason": None}
    with refused(reviewer, FieldInvalid, "integrity.decide") as raised:
        decide(reviewer, item_id, **decided)
    assert raised.value.field == "reason"


# --- Back ----------------------------------------------------------------------------------------


def test_no_concern_can_be_taken_back_and_decided_anew(
    reviewer: Actor, owner: Actor, item_id: UUID, record: AssertedRecord
) -> None:
    decided = decide(fresh(reviewer), item_id)
    receipt = reopen(owner, item_id)
    item = IntegrityItem.objects.get()
    assert (item.state, item.recorded_at) == ("open", receipt.at)
    assert receipt == IntegrityReceipt(item_id, record.id, OPEN, None, item.recorded_at)
    assert receipt.at > decided.at
    assert {item.decided_at, item.decided_by_id, item.decided_by_kind, item.reason} == {None}
    assert audit_of(owner) == [Entry("integrity.reopen", "allowed", "", 1)]
    assert decide(fresh(reviewer), item_id, report=a_doubt()).state is REPORTED
    assert_invariants()


def test_the_report_stays_when_the_decision_is_taken_back(reviewer: Actor, item_id: UUID) -> None:
    report_id = decide(fresh(reviewer), item_id, report=a_doubt()).report_id
    changes = changed_tables(lambda: reopen(reviewer, item_id, REPORTED))
    assert changes == {"feedback_integrityitem": (1, 1)}
    assert Report.objects.get().id == report_id
    assert IntegrityItem.objects.get().report_id is None


# --- Who, and what -------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reviewer", "owner", "operator"])
def test_people_who_review_may(item_id: UUID, persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = request.getfixturevalue(persona)
    assert decide(fresh(actor), item_id).state is NO_CONCERN
    assert reopen(fresh(actor), item_id).state is OPEN


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent", "agent_ro"])
def test_nobody_else_may_for_any_item(
    item_id: UUID, persona: str, request: pytest.FixtureRequest
) -> None:
    for any_id in (item_id, uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "integrity.decide"):
            decide(actor, any_id)
        actor = fresh(actor)
        with refused(actor, Denied, "integrity.reopen"):
            reopen(actor, any_id)


def test_an_item_that_is_not_there_or_elsewhere_is_not_found(
    reviewer: Actor, outsider: Actor, item_id: UUID, record: AssertedRecord
) -> None:
    for actor, any_id in ((reviewer, uuid4()), (reviewer, record.id), (outsider, item_id)):
        again = fresh(actor)
        with refused(again, NotFound, "integrity.decide"):
            decide(again, any_id, key=a_key())
        again = fresh(actor)
        with refused(again, NotFound, "integrity.reopen"):
            reopen(again, any_id, key=a_key())


def test_what_was_decided_or_reopened_meanwhile_is_a_conflict(
    reviewer: Actor, owner: Actor, item_id: UUID
) -> None:
    def is_refused(call: Any, operation: str, *args: Any, **said: Any) -> None:
        actor = fresh(reviewer)
        with refused(actor, IntegrityDecided, operation):
            call(actor, item_id, *args, **said)

    for state in (OPEN, NO_CONCERN, REPORTED):
        is_refused(reopen, "integrity.reopen", state)
    for state in (NO_CONCERN, REPORTED):
        is_refused(decide, "integrity.decide", seen_state=state)
    decide(fresh(owner), item_id)
    for state in IntegrityState:
        is_refused(decide, "integrity.decide", seen_state=state)
        is_refused(decide, "integrity.decide", seen_state=state, report=a_doubt())
    for state in (OPEN, REPORTED):
        is_refused(reopen, "integrity.reopen", state)
    assert reopen(fresh(reviewer), item_id).state is OPEN


# --- Once ----------------------------------------------------------------------------------------


def test_a_repeated_key_decides_once(reviewer: Actor, item_id: UUID) -> None:
    key = a_key()
    first = decide(fresh(reviewer), item_id, report=a_doubt(), key=key)
    again = partial(decide, reviewer, item_id, report=a_doubt(), key=key)
    assert changed_tables(again) == {}
    assert audit_of(reviewer) == [Entry("integrity.decide", "allowed", "", 0)]
    assert decide(fresh(reviewer), item_id, report=a_doubt(), key=key) == replace(
        first, is_replay=True
    )
    assert_invariants()


def test_a_repeated_key_reopens_once(reviewer: Actor, item_id: UUID) -> None:
    key = a_key()
    decide(fresh(reviewer), item_id)
    first = reopen(fresh(reviewer), item_id, key=key)
    assert changed_tables(lambda: reopen(reviewer, item_id, key=key)) == {}
    assert audit_of(reviewer) == [Entry("integrity.reopen", "allowed", "", 0)]
    assert reopen(fresh(reviewer), item_id, key=key) == replace(first, is_replay=True)


def test_a_key_of_another_call_is_a_conflict(reviewer: Actor, item_id: UUID) -> None:
    decide(fresh(reviewer), item_id, key=a_key("quagga-1", call=1))
    with refused(reviewer, IdempotencyConflict, "integrity.reopen"):
        reopen(reviewer, item_id, key=a_key("quagga-1", call=2))


def test_a_refused_decision_leaves_no_key(reviewer: Actor, item_id: UUID) -> None:
    key, actor = a_key(), fresh(reviewer)
    with refused(actor, IntegrityDecided, "integrity.decide"):
        decide(actor, item_id, seen_state=REPORTED, key=key)
    assert not decide(fresh(reviewer), item_id, key=key).is_replay


def test_a_decision_sends_as_many_statements_however_many_suspect(
    agent: Actor, reviewer: Actor, record: AssertedRecord, item_id: UUID
) -> None:
    counts = set()
    for _ in range(2):
        with watched() as statements:
            decide(fresh(reviewer), item_id, key=a_key())
        counts.add(len(statements))
        suspect(agent, record, actors=10)
    assert counts == {6}


@pytest.mark.django_db(transaction=True)
def test_of_decisions_at_once_one_stands() -> None:
    operator = a_project()[1]
    record = a_record(operator)
    suspect(operator, record)
    item = IntegrityItem.objects.get()
    calls = [
        partial(decide, fresh(operator), item.id, reason=REASON),
        partial(decide, fresh(operator), item.id, report=a_doubt()),
        partial(decide, fresh(operator), item.id, report=a_doubt()),
    ]
    outcomes = race(calls)
    (receipt,) = successes(outcomes)
    assert refusals(outcomes) == ["IntegrityDecided", "IntegrityDecided"]
    assert IntegrityItem.objects.get().state == receipt.state
    assert Report.objects.count() == (receipt.state is REPORTED)
    assert_invariants()
