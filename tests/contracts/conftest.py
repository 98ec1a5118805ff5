"""One row of everything, so that rules can be broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from feedback.models import IntegrityItem
from feedback.operations.decide_integrity import Doubt, IntegrityDecision, decide_integrity
from feedback.operations.open_rcp_session import open_rcp_session
from feedback.operations.promote_report import promote_report
from feedback.operations.record_outcome import OutcomeDraft, record_outcome
from feedback.operations.record_signals import SignalDraft
from feedback.vocabulary import IntegrityState, OutcomeKind
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from review.models import SignInWait
from tests.factories import (
    MARKER,
    PERSON,
    a_claim,
    a_hit,
    a_key,
    a_record,
    a_report,
    a_run,
    a_source,
    an_outcome,
    another,
    fresh,
    some_signals,
)

if TYPE_CHECKING:
    from uuid import UUID

    from memory.actor import Actor


@pytest.fixture
def rows(agent: Actor, operator: Actor, reviewer: Actor, outsider: Actor) -> Actor:
    """The actor whose project holds a row in every table that has rows of a project."""
    mark_predicate(actor=fresh(operator), name="has_capital")
    record = a_record(
        agent, data_subject=f"{MARKER} herder", origin=Origin("dataset", "ref", f"{MARKER}-1")
    )
    report = a_report(agent, record, proposed_object=f"{MARKER} Gitega")
    promote_report(
        actor=fresh(agent),
        report_id=report.id,
        expected_version=report.record_version,
        key=a_key(),
    )
    a_report(agent)
    _decide(reviewer, _loop(agent), reason="It was seen by many.")
    a_report(outsider, reporter_subject=f"{MARKER} neighbour")
    open_rcp_session(actor=fresh(agent), name="a session")
    SignInWait.objects.create(kind="name", digest=b"x", failures=0, updated_at=report.recorded_at)
    claim_id = _loop(outsider)
    doubt = Doubt(note=f"No {MARKER} crossed it.")
    _decide(outsider, claim_id, report=doubt)
    return agent


def _loop(actor: Actor) -> UUID:
    """Evidence, a claim from it, a pack with the claim, what became of both, repeatable.

    And signals about the claim, which two programs suspect, and about no record. The claim's id.
    """
    origin = Origin("chat", "ref", f"{MARKER}-2")
    claim = a_claim(actor, a_source(actor, origin=origin))
    run = a_run(actor, data_subject=PERSON, include_shared=True)
    draft = OutcomeDraft(run_id=run.run_id, kind=OutcomeKind.USED, record_id=claim.id)
    record_outcome(actor=fresh(actor), draft=draft, key=a_key())
    an_outcome(actor, run, kind=OutcomeKind.HARMFUL, reason_code="stale")
    drafts = [
        SignalDraft(**a_hit(claim), is_used=True, reward=0.5, is_poison_suspected=True),
        SignalDraft(**a_hit(f"{MARKER}#1"), is_injection_suspected=True),
    ]
    session, query = f"{MARKER}-3", f"Where is the {MARKER}?"
    some_signals(actor, drafts, session=session, query=query, key=a_key())
    some_signals(another(actor), drafts, session=session)
    return claim.id


def _decide(actor: Actor, record_id: UUID, **decided: Any) -> None:
    """What a reviewer makes of a suspected record."""
    item = IntegrityItem.objects.get(record_id=record_id)
    decision = IntegrityDecision(item_id=item.id, seen_state=IntegrityState.OPEN, **decided)
    decide_integrity(actor=fresh(actor), decision=decision, key=a_key())
