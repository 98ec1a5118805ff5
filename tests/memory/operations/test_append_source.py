"""append_source: evidence at the end of the log, once per origin, never above the cap."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.db import IntegrityError

from memory.errors import Denied, IdempotencyConflict, NotFound
from memory.models import Message, Source, Subject
from memory.operations.append_source import (
    MessageDraft,
    SourceDraft,
    SourceReceipt,
    append_source,
    role_of_evidence,
)
from memory.operations.record_rows import Origin
from memory.vocabulary import Edge, MessageRole, SourceKind, Trust
from tests.contracts.catalogue import run
from tests.factories import MARKER, PERSON, a_key, a_record, a_run, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

DAWN = datetime(2026, 11, 30, 6, tzinfo=UTC)
CHAT = Origin("chat", "room 1", "message-1")


def draft(**said: Any) -> SourceDraft:
    return SourceDraft(
        **{
            "kind": SourceKind.USER_STATEMENT,
            "messages": (MessageDraft(MessageRole.USER, f"The {MARKER} ran."),),
            "origin": Origin("chat"),
            "data_subject": PERSON,
            **said,
        }
    )


def append(actor: Actor, key: Any = None, **said: Any) -> SourceReceipt:
    return append_source(actor=actor, draft=draft(**said), key=key)


def test_evidence_is_a_source_with_its_message(agent: Actor) -> None:
    receipt = append(
        agent,
        kind=SourceKind.TOOL_RESULT,
        messages=(MessageDraft(MessageRole.TOOL, "200"),),
        origin=CHAT,
        occurred_at=DAWN,
        agent_name="crawler",
        run_name="night",
    )
    source = Source.objects.get(id=receipt.id)
    assert (source.kind, source.origin_type, source.origin_ref, source.origin_id) == (
        "tool_result",
        "chat",
        "room 1",
        "message-1",
    )
    assert (source.trust, source.occurred_at, source.agent_name, source.run_name) == (
        Trust.ASSERTED,
        DAWN,
        "crawler",
        "night",
    )
    assert source.data_subject_id == Subject.objects.get(name=PERSON).id
    assert (source.recorded_by_kind, source.recorded_by_id, source.recorded_via) == (
        "credential",
        agent.id,
        "api",
    )
    assert source.request_id == agent.request_id
    message = Message.objects.get(source_id=receipt.id)
    assert (message.ordinal, message.role, message.content) == (0, "tool", "200")
    assert receipt == SourceReceipt(
        id=source.id,
        scope="demo",
        log_offset=0,
        trust=Trust.ASSERTED,
        content_hash=bytes(source.content_hash),
        occurred_at=DAWN,
        recorded_at=source.recorded_at,
        is_replay=False,
    )
    assert_invariants()


def test_a_turn_keeps_its_messages_in_order(agent: Actor) -> None:
    said = (
        MessageDraft(MessageRole.USER, "Hello", occurred_at=DAWN, group_ordinal=0),
        MessageDraft(MessageRole.TOOL, "  42\r\n", group_ordinal=1),
        MessageDraft(MessageRole.ASSISTANT, "e\u0301 \ufeff", group_ordinal=1),
    )
    receipt = append(agent, kind=SourceKind.TURN, messages=said)
    rows = Message.objects.filter(source_id=receipt.id).order_by("ordinal")
    assert [
        (row.ordinal, MessageDraft(MessageRole(row.role), row.content, row.occurred_at, step))
        for row in rows
        for step in [row.group_ordinal]
    ] == list(enumerate(said))


def test_evidence_forms_no_record_and_changes_nothing_else(agent: Actor) -> None:
    a_record(agent, data_subject=PERSON)
    assert changed_tables(lambda: append(agent)) == {
        "memory_source": (0, 1),
        "memory_message": (0, 1),
    }


def test_sources_follow_each_other_in_the_log_of_their_project(
    agent: Actor, outsider: Actor
) -> None:
    a_record(agent)  # its curated source is in the log too
    assert [append(fresh(agent)).log_offset for _ in range(3)] == [1, 2, 3]
    assert append(fresh(outsider)).log_offset == 0


def test_evidence_may_be_about_nobody(agent: Actor) -> None:
    assert Source.objects.get(id=append(agent, data_subject=None).id).data_subject_id is None


def test_it_is_audited_once(agent: Actor) -> None:
    append(agent)
    assert audit_of(agent) == [Entry("observe", "allowed", "", 1)]


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        (SourceKind.TOOL_RESULT, MessageRole.TOOL),
        (SourceKind.IMPORTED_SOURCE, MessageRole.DOCUMENT),
        (SourceKind.SYSTEM_EVENT, MessageRole.SYSTEM),
        (SourceKind.USER_STATEMENT, MessageRole.USER),
        (SourceKind.DECISION, MessageRole.USER),
    ],
)
def test_the_role_follows_the_kind(kind: SourceKind, role: MessageRole) -> None:
    assert role_of_evidence(kind) is role


# --- Who, and how far it is trusted --------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_append(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    append(actor)
    assert audit_of(actor) == [Entry("observe", "allowed", "", 1)]


def test_a_tool_of_a_model_may_append(agent: Actor) -> None:
    receipt = append(replace(agent, edge=Edge.MCP))
    assert Source.objects.get(id=receipt.id).recorded_via == "mcp"


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "observe"):
        append(actor, a_key())


@pytest.mark.parametrize(
    ("cap", "asked", "trust"),
    [
        (Trust.UNTRUSTED, None, Trust.UNTRUSTED),
        (Trust.ASSERTED, None, Trust.ASSERTED),
        (Trust.POLICY_APPROVED, None, Trust.ASSERTED),
        (Trust.VERIFIED, Trust.UNTRUSTED, Trust.UNTRUSTED),
        (Trust.VERIFIED, Trust.VERIFIED, Trust.VERIFIED),
    ],
)
def test_trust_is_what_was_asked_for_else_asserted_or_the_cap(
    agent: Actor, cap: Trust, asked: Trust | None, trust: Trust
) -> None:
    receipt = append(replace(agent, max_trust=cap), trust=asked)
    assert receipt.trust is trust
    assert Source.objects.get(id=receipt.id).trust == trust


def test_trust_above_the_cap_is_refused(agent: Actor) -> None:
    with refused(agent, Denied, "observe") as raised:
        append(agent, a_key(), trust=Trust.VERIFIED, origin=CHAT)
    assert raised.value.reason == "trust_above_cap"


# --- What was recalled ---------------------------------------------------------------------------


def test_what_was_recalled_from_a_pack_says_so_whatever_its_origin(agent: Actor) -> None:
    pack = a_run(agent)
    receipt = append(agent, recalled_from=pack.run_id, origin=CHAT)
    source = Source.objects.get(id=receipt.id)
    assert (source.origin_type, source.origin_id) == ("recalled", "message-1")


@pytest.mark.parametrize("persona", ["outsider", "nobody's"])
def test_a_pack_that_the_project_has_not_is_not_found(
    agent: Actor, outsider: Actor, persona: str
) -> None:
    run_id = a_run(outsider).run_id if persona == "outsider" else uuid4()
    with refused(agent, NotFound, "observe"):
        append(agent, a_key(), recalled_from=run_id, origin=CHAT)


# --- Once ----------------------------------------------------------------------------------------


def test_a_repeated_key_answers_the_first_source(agent: Actor) -> None:
    key = a_key()
    first = append(fresh(agent), key)
    assert changed_tables(lambda: append(agent, key)) == {}
    assert append(fresh(agent), key) == replace(first, is_replay=True)
    assert audit_of(agent) == [Entry("observe", "allowed", "", 0)]
    assert_invariants()


def test_a_key_of_another_call_is_a_conflict(agent: Actor) -> None:
    append(fresh(agent), a_key("quagga-1", call=1))
    with refused(agent, IdempotencyConflict, "observe"):
        append(agent, a_key("quagga-1", call=2))


def test_without_key_and_origin_id_every_call_is_a_new_source(agent: Actor) -> None:
    assert append(fresh(agent)).id != append(fresh(agent)).id


def test_the_same_source_again_answers_the_first_one(agent: Actor) -> None:
    first = append(fresh(agent), origin=CHAT)
    again = append(agent, a_key(), origin=CHAT)
    assert again == replace(first, is_replay=True)
    assert audit_of(agent) == [Entry("observe", "allowed", "", 0)]
    assert Source.objects.count() == 1
    assert_invariants()


def test_a_key_that_met_a_known_source_answers_it_again(agent: Actor) -> None:
    first, key = append(fresh(agent), origin=CHAT), a_key()
    for _ in range(2):
        assert append(fresh(agent), key, origin=CHAT).id == first.id
    with refused(agent, IdempotencyConflict, "observe"):
        append(agent, replace(key, fingerprint=b"another"), origin=CHAT)


@pytest.mark.parametrize(
    "said",
    [
        {"messages": (MessageDraft(MessageRole.USER, "another"),)},
        {"data_subject": "another"},
        {"data_subject": None},
        {"kind": SourceKind.DECISION},
        {"trust": Trust.UNTRUSTED},
        {"origin": replace(CHAT, ref="another")},
        {"agent_name": "another"},
    ],
    ids=["content", "person", "nobody", "kind", "trust", "ref", "agent"],
)
def test_another_content_under_the_same_origin_is_a_conflict(
    agent: Actor, said: dict[str, Any]
) -> None:
    append(fresh(agent), origin=CHAT)
    with refused(agent, IdempotencyConflict, "observe"):
        append(agent, a_key(), **{"origin": CHAT, **said})


def test_origins_are_told_apart_by_type_id_actor_and_project(
    agent: Actor, reviewer: Actor, outsider: Actor
) -> None:
    receipts = [
        append(fresh(agent), origin=CHAT),
        append(fresh(agent), origin=replace(CHAT, type="mail")),
        append(fresh(agent), origin=replace(CHAT, id="message-2")),
        append(reviewer, origin=CHAT),
        append(outsider, origin=CHAT),
    ]
    assert len({receipt.id for receipt in receipts}) == 5
    assert not any(receipt.is_replay for receipt in receipts)


def test_an_erased_source_does_not_come_back(agent: Actor) -> None:
    first = append(fresh(agent), origin=CHAT)
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    for table, column in (("message", "source_id"), ("source", "id")):
        run(f"DELETE FROM memory_{table} WHERE {column} = %s", first.id)  # noqa: S608 - ours
    run("UPDATE memory_idempotencykey SET receipt = NULL")
    with refused(agent, IdempotencyConflict, "observe"):
        append(agent, origin=CHAT)


# --- The database --------------------------------------------------------------------------------


def test_a_failure_leaves_nothing(agent: Actor) -> None:
    key = a_key()
    empty = (MessageDraft(MessageRole.USER, "said"), MessageDraft(MessageRole.USER, ""))

    def fail() -> None:
        with pytest.raises(IntegrityError):
            append(agent, key, messages=empty, data_subject="somebody new", origin=CHAT)

    assert changed_tables(fail) == {}
    assert append(fresh(agent), key, origin=CHAT).log_offset == 0


def test_the_hash_is_keyed_and_says_whether_the_words_are_the_same(
    agent: Actor, outsider: Actor
) -> None:
    first, again = append(fresh(agent)), append(fresh(agent), data_subject=None)
    other = append(fresh(agent), messages=(MessageDraft(MessageRole.TOOL, f"The {MARKER} ran."),))
    assert first.content_hash == again.content_hash
    assert len({first.content_hash, other.content_hash, append(outsider).content_hash}) == 3


def test_a_turn_of_many_messages_sends_as_many_statements_as_one_of_one(agent: Actor) -> None:
    counts = {}
    for number in (1, 64):
        said = tuple(MessageDraft(MessageRole.USER, "word") for _ in range(number))
        with watched() as statements:
            append(fresh(agent), a_key(), messages=said, kind=SourceKind.TURN)
        counts[number] = len(statements)
    assert counts[1] == counts[64] <= 6
