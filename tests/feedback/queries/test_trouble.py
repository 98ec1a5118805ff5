"""Records in trouble: negative outcomes that count, by how many senders, for reviewers to look."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.queries import trouble
from feedback.queries.trouble import Trouble, TroubleRow, list_trouble
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied
from memory.operations.configure_project import configure_project
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import RecordStatus
from tests.factories import a_record, a_report, a_run, an_outcome, fresh
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.review.situations import signalled
from tests.statements import watched

if TYPE_CHECKING:
    from feedback.operations.compile_context import CompiledContext
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
USED, INCORRECT, HARMFUL = OutcomeKind.USED, OutcomeKind.INCORRECT, OutcomeKind.HARMFUL


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement="zebra one", subject="Land", object="Town")


@pytest.fixture
def other(agent: Actor) -> AssertedRecord:
    return a_record(agent, statement="zebra two")


@pytest.fixture
def pack(agent: Actor, record: AssertedRecord, other: AssertedRecord) -> CompiledContext:  # noqa: ARG001 - are in it
    return a_run(agent, "zebra")


def listed(actor: Actor, since: datetime = LONG_AGO, **said: Any) -> Trouble:
    return list_trouble(actor=fresh(actor), since=since, **said)


def ids(actor: Actor, **said: Any) -> list[UUID]:
    return [row.record_id for row in listed(actor, **said).rows]


def another(agent: Actor) -> Actor:
    """Another program of the same project."""
    return replace(fresh(agent), id=uuid4())


def test_a_row_says_what_clients_said_of_a_record_and_how_many_they_are(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    a_report(agent, record)
    a_report(agent, record)
    an_outcome(agent, pack, record.id, INCORRECT)
    an_outcome(agent, pack, record.id, HARMFUL)
    last = an_outcome(another(agent), pack, record.id, HARMFUL)
    an_outcome(agent, pack, record.id, USED)
    assert listed(agent).rows == (
        TroubleRow(
            record_id=record.id,
            version=record.version,
            subject="Land",
            predicate="has_capital",
            object="Town",
            status=RecordStatus.CURRENT,
            incorrect=1,
            harmful=2,
            poison=0,
            injection=0,
            actors=2,
            last_at=last.recorded_at,
            open_reports=2,
        ),
    )


def test_suspicions_count_one_by_one_and_senders_over_both(
    agent: Actor, pack: CompiledContext, record: AssertedRecord, other: AssertedRecord
) -> None:
    suspicious = another(agent)
    an_outcome(agent, pack, record.id, INCORRECT)
    signalled(agent, record, record, is_poison_suspected=True)
    signalled(suspicious, record, is_poison_suspected=True, is_injection_suspected=True)
    signalled(another(agent), record, is_helpful=False)
    signalled(agent, other, is_injection_suspected=True, is_poison_suspected=False)
    signalled(agent, "nowhere", is_poison_suspected=True)
    first, second = listed(agent).rows
    assert (first.record_id, second.record_id) == (record.id, other.id)
    assert (first.incorrect, first.harmful, first.poison, first.injection) == (1, 0, 3, 1)
    assert (second.incorrect, second.harmful, second.poison, second.injection) == (0, 0, 0, 1)
    assert (first.actors, second.actors) == (2, 1)


def test_with_one_vote_a_run_suspicions_still_count_one_by_one(
    agent: Actor, operator: Actor, record: AssertedRecord
) -> None:
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    for _ in range(3):
        signalled(agent, record, session="one", is_poison_suspected=True)
    (row,) = listed(agent).rows
    assert (row.poison, row.actors) == (3, 1)


def test_so_many_of_the_newest_suspicions_are_looked_at(
    agent: Actor,
    record: AssertedRecord,
    other: AssertedRecord,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for target in (record, other, other):
        signalled(agent, target, is_poison_suspected=True)
    assert not listed(agent).is_cut
    monkeypatch.setattr(trouble, "NEWEST_OUTCOMES", 2)
    assert (ids(agent), listed(agent).is_cut) == ([other.id], True)


def test_other_outcomes_and_those_about_packs_are_no_trouble(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for kind in set(OutcomeKind) - {INCORRECT, HARMFUL}:
        an_outcome(agent, pack, record.id, kind)
    an_outcome(agent, pack, kind=HARMFUL)
    assert listed(agent) == Trouble((), LONG_AGO, is_cut=False)


def test_most_distinct_senders_come_first_then_most_outcomes_then_the_newest(
    agent: Actor, record: AssertedRecord, other: AssertedRecord
) -> None:
    third, fourth = (a_record(agent, statement=f"zebra {name}") for name in ("three", "four"))
    pack = a_run(agent, "zebra")
    for _ in range(5):
        an_outcome(agent, pack, record.id, HARMFUL)
    for _ in range(2):
        an_outcome(another(agent), pack, other.id, INCORRECT)
    an_outcome(agent, pack, third.id, HARMFUL)
    an_outcome(agent, pack, fourth.id, INCORRECT)
    assert ids(agent) == [other.id, record.id, fourth.id, third.id]


def test_only_outcomes_since_a_time_are_looked_at(
    agent: Actor, pack: CompiledContext, record: AssertedRecord, other: AssertedRecord
) -> None:
    an_outcome(agent, pack, record.id, HARMFUL)
    at = an_outcome(agent, pack, other.id, HARMFUL).recorded_at
    assert ids(agent, since=at) == [other.id]
    assert ids(agent, since=at + timedelta(microseconds=1)) == []


def test_closed_records_are_shown_where_asked_for(
    agent: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    an_outcome(agent, pack, record.id, HARMFUL)
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert ids(agent) == []
    (row,) = listed(agent, is_with_closed=True).rows
    assert (row.record_id, row.status, row.open_reports) == (record.id, RecordStatus.RETRACTED, 0)


def test_with_one_vote_a_run_a_later_word_replaces_an_earlier_one(
    agent: Actor, operator: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    for kind in (INCORRECT, HARMFUL, HARMFUL):
        an_outcome(agent, pack, record.id, kind)
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    (row,) = listed(agent).rows
    assert (row.incorrect, row.harmful, row.actors) == (0, 1, 1)
    an_outcome(agent, pack, record.id, USED)
    assert listed(agent).rows == ()
    an_outcome(agent, a_run(agent, "zebra"), record.id, INCORRECT)
    (row,) = listed(agent).rows
    assert (row.incorrect, row.harmful) == (1, 0)


def test_another_project_s_trouble_is_its_own(
    agent: Actor, outsider: Actor, pack: CompiledContext, record: AssertedRecord
) -> None:
    an_outcome(agent, pack, record.id, HARMFUL)
    assert listed(outsider).rows == ()


def test_so_many_of_the_newest_outcomes_are_looked_at(
    agent: Actor,
    pack: CompiledContext,
    record: AssertedRecord,
    other: AssertedRecord,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    an_outcome(agent, pack, record.id, HARMFUL)
    an_outcome(agent, pack, other.id, HARMFUL)
    assert not listed(agent).is_cut
    monkeypatch.setattr(trouble, "NEWEST_OUTCOMES", 2)
    an_outcome(agent, pack, other.id, HARMFUL)
    assert (ids(agent), listed(agent).is_cut) == ([other.id], True)
    for _ in range(2):
        an_outcome(agent, pack, other.id, USED)
    assert (ids(agent), listed(agent).is_cut) == ([], True)


def test_so_many_records_are_shown(
    agent: Actor,
    pack: CompiledContext,
    record: AssertedRecord,
    other: AssertedRecord,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    an_outcome(agent, pack, record.id, HARMFUL)
    monkeypatch.setattr(trouble, "TROUBLED_RECORDS", 1)
    assert (ids(agent), listed(agent).is_cut) == ([record.id], False)
    an_outcome(agent, pack, other.id, HARMFUL)
    assert (ids(agent), listed(agent).is_cut) == ([other.id], True)


def test_it_is_audited_sends_one_statement_of_its_own_and_changes_nothing(
    agent: Actor, pack: CompiledContext, record: AssertedRecord, other: AssertedRecord
) -> None:
    for target in (record, other):
        an_outcome(agent, pack, target.id, HARMFUL)
    with watched() as statements:
        list_trouble(actor=agent, since=LONG_AGO)
    assert len(statements) == 3  # with the project and the audit entry
    assert audit_of(agent) == [Entry("outcome.list", "allowed", "", 2)]
    assert changed_tables(lambda: listed(agent)) == {}


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(
    agent: Actor,
    pack: CompiledContext,
    record: AssertedRecord,
    persona: str,
    request: pytest.FixtureRequest,
) -> None:
    an_outcome(agent, pack, record.id, HARMFUL)
    assert ids(request.getfixturevalue(persona)) == [record.id]


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "outcome.list"):
        list_trouble(actor=actor, since=LONG_AGO)
