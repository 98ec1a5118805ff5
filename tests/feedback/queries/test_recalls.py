"""Recall: facts by their score with neutral utility, whole, with the words they rest on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from feedback.queries.recalls import (
    RECALLED_ROWS,
    Question,
    Quotation,
    Recollection,
    recall,
)
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied
from memory.models import Record
from memory.operations.append_source import MessageDraft
from memory.operations.consolidate_records import ClaimSource
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.citations import CONTEXT_BYTES
from memory.vocabulary import MessageRole, Relation, SourceKind, Trust
from tests.factories import (
    PERSON,
    a_claim,
    a_record,
    a_run,
    a_source,
    an_outcome,
    fresh,
    supports,
)
from tests.factories.bulk import bulk_outcomes
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def question(text: str, **said: Any) -> Question:
    return Question(
        **{"text": text, "max_characters": 16_000, "source_roles": [MessageRole.USER], **said}
    )


def ask(actor: Actor, text: str, **said: Any) -> Recollection:
    return recall(actor=fresh(actor), question=question(text, **said))


def statements_of(found: Recollection) -> list[str]:
    return [fact.record.statement for fact in found.facts]


# --- Facts ---------------------------------------------------------------------------------------


def test_a_fact_comes_with_the_words_it_rests_on(agent: Actor) -> None:
    statement = "The capital of Burundi is Bujumbura."
    said = {"subject": "Burundi", "object": "Bujumbura", "statement": statement}
    record = a_record(agent, **said)
    found = ask(agent, "What is the capital of Burundi?")
    (fact,) = found.facts
    assert (fact.record.id, fact.record.version) == (record.id, record.version)
    assert fact.evidence == Quotation(
        source_id=record.source_id,
        ordinal=0,
        quote=statement,
        byte_start=0,
        byte_end=36,
        context=statement,
        context_start=0,
        is_context_complete=True,
    )
    assert found.characters == fact.characters == 7 + 11 + 9 + 3 * 36 == 135
    assert (found.terms, found.is_truncated, found.facts_per_subject) == (2, False, {"Burundi": 1})


def test_a_recall_is_audited_once_and_changes_nothing(agent: Actor) -> None:
    for _ in range(2):
        a_record(agent, statement="zebra", data_subject=PERSON)
    asked = question("zebra", data_subject=PERSON)
    assert changed_tables(lambda: recall(actor=agent, question=asked)) == {}
    assert audit_of(agent) == [Entry("recall", "allowed", "", 2)]


@pytest.mark.parametrize("text", ["it is the", "unicorn", "?"])
def test_a_question_that_reaches_nothing_gets_nothing(agent: Actor, text: str) -> None:
    a_record(agent, statement="zebra")
    found = ask(agent, text)
    assert (found.facts, found.characters, found.is_truncated) == ((), 0, False)
    assert found.terms == (1 if text == "unicorn" else 0)


def test_facts_stand_by_score_and_equal_ones_by_citations_and_id(agent: Actor) -> None:
    one, two = a_source(agent), a_source(agent)
    trusted = replace(agent, max_trust=Trust.VERIFIED)
    names = ("aa", "bb", "cc")
    single = [a_claim(agent, one, statement=f"zebra {name}").id for name in names]
    double = a_claim(agent, one, two, statement="zebra dd").id
    verified = a_claim(trusted, a_source(trusted, trust=Trust.VERIFIED), statement="zebra ee").id
    weak = a_claim(agent, one, statement="zebra", confidence=0.1).id
    found = ask(agent, "zebra", data_subject=PERSON)
    assert [fact.record.id for fact in found.facts] == [verified, double, *sorted(single), weak]


def test_of_equal_scores_the_more_relevant_fact_comes_first(agent: Actor) -> None:
    one, two = a_source(agent), a_source(agent)
    far = a_claim(agent, one, two, statement="zebra lake", confidence=0.000001).id
    close = a_claim(agent, one, statement="zebra", confidence=0.000001).id
    found = ask(agent, "zebra", data_subject=PERSON)
    assert [fact.record.id for fact in found.facts] == [close, far]


def test_outcomes_move_no_fact(agent: Actor) -> None:
    best, other = (
        a_record(agent, statement=f"zebra {name}", confidence=confidence)
        for name, confidence in (("aa", 0.51), ("bb", 0.5))
    )
    run = a_run(agent, "zebra")
    bulk_outcomes(agent, 9, run_id=run.run_id, record_id=best.id, kind=OutcomeKind.HARMFUL)
    an_outcome(agent, run, other.id)
    assert a_run(agent, "zebra").items[0].record.id == other.id
    assert statements_of(ask(agent, "zebra")) == ["zebra aa", "zebra bb"]


def test_the_first_supporting_source_is_quoted_with_what_stands_around_it(agent: Actor) -> None:
    long = "é" * 3_000 + " the zebra slept " + "é" * 3_000
    turn = a_source(
        agent,
        kind=SourceKind.TURN,
        messages=(MessageDraft(MessageRole.USER, "Hello"), MessageDraft(MessageRole.TOOL, long)),
    )
    contra, other = a_source(agent), a_source(agent)
    a_claim(
        agent,
        statement="zebra",
        sources=(
            ClaimSource(contra.id, Relation.CONTRADICTS),
            ClaimSource(turn.id, Relation.SUPPORTS, "the zebra slept"),
            *supports(other),
        ),
    )
    (fact,) = ask(agent, "zebra", data_subject=PERSON, source_roles=list(MessageRole)).facts
    evidence = fact.evidence
    assert (evidence.source_id, evidence.ordinal, evidence.quote) == (turn.id, 1, "the zebra slept")
    assert (evidence.byte_start, evidence.byte_end) == (6_001, 6_016)
    assert fact.record.source_role == "tool"
    context = evidence.context.encode()
    assert CONTEXT_BYTES - 4 < len(context) <= CONTEXT_BYTES
    assert long.encode()[evidence.context_start :].startswith(context)
    assert "the zebra slept" in evidence.context
    assert not evidence.is_context_complete


# --- Room ----------------------------------------------------------------------------------------


def test_a_fact_comes_whole_or_not_at_all_and_the_next_is_tried(agent: Actor) -> None:
    said = {"subject": "a", "object": "b", "predicate": "p"}
    a_record(agent, statement="zebra aa", **said)
    a_record(agent, statement="zebra " + "lake " * 50, confidence=0.9, **said)
    a_record(agent, statement="zebra bb", confidence=0.1, **said)
    each = 3 + 3 * 8
    for room, kept in ((2 * each, ["zebra aa", "zebra bb"]), (2 * each - 1, ["zebra aa"])):
        found = ask(agent, "zebra", max_characters=room)
        assert (statements_of(found), found.is_truncated) == (kept, True)
        assert found.characters <= room
    assert not ask(agent, "zebra").is_truncated
    assert ask(agent, "zebra", max_characters=1).facts == ()


def test_room_is_measured_in_characters(agent: Actor) -> None:
    a_record(agent, subject="é", predicate="p", object="€", statement="🦓 zebra")
    assert ask(agent, "zebra").characters == 3 + 3 * 7
    assert len(ask(agent, "zebra", max_characters=24).facts) == 1
    assert ask(agent, "zebra", max_characters=23).is_truncated


# --- Whose, when, by whom ------------------------------------------------------------------------


def test_without_a_person_only_records_about_nobody_are_facts(agent: Actor) -> None:
    a_record(agent, statement="zebra of nobody")
    a_record(agent, statement="zebra of ann", data_subject="ann")
    assert statements_of(ask(agent, "zebra")) == ["zebra of nobody"]
    assert statements_of(ask(agent, "zebra", data_subject="ann")) == ["zebra of ann"]
    both = ask(agent, "zebra", data_subject="ann", include_shared=True)
    assert sorted(statements_of(both)) == ["zebra of ann", "zebra of nobody"]
    assert ask(agent, "zebra", data_subject="somebody new").facts == ()


def test_another_project_s_records_are_no_facts(agent: Actor, outsider: Actor) -> None:
    a_record(agent, statement="zebra")
    assert ask(outsider, "zebra").facts == ()


def test_only_the_roles_that_are_asked_for_speak(agent: Actor) -> None:
    tool = a_source(agent, kind=SourceKind.TOOL_RESULT)
    a_claim(agent, tool, statement="zebra by tool")
    asked = {"data_subject": PERSON}
    assert ask(agent, "zebra", **asked).facts == ()
    roles = [MessageRole.TOOL, MessageRole.ASSISTANT]
    assert statements_of(ask(agent, "zebra", source_roles=roles, **asked)) == ["zebra by tool"]


def test_what_held_then_and_what_was_believed_then(agent: Actor) -> None:
    start = datetime(2019, 1, 1, tzinfo=UTC)
    record = a_record(agent, statement="zebra before", valid_from=start)
    change = Correction(
        record_id=record.id, expected_version=record.version, object="x", statement="zebra after"
    )
    correct_records(actor=fresh(agent), corrections=[change])
    old = Record.objects.get(id=record.id)
    assert statements_of(ask(agent, "zebra")) == ["zebra after"]
    assert statements_of(ask(agent, "zebra", as_known_at=old.known_from)) == ["zebra before"]
    assert statements_of(ask(agent, "zebra", as_known_at=old.known_until)) == ["zebra after"]
    then = {"as_known_at": old.known_from, "as_of": start}
    assert statements_of(ask(agent, "zebra", **then)) == ["zebra before"]
    assert ask(agent, "zebra", as_of=start).facts == ()
    assert ask(agent, "zebra", **{**then, "as_of": start - timedelta(days=1)}).facts == ()


def test_a_retracted_record_is_no_fact_from_the_next_recall_on(agent: Actor) -> None:
    record = a_record(agent, statement="zebra")
    assert len(ask(agent, "zebra").facts) == 1
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert ask(agent, "zebra").facts == ()


# --- Who, and how much work ----------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    a_record(agent, statement="zebra")
    assert len(ask(request.getfixturevalue(persona), "zebra").facts) == 1


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "recall"):
        recall(actor=actor, question=question("zebra"))


def test_many_facts_send_as_many_statements_as_one(agent: Actor) -> None:
    counts, sizes = [], []
    for number in (1, 19):
        for place in range(number):
            a_record(agent, statement=f"zebra {place} of {number}")
        with watched() as statements:
            sizes.append(len(ask(agent, "zebra").facts))
        counts.append(len(statements))
    assert sizes == [1, 20]
    assert counts == [5, 5]  # three, the project and the audit entry
    assert RECALLED_ROWS == 200
