"""Where the log stands, a person's newest turns, and evidence that no record cites."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memory.errors import Denied
from memory.operations.append_source import MessageDraft
from memory.queries import sources
from memory.queries.sources import (
    Conversation,
    Turn,
    TurnMessage,
    Watermark,
    assemble_context,
    count_unconsolidated,
    get_watermark,
)
from memory.transactions import project_scope
from memory.vocabulary import MessageRole, SourceKind
from tests.factories import PERSON, a_claim, a_record, a_source, fresh
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.append_source import SourceReceipt

pytestmark = pytest.mark.django_db


def a_turn(actor: Actor, *texts: str, **said: Any) -> SourceReceipt:
    messages = tuple(MessageDraft(MessageRole.USER, text) for text in texts)
    return a_source(actor, kind=SourceKind.TURN, messages=messages, **said)


def assemble(actor: Actor, max_characters: int = 16_000, person: str = PERSON) -> Conversation:
    return assemble_context(actor=actor, data_subject=person, max_characters=max_characters)


def texts(conversation: Conversation) -> list[list[str]]:
    return [[message.content for message in turn.messages] for turn in conversation.turns]


def unused(actor: Actor, person: str | None = PERSON) -> int:
    with project_scope(actor.project_id):
        return count_unconsolidated(actor, person)


# --- Freshness -----------------------------------------------------------------------------------


def test_the_watermark_is_the_last_offset_of_the_project(agent: Actor, outsider: Actor) -> None:
    assert get_watermark(actor=fresh(agent)) == Watermark("demo", None)
    a_source(agent)
    assert get_watermark(actor=fresh(agent)) == Watermark("demo", 0)
    last = a_turn(agent, "Hello").log_offset
    a_source(outsider)
    assert get_watermark(actor=fresh(agent)) == Watermark("demo", last) == Watermark("demo", 1)
    assert get_watermark(actor=outsider) == Watermark("elsewhere", 0)


def test_freshness_is_audited_and_sends_one_statement_of_its_own(agent: Actor) -> None:
    with watched() as statements:
        assert changed_tables(lambda: get_watermark(actor=agent)) == {}
    assert audit_of(agent) == [Entry("freshness", "allowed", "", 1)]
    own = [sql for sql, _ in statements.sent if "next_log_offset" in sql]
    assert len(own) == 1


# --- Turns ---------------------------------------------------------------------------------------


def test_turns_come_whole_verbatim_and_oldest_first(agent: Actor) -> None:
    dawn = datetime(2026, 11, 30, 6, tzinfo=UTC)
    said = (
        MessageDraft(MessageRole.USER, "  I moved\r\nto Porto. "),
        MessageDraft(MessageRole.ASSISTANT, "Noted \ufeff."),
    )
    first = a_source(agent, kind=SourceKind.TURN, messages=said, occurred_at=dawn)
    second = a_turn(agent, "And back.")
    found = assemble(agent)
    assert found.turns == (
        Turn(
            first.log_offset,
            dawn,
            (
                TurnMessage("user", "  I moved\r\nto Porto. "),
                TurnMessage("assistant", "Noted \ufeff."),
            ),
        ),
        Turn(second.log_offset, None, (TurnMessage("user", "And back."),)),
    )
    assert found.watermark == Watermark("demo", second.log_offset)
    assert found.characters == 21 + 8 + 9
    assert not found.is_truncated
    assert audit_of(agent) == [Entry("context.assemble", "allowed", "", 2)]


def test_only_turns_of_that_person_in_that_project_come(agent: Actor, outsider: Actor) -> None:
    a_turn(agent, "mine")
    a_turn(agent, "another's", data_subject="somebody else")
    a_turn(agent, "nobody's", data_subject=None)
    a_turn(outsider, "elsewhere")
    a_source(agent, "a statement")
    a_record(agent, data_subject=PERSON)
    assert texts(assemble(fresh(agent))) == [["mine"]]
    nothing = assemble(fresh(agent), person="a stranger")
    assert (nothing.turns, nothing.characters, nothing.is_truncated) == ((), 0, False)


def test_turns_are_cut_from_the_oldest_end_between_turns(agent: Actor) -> None:
    for text in ("aaaa", "bb", "cc"):
        a_turn(agent, text, "+")
    for room, kept in ((10, 2), (11, 3), (6, 2), (5, 1), (3, 1), (2, 0), (1, 0)):
        found = assemble(fresh(agent), room)
        assert texts(found) == [["aaaa", "+"], ["bb", "+"], ["cc", "+"]][3 - kept :]
        assert found.is_truncated == (kept < 3)
        assert found.characters <= room


def test_a_newest_turn_that_does_not_fit_leaves_nothing(agent: Actor) -> None:
    a_turn(agent, "a")
    a_turn(agent, "b" * 100)
    found = assemble(agent, 99)
    assert (found.turns, found.is_truncated) == ((), True)


@pytest.mark.parametrize("character", ["a", "é", "€", "🦓", "e\u0301"])
def test_room_is_measured_in_characters(agent: Actor, character: str) -> None:
    text = character * 8
    for _ in range(3):
        a_turn(agent, text)
    assert len(assemble(fresh(agent), 3 * len(text)).turns) == 3
    assert len(assemble(fresh(agent), 3 * len(text) - 1).turns) == 2


def test_at_most_so_many_turns_come(agent: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "TURNS", 3)
    for number in range(3):
        a_turn(agent, str(number))
    assert not assemble(fresh(agent)).is_truncated
    a_turn(agent, "3")
    found = assemble(fresh(agent))
    assert texts(found) == [["1"], ["2"], ["3"]]
    assert found.is_truncated


def test_ten_turns_send_as_many_statements_as_one(agent: Actor) -> None:
    counts = set()
    for number in (1, 9):
        for _ in range(number):
            a_turn(agent, "Hello", "again")
        with watched() as statements:
            assemble(fresh(agent))
        counts.add(len(statements))
    assert counts == {5}  # the project, the watermark, turns, messages, the audit entry


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert assemble(actor).watermark == get_watermark(actor=actor)


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused(persona: str, request: pytest.FixtureRequest) -> None:
    for operation, call in (
        ("freshness", lambda actor: get_watermark(actor=actor)),
        ("context.assemble", assemble),
    ):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, operation):
            call(actor)


# --- Evidence that nobody used -------------------------------------------------------------------


def test_evidence_counts_until_a_record_cites_it(agent: Actor) -> None:
    assert unused(agent) == 0
    used = a_source(agent)
    a_source(agent)
    a_turn(agent, "Hello")
    assert unused(agent) == 3
    a_claim(agent, used)
    assert unused(agent) == 2


def test_only_evidence_about_that_person_counts(agent: Actor, outsider: Actor) -> None:
    a_source(agent)
    a_source(agent, data_subject="somebody else")
    a_source(agent, data_subject=None)
    a_source(agent, data_subject=None)
    a_source(outsider)
    a_record(agent, data_subject=PERSON)
    assert (unused(agent), unused(agent, None), unused(agent, "a stranger")) == (1, 2, 0)


def test_so_much_is_counted_among_so_much_of_the_newest(
    agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        a_source(agent)
    monkeypatch.setattr(sources, "COUNTED_EVIDENCE", 2)
    assert unused(agent) == 2
    monkeypatch.setattr(sources, "COUNTED_EVIDENCE", 1_000)
    monkeypatch.setattr(sources, "_SCANNED_EVIDENCE", 2)
    a_claim(agent, a_source(agent))
    assert unused(agent) == 1


@pytest.mark.parametrize("person", [PERSON, None])
def test_counting_sends_one_statement(agent: Actor, person: str | None) -> None:
    with project_scope(agent.project_id), watched() as statements:
        count_unconsolidated(agent, person)
    assert len(statements) == 1
