"""The published adapter `taisce-langgraph` 0.1.2, unchanged, against the live server.

Rules: `contract.md` 8, whose ten published behaviours stand here in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import pytest
import time_machine
from langchain_core.messages import AIMessage, HumanMessage
from taisce import TaisceError, is_memory_text, turn_key

from tests.clients.outage import standing_before
from tests.factories import MARKER
from tests.serving import Server
from tests.wire import OverHttp

if TYPE_CHECKING:
    from tests.clients.adapted_agent import Chat

pytestmark = [pytest.mark.slow]

OBSERVE, RECALL, CONTEXTS = "/v1/observations", "/v1/recalls", "/v1/contexts"
FRESHNESS: Final = "/v1/freshness"
NAME: Final = f"Marta {MARKER}"
QUESTION: Final = f"Where does {NAME} work?"
WORKPLACE: Final = f"{MARKER} house"
STATEMENT: Final = f"{NAME} works at the {WORKPLACE}."
REPLY: Final = f"At the {WORKPLACE}."
HISTORY: Final = (
    HumanMessage(f"I moved the {MARKER} to Cork in March."),
    AIMessage(f"Noted: the {MARKER} is in Cork."),
)
FIRST_TIME, LATER_TIME = "2026-11-30T09:00:00Z", "2026-11-30T09:00:02Z"


@pytest.fixture
def chat(live: OverHttp, server: Server) -> Iterator[Chat]:
    """Talk to the agent as the read-write credential."""
    from tests.clients.adapted_agent import Chat  # half of what it needs is slow to import

    with standing_before(server) as outage:
        yield Chat(outage, live)


def test_the_adapter_is_the_published_one() -> None:
    assert version("taisce-langgraph") == "0.1.2"


def test_1_memory_is_one_untrusted_message_with_watermark_plan_and_facts(chat: Chat) -> None:
    chat.believe(NAME, "works_at", WORKPLACE, STATEMENT)
    asked = {"question": QUESTION, "data_subject_id": chat.subject}
    recalled = chat.direct(RECALL, asked).body

    chat.take_turn(QUESTION, REPLY)

    [[memory, question]] = chat.handed
    carried = chat.carried_by(memory)
    assert question.content == QUESTION
    assert carried["watermark"] == {"stored": 0, "formed": 0, "parked": 0}
    assert carried["plan"]["controls"] == recalled["controls"] != {}
    assert carried["plan"]["reach"] == recalled["reach"] != {}
    [fact] = carried["facts"]
    assert fact["statement"] == STATEMENT
    assert (carried["facts"], carried["reports"], carried["passages"]) == (
        recalled["facts"],
        [],
        [],
    )
    assert chat.stored == 2
    assert chat.reported == []


def test_before_the_model_freshness_and_recall_are_asked_and_after_the_run_observe(
    chat: Chat,
) -> None:
    with time_machine.travel(FIRST_TIME, tick=False):
        chat.take_turn(f"  {QUESTION} ", REPLY)

    said = [
        {"role": "user", "content": f"  {QUESTION} "},
        {"role": "assistant", "content": REPLY},
    ]
    assert chat.outage.paths == [FRESHNESS, RECALL, OBSERVE]
    assert chat.outage.bodies(RECALL) == [{"question": QUESTION, "data_subject_id": chat.subject}]
    assert chat.outage.bodies(OBSERVE) == [
        {
            "idempotency_key": turn_key(chat.subject, "run-1", said),
            "messages": said,
            "data_subject_id": chat.subject,
            "occurred_at": FIRST_TIME,
        }
    ]
    assert chat.texts == [f"  {QUESTION} "]  # three empty lists: nothing is injected


@pytest.mark.parametrize("route", [RECALL, FRESHNESS])
def test_2_without_recall_the_agent_has_no_memory_and_the_turn_is_stored(
    chat: Chat, route: str
) -> None:
    chat.believe(NAME, "works_at", WORKPLACE, STATEMENT)
    chat.outage.down.add(route)

    chat.take_turn(QUESTION, REPLY)

    assert chat.texts == [QUESTION]
    [(stage, error)] = chat.reported
    assert stage == "recall"
    assert isinstance(error, TaisceError)
    assert (error.status, error.code) == (503, "unavailable")
    assert chat.stored == 2


def test_3_a_turn_that_cannot_be_stored_is_the_applications_error(chat: Chat) -> None:
    chat.outage.down.add(OBSERVE)

    with pytest.raises(TaisceError, match="503 unavailable"):
        chat.take_turn(QUESTION, REPLY)

    assert [stage for stage, _ in chat.reported] == ["observe"]
    assert chat.outage.paths[-1] == OBSERVE
    assert chat.stored == 0

    chat.outage.down.clear()
    chat.take_turn(QUESTION, REPLY)
    assert chat.stored == 1


def test_4_nothing_is_stored_when_the_model_failed(chat: Chat) -> None:
    with pytest.raises(RuntimeError, match="no model"):
        chat.take_turn(QUESTION, RuntimeError("no model"))

    assert OBSERVE not in chat.outage.paths
    assert chat.stored == 0


def test_5_tool_calls_and_their_results_are_not_stored(chat: Chat) -> None:
    calls = [{"name": "book", "args": {"day": "Tuesday"}, "id": "call-1"}]

    chat.take_turn(f"Book the {MARKER} room.", AIMessage("", tool_calls=calls), REPLY)

    assert [message.type for message in chat.handed[1]] == ["human", "ai", "tool"]
    [observed] = chat.outage.bodies(OBSERVE)
    assert not any("group_ordinal" in message for message in observed["messages"])
    [turn] = chat.turns
    assert turn["messages"] == [
        {"role": "user", "content": f"Book the {MARKER} room."},
        {"role": "assistant", "content": REPLY},
    ]
    assert chat.stored == 1


def test_6_what_the_framework_wrote_is_not_stored(chat: Chat) -> None:
    chat.believe(NAME, "works_at", WORKPLACE, STATEMENT)

    chat.take_turn(QUESTION, REPLY, before=[AIMessage(f"Summary: they asked about the {MARKER}.")])

    summary, memory, question = chat.handed[0]
    assert (summary.type, question.content) == ("ai", QUESTION)
    assert len(chat.carried_by(memory)["facts"]) == 1
    [turn] = chat.turns
    assert [message["content"] for message in turn["messages"]] == [QUESTION, REPLY]
    assert chat.stored == 2


def test_7_compaction_hands_over_the_servers_context_instead_of_the_history(
    chat: Chat,
) -> None:
    chat.compact_after = 1
    chat.take_turn(*(str(said.content) for said in HISTORY))
    kept = chat.turns
    asked = {"question": QUESTION, "data_subject_id": chat.subject}
    recalled = chat.direct(RECALL, asked).body
    assert (recalled["facts"], recalled["reports"], recalled["passages"]) == ([], [], [])
    chat.handed.clear()

    chat.take_turn(QUESTION, REPLY, before=HISTORY)

    [[memory, question]] = chat.handed
    assert question.content == QUESTION
    assert chat.carried_by(memory) == {
        "watermark": {"stored": 0, "formed": 0, "parked": 0},
        "plan": {"characters": sum(len(str(said.content)) for said in HISTORY), "truncated": False},
        "segments": [],
        "turns": kept,
    }
    assert chat.outage.bodies(CONTEXTS) == [{"data_subject_id": chat.subject}]
    assert [len(turn["messages"]) for turn in chat.turns] == [2, 2]
    assert chat.stored == 2


def test_7_compaction_for_a_subject_without_turns_is_one_empty_memory(chat: Chat) -> None:
    chat.compact_after = 1

    chat.take_turn(QUESTION, REPLY, before=HISTORY)

    [[memory, question]] = chat.handed
    assert question.content == QUESTION
    assert chat.carried_by(memory) == {
        "watermark": {"stored": None, "formed": None, "parked": 0},
        "plan": {"characters": 0, "truncated": False},
        "segments": [],
        "turns": [],
    }
    assert chat.stored == 1


def test_8_without_contexts_the_history_stays_and_the_turn_is_stored(chat: Chat) -> None:
    chat.compact_after = 1
    chat.outage.down.add(CONTEXTS)

    chat.take_turn(QUESTION, REPLY, before=HISTORY)

    assert chat.texts == [*(said.content for said in HISTORY), QUESTION]
    assert not any(map(is_memory_text, chat.texts))
    assert [stage for stage, _ in chat.reported] == ["context"]
    assert chat.stored == 1


@pytest.mark.parametrize("again", [FIRST_TIME, LATER_TIME], ids=["9", "10"])
def test_9_and_10_a_turn_that_is_sent_again_is_stored_once_whatever_the_clock_says(
    chat: Chat, again: str
) -> None:
    for now in (FIRST_TIME, again):
        with time_machine.travel(now, tick=False):
            chat.take_turn(f"I moved to {MARKER} town.", "Noted.")

    first, second = chat.outage.bodies(OBSERVE)
    assert second == first | {"occurred_at": again}
    assert first["occurred_at"] == FIRST_TIME
    [turn] = chat.turns
    assert turn["occurred_at"] == FIRST_TIME.replace("Z", ".000000Z")
    assert chat.stored == 1
    assert chat.reported == []


def test_another_run_says_the_same_as_another_turn_with_the_next_offset(chat: Chat) -> None:
    for number in range(3):
        chat.run = f"run-{number}"
        chat.take_turn(QUESTION, REPLY)

    assert [turn["log_offset"] for turn in chat.turns] == [0, 1, 2]


def test_the_key_of_a_turn_is_the_published_one(chat: Chat) -> None:
    chat.subject = "subject-1"

    chat.take_turn("I moved to Oslo last month.", "Noted.")

    [observed] = chat.outage.bodies(OBSERVE)
    assert observed["idempotency_key"] == "4493e779-52b5-55e4-b598-8bdca41a4732"
    assert chat.stored == 1
