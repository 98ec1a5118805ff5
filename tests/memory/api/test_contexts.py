"""`/v1/contexts`: a person's newest turns, whole and verbatim (`contract.md` 3.4)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from memory.actor import Actor
from memory.operations.append_source import MessageDraft
from memory.vocabulary import MessageRole, SourceKind
from tests.factories import a_record, a_source
from tests.looping import PERSON, Loop
from tests.wire import Foreigner


def _store(loop: Loop, *contents: str, person: str | None = PERSON, **said: Any) -> int:
    messages = [{"role": "user", "content": content} for content in contents]
    body = {"idempotency_key": str(uuid4()), "messages": messages, "data_subject_id": person}
    offset: int = loop.post("observations", body | said).body["log_offset"]
    return offset


def _assembled(loop: Loop, **asked: Any) -> Any:
    answer = loop.post("contexts", {"data_subject_id": PERSON, **asked})
    assert answer.status == 200, answer.content
    return answer.body


def test_turns_come_whole_and_verbatim_oldest_first(loop: Loop) -> None:
    words = "  I moved\r\nto Porto. \u200b🜨"
    first = _store(loop, words, "Noted.", occurred_at="2026-11-30T10:00:00+01:00")
    second = _store(loop, "And back.")

    assembled = _assembled(loop)

    assert assembled == {
        "segments": [],
        "turns": [
            {
                "log_offset": first,
                "occurred_at": "2026-11-30T09:00:00.000000Z",
                "messages": [
                    {"role": "user", "content": words},
                    {"role": "user", "content": "Noted."},
                ],
            },
            {
                "log_offset": second,
                "occurred_at": None,
                "messages": [{"role": "user", "content": "And back."}],
            },
        ],
        "watermark": {"scope": "demo", "stored": 1, "formed": 1, "parked": 0},
        "characters": len(words) + len("Noted.") + len("And back."),
        "truncated": False,
    }
    assert list(assembled) == ["segments", "turns", "watermark", "characters", "truncated"]


def test_what_does_not_fit_is_left_out_from_the_oldest_end(loop: Loop) -> None:
    offsets = [_store(loop, "🜨" * size) for size in (3, 10, 5)]

    for most, kept, size in (
        (18, offsets, 18),
        (17, offsets[1:], 15),
        (15, offsets[1:], 15),
        (14, offsets[2:], 5),
        (8, offsets[2:], 5),  # the oldest would fit, but not beside the one between
        (5, offsets[2:], 5),
        (4, [], 0),
    ):
        assembled = _assembled(loop, max_characters=most)
        assert [turn["log_offset"] for turn in assembled["turns"]] == kept
        assert (assembled["characters"], assembled["truncated"]) == (size, len(kept) < 3)


def test_only_the_persons_own_turns_are_seen(
    loop: Loop, agent: Actor, foreigner: Foreigner
) -> None:
    own = _store(loop, "Mine.")
    _store(loop, "Somebody's.", person="somebody else")
    _store(loop, "Nobody's.", person=None)
    loop.observe("An observation is no turn.")
    a_record(agent, data_subject=PERSON)
    a_source(foreigner.actor, "Elsewhere.", kind=SourceKind.TURN, data_subject=PERSON)

    assembled = _assembled(loop)

    assert [turn["log_offset"] for turn in assembled["turns"]] == [own]
    assert assembled["watermark"]["stored"] == 4


def test_of_an_unknown_person_there_is_nothing(loop: Loop) -> None:
    _store(loop, "Somebody's.", person="somebody else")

    assert _assembled(loop) == {
        "segments": [],
        "turns": [],
        "watermark": {"scope": "demo", "stored": 0, "formed": 0, "parked": 0},
        "characters": 0,
        "truncated": False,
    }


def test_there_are_two_hundred_turns_at_most(loop: Loop, agent: Actor) -> None:
    message = (MessageDraft(MessageRole.USER, "x"),)
    for _ in range(201):
        a_source(agent, kind=SourceKind.TURN, data_subject=PERSON, messages=message)

    assembled = _assembled(loop)

    assert [turn["log_offset"] for turn in assembled["turns"]] == list(range(1, 201))
    assert (assembled["characters"], assembled["truncated"]) == (200, True)
