"""Every write fails at its n-th statement, n = 1, 2, ... until it passes: all or nothing.

Rule: `assurance.md` fault test 4 and R7.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from django.db import DatabaseError, OperationalError, connection

from feedback.models import IntegrityItem
from feedback.operations.compile_context import ContextRequest, compile_context
from feedback.operations.decide_integrity import (
    Doubt,
    IntegrityDecision,
    IntegrityReceipt,
    decide_integrity,
    reopen_integrity,
)
from feedback.operations.promote_report import promote_report
from feedback.operations.prune_runs import prune_runs
from feedback.operations.prune_signals import prune_signals
from feedback.operations.record_outcome import OutcomeDraft, record_outcome
from feedback.operations.record_report import ReportDraft, record_report
from feedback.operations.record_signals import SignalDraft, record_signals
from feedback.vocabulary import IntegrityState, OutcomeKind
from memory.errors import Unavailable
from memory.models import Project
from memory.operations.append_source import MessageDraft, SourceDraft, append_source
from memory.operations.assert_records import assert_records
from memory.operations.configure_project import configure_project
from memory.operations.consolidate_records import consolidate_records
from memory.operations.correct_records import Correction, correct_records
from memory.operations.create_project import create_project
from memory.operations.grant_role import grant_role
from memory.operations.issue_credential import issue_credential
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.operations.revoke_credential import revoke_credential
from memory.vocabulary import Access, MessageRole, Role, SourceKind
from tests.factories import (
    MARKER,
    PERSON,
    ClaimDraftFactory,
    RecordDraftFactory,
    UserFactory,
    a_hit,
    a_key,
    a_record,
    a_report,
    a_run,
    a_signal,
    a_source,
    fresh,
    some_records,
    supports,
    suspect,
    weigh,
)
from tests.invariants import broken_invariants
from tests.observed import content
from tests.statements import Failing

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db(transaction=True)

Call = Callable[..., Any]
LEAST_STATEMENTS = 3
MOST_STATEMENTS = 40


def state() -> dict[str, list[str]]:
    """Every row that a write could leave behind."""
    settings = Project.objects.values_list("name", "minimum_actors")
    return {**content(), "memory_project": sorted(map(str, settings))}


def asserting(agent: Actor, operator: Actor) -> Call:
    mark_predicate(actor=fresh(operator), name="has_capital")
    known = RecordDraftFactory.create(origin=Origin("dataset", None, f"{MARKER}-1"))
    assert_records(actor=fresh(agent), drafts=[known])
    drafts = [known, *RecordDraftFactory.create_batch(2, data_subject=f"{MARKER} herder")]
    return partial(assert_records, actor=agent, drafts=drafts, key=a_key())


def correcting(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    records = some_records(agent, 2)
    a_report(agent, records[0])
    corrections = [
        Correction(
            record_id=record.id,
            expected_version=record.version,
            object=f"{MARKER} Gitega",
            statement=f"It moved, {MARKER}.",
        )
        for record in records
    ]
    return partial(correct_records, actor=agent, corrections=corrections, key=a_key())


def retracting(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    records = some_records(agent, 2)
    a_report(agent, records[0])
    drafts = [RetractionDraft(record_id=row.id, expected_version=row.version) for row in records]
    return partial(retract_records, actor=agent, retractions=drafts, key=a_key())


def reporting(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    draft = ReportDraft(
        record_id=a_record(agent).id,
        note=f"Doubt of the {MARKER}.",
        reporter_subject=f"{MARKER} herder",
    )
    return partial(record_report, actor=agent, draft=draft, key=a_key())


def promoting(agent: Actor, operator: Actor, proposed: str | None = f"{MARKER} Gitega") -> Call:  # noqa: ARG001
    report = a_report(agent, proposed_object=proposed)
    a_report(agent, report.record_id)
    return partial(
        promote_report,
        actor=agent,
        report_id=report.id,
        expected_version=report.record_version,
        key=a_key(),
    )


def granting(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    username = UserFactory.create().username
    return partial(grant_role, actor=operator, username=username, role=Role.READER)


def issuing(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    return partial(issue_credential, actor=operator, name="bot", access=Access.READ_ONLY)


def revoking(agent: Actor, operator: Actor) -> Call:
    return partial(revoke_credential, actor=operator, credential_id=agent.id)


def marking(agent: Actor, operator: Actor) -> Call:
    a_record(agent)
    return partial(mark_predicate, actor=operator, name="has_capital")


def creating(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    return partial(create_project, actor=operator, name="new")


def appending(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    draft = SourceDraft(
        kind=SourceKind.USER_STATEMENT,
        messages=(MessageDraft(MessageRole.USER, f"A {MARKER} ran."),) * 2,
        origin=Origin("chat", None, f"{MARKER}-1"),
        data_subject=PERSON,
        recalled_from=a_run(agent).run_id,
    )
    return partial(append_source, actor=agent, draft=draft, key=a_key())


def consolidating(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    source = a_source(agent)
    drafts = ClaimDraftFactory.create_batch(2, sources=supports(source))
    known = consolidate_records(actor=fresh(agent), data_subject=PERSON, drafts=drafts[:1])
    assert known.records
    return partial(
        consolidate_records, actor=agent, data_subject=PERSON, drafts=drafts, key=a_key()
    )


def compiling(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    a_record(agent)
    request = ContextRequest(
        task=MARKER,
        max_tokens=900,
        max_candidates=200,
        data_subject=f"{MARKER} stranger",
        include_shared=True,
    )
    return partial(compile_context, actor=agent, request=request, weigh=weigh)


def grading(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    record = a_record(agent)
    run = a_run(agent)
    draft = OutcomeDraft(run_id=run.run_id, kind=OutcomeKind.HARMFUL, record_id=record.id)
    return partial(record_outcome, actor=agent, draft=draft, key=a_key())


def pruning(agent: Actor, operator: Actor) -> Call:
    a_record(agent)
    a_run(agent)
    return partial(prune_runs, actor=operator, before=datetime(2999, 1, 1, tzinfo=UTC))


def signalling(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    record = a_record(agent)
    suspect(agent, record, actors=1)
    drafts = [
        SignalDraft(**a_hit(record), is_poison_suspected=True),
        SignalDraft(**a_hit(f"{MARKER}#1"), reward=1.0),
    ]
    return partial(
        record_signals, actor=agent, drafts=drafts, session=MARKER, query=MARKER, key=a_key()
    )


def deciding(agent: Actor, operator: Actor) -> Call:
    record = a_record(agent)
    suspect(agent, record)
    decision = IntegrityDecision(
        item_id=IntegrityItem.objects.get().id,
        seen_state=IntegrityState.OPEN,
        report=Doubt(note=f"No {MARKER}."),
    )
    return partial(decide_integrity, actor=operator, decision=decision, key=a_key())


def reopening(agent: Actor, operator: Actor) -> Call:
    decided = deciding(agent, fresh(operator))()
    assert isinstance(decided, IntegrityReceipt)
    return partial(
        reopen_integrity,
        actor=operator,
        item_id=decided.item_id,
        seen_state=IntegrityState.REPORTED,
        key=a_key(),
    )


def pruning_signals(agent: Actor, operator: Actor) -> Call:
    a_signal(agent, f"{MARKER}#1")
    return partial(prune_signals, actor=operator, before=datetime(2999, 1, 1, tzinfo=UTC))


def configuring(agent: Actor, operator: Actor) -> Call:  # noqa: ARG001
    return partial(configure_project, actor=operator, minimum_actors=2)


WRITES: dict[str, Callable[[Actor, Actor], Call]] = {
    "assert": asserting,
    "correct": correcting,
    "retract": retracting,
    "report": reporting,
    "promote-correct": promoting,
    "promote-retract": partial(promoting, proposed=None),
    "grant": granting,
    "issue": issuing,
    "revoke": revoking,
    "mark": marking,
    "create": creating,
    "append": appending,
    "consolidate": consolidating,
    "compile": compiling,
    "grade": grading,
    "prune": pruning,
    "signal": signalling,
    "decide": deciding,
    "reopen": reopening,
    "prune-signals": pruning_signals,
    "configure": configuring,
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_fails_at_any_statement_leaves_nothing(
    name: str, agent: Actor, operator: Actor
) -> None:
    call = WRITES[name](agent, operator)
    before = state()
    failed = 0
    while _fails(call, failed + 1, is_sent=False):
        assert state() == before
        assert _fails(call, failed + 1, is_sent=True)
        assert state() == before
        failed += 1
    assert failed >= LEAST_STATEMENTS
    assert state() != before
    assert broken_invariants() == {}


def _fails(call: Call, number: int, *, is_sent: bool) -> bool:
    """Whether a call had as many statements; the one with this number failed."""
    failing = Failing(number, is_sent=is_sent, error=DatabaseError("a fault of the database"))
    try:
        with connection.execute_wrapper(failing):
            call()
    except (DatabaseError, Unavailable):
        assert failing.has_failed
        return True
    return False


@pytest.mark.parametrize("name", WRITES)
def test_a_connection_lost_at_any_statement_is_unavailable(
    name: str, agent: Actor, operator: Actor
) -> None:
    call = WRITES[name](agent, operator)
    before = state()
    refusal = OperationalError if name == "create" else Unavailable
    for number in range(1, MOST_STATEMENTS):
        failing = Failing(number, is_sent=False, error=OperationalError("the connection is lost"))
        try:
            with connection.execute_wrapper(failing):
                call()
        except refusal:
            assert state() == before
        else:
            break
    assert state() != before
    assert broken_invariants() == {}
