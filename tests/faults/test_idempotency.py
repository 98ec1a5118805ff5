"""One key, many callers: one effect, and nobody waits longer than the lock time-out.

Rules: `contract.md` 0.6, `assurance.md` fault test 9.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from django.db import OperationalError, connection

from feedback.models import Report
from feedback.operations.promote_report import promote_report
from feedback.operations.record_report import ReportDraft, record_report
from memory.errors import Unavailable
from memory.models import AuditEntry, IdempotencyKey, Record
from memory.operations.assert_records import assert_records
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import KeyScope
from tests.factories import MARKER, RecordDraftFactory, a_key, a_record, a_report, fresh
from tests.invariants import assert_invariants
from tests.racing import behind, race, refusals, successes
from tests.statements import Failing, Held

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 32
LOCK_TIMEOUT_SECONDS = 2.0

Call = Callable[..., Any]


def asserting(actor: Actor) -> Call:  # noqa: ARG001 - like its neighbours
    return partial(assert_records, drafts=RecordDraftFactory.create_batch(2))


def correcting(actor: Actor) -> Call:
    record = a_record(actor)
    correction = Correction(
        record_id=record.id,
        expected_version=record.version,
        object=f"{MARKER} Gitega",
        statement=f"It moved, {MARKER}.",
    )
    return partial(correct_records, corrections=[correction])


def retracting(actor: Actor) -> Call:
    record = a_record(actor)
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    return partial(retract_records, retractions=[draft])


def reporting(actor: Actor) -> Call:
    draft = ReportDraft(record_id=a_record(actor).id, note=f"Doubt of the {MARKER}.")
    return partial(record_report, draft=draft)


def promoting(actor: Actor) -> Call:
    report = a_report(actor, proposed_object=f"{MARKER} Gitega")
    return partial(promote_report, report_id=report.id, expected_version=report.record_version)


WRITES = [asserting, correcting, retracting, reporting, promoting]


@pytest.mark.parametrize("make", WRITES)
def test_one_key_from_32_callers_has_one_effect(
    agent: Actor, make: Callable[[Actor], Call]
) -> None:
    call, key = make(agent), a_key(call="the same")
    outcomes = race([partial(call, actor=fresh(agent), key=key) for _ in range(CALLERS)])
    assert set(refusals(outcomes)) <= {"IdempotencyInProgress"}
    receipts = successes(outcomes)
    assert Counter(receipt.is_replay for receipt in receipts)[False] == 1
    assert len({_without_replay(receipt) for receipt in receipts}) == 1
    assert IdempotencyKey.objects.filter(scope=KeyScope.REQUEST).count() == 1
    assert_invariants()


def test_one_key_of_a_record_from_32_callers_makes_one_record(agent: Actor) -> None:
    draft = RecordDraftFactory.create()
    calls = [partial(assert_records, actor=fresh(agent), drafts=[draft]) for _ in range(CALLERS)]
    outcomes = race(calls)
    assert set(refusals(outcomes)) <= {"IdempotencyInProgress"}
    rows = [receipt.records[0] for receipt in successes(outcomes)]
    assert [row.is_replay for row in rows].count(False) == 1
    assert len({row.id for row in rows}) == Record.objects.count() == 1
    assert_invariants()


def test_callers_behind_a_stuck_first_call_are_told_so_in_time(agent: Actor) -> None:
    call, key = reporting(agent), a_key(call="the same")
    held = Held("memory_idempotencykey")
    with behind(held, partial(call, actor=fresh(agent), key=key)) as first:
        start = time.monotonic()
        outcomes = race([partial(call, actor=fresh(agent), key=key) for _ in range(CALLERS)])
        waited = time.monotonic() - start
    assert refusals(outcomes) == ["IdempotencyInProgress"] * CALLERS
    assert LOCK_TIMEOUT_SECONDS <= waited < LOCK_TIMEOUT_SECONDS + 2
    assert refusals(first) == []
    assert call(actor=fresh(agent), key=key).is_replay
    assert Report.objects.count() == 1
    refused = AuditEntry.objects.filter(outcome="refused").values_list("code", flat=True)
    assert list(refused) == ["idempotency_in_progress"] * CALLERS
    assert_invariants()


def test_a_first_call_that_fails_hands_the_key_to_the_next(agent: Actor) -> None:
    call, key = reporting(agent), a_key(call="the same")
    held = Held("memory_idempotencykey")
    broken = partial(record_report, draft=ReportDraft(record_id=agent.id, note="no such record"))
    with behind(held, partial(broken, actor=fresh(agent), key=key)) as first:
        held.let_go.set()
        assert not call(actor=fresh(agent), key=key).is_replay
    assert refusals(first) == ["NotFound"]
    assert_invariants()


def test_a_fault_at_the_key_is_no_duplicate(agent: Actor) -> None:
    call = reporting(agent)
    failing = Failing(2, is_sent=False, error=OperationalError("the connection is lost"))
    with connection.execute_wrapper(failing), pytest.raises(Unavailable):
        call(actor=fresh(agent), key=a_key())


def test_other_actors_and_other_projects_do_not_wait(
    agent: Actor, reviewer: Actor, outsider: Actor
) -> None:
    key = a_key(call="the same")
    held = Held("memory_idempotencykey")
    with behind(held, partial(reporting(agent), actor=fresh(agent), key=key)):
        for actor in (reviewer, outsider):
            assert not reporting(actor)(actor=fresh(actor), key=key).is_replay


def test_keys_keep_no_text(agent: Actor) -> None:
    key = a_key(f"{MARKER}-key", call="the same")
    reporting(agent)(actor=fresh(agent), key=key)
    rows = str(list(IdempotencyKey.objects.values()))
    assert MARKER not in rows
    assert key.fingerprint.hex() not in rows
    assert str(key.fingerprint) not in rows


def _without_replay(receipt: Any) -> str:
    """What a receipt says, but for whether it says so again."""

    def told(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: value for name, value in pairs if name != "is_replay"}

    return json.dumps(asdict(receipt, dict_factory=told), default=str)
