"""`/v1/recalls`: the facts that answer a question, whole (`contract.md` 3.3)."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

import pytest

from tests.factories import a_record
from tests.looping import PERSON, Loop, record_id
from tests.wire import Foreigner, entries_of

CAPITAL: Final = {
    "subject": "Burundi",
    "predicate": "has_capital",
    "object": "Bujumbura",
    "statement": "The capital of Burundi is Bujumbura.",
}
QUESTION: Final = "What is the capital of Burundi?"
CHARACTERS: Final = 7 + 11 + 9 + 3 * 36


def _assert(loop: Loop, **said: Any) -> dict[str, Any]:
    fact = {"idempotency_key": str(uuid4()), **CAPITAL, **said}
    answer = loop.post("records/assert", {"records": [fact]})
    assert answer.status == 200, answer.content
    row: dict[str, Any] = answer.body["records"][0]
    return row | {"claim_id": f"claim_{row['id'].replace('-', '')}"}


def _recalled(loop: Loop, question: str = QUESTION, **asked: Any) -> Any:
    answer = loop.post("recalls", {"question": question, **asked})
    assert answer.status == 200, answer.content
    return answer.body


def _ids(loop: Loop, question: str = QUESTION, **asked: Any) -> list[str]:
    return [fact["fact_id"] for fact in _recalled(loop, question, **asked)["facts"]]


def test_a_question_is_answered_with_whole_facts(loop: Loop) -> None:
    row = _assert(loop)
    record = loop.record(row)

    answer = loop.post("recalls", {"question": QUESTION})

    assert answer.body == {
        "controls": {
            "max_characters": 16_000,
            "max_rows": 200,
            "source_roles": ["user"],
            "hops": 1,
            "surfaces": ["facts", "reports", "passages"],
            "themes": False,
        },
        "anchors": [],
        "facts": [
            {
                "fact_id": row["id"],
                "version": row["version"],
                **CAPITAL,
                "confidence": 1,
                "trust": "asserted",
                "valid_from": record["valid"]["from"],
                "valid_until": None,
                "anchored_on": "Burundi",
                "source_role": "user",
                "hops": 1,
                "path": ["Burundi"],
                "via": [],
                "co_derived_with": [],
                "evidence": {
                    "observation_id": row["source_observation_id"],
                    "source_ordinal": 0,
                    "quote": CAPITAL["statement"],
                    "byte_start": 0,
                    "byte_end": 36,
                    "context": CAPITAL["statement"],
                    "context_start": 0,
                    "context_complete": True,
                },
            }
        ],
        "reports": [],
        "passages": [],
        "truncated": False,
        "characters": CHARACTERS,
        "degraded": [],
        "reach": {
            "terms": 2,
            "anchored": 1,
            "named_nothing_known": False,
            "facts_per_anchor": {"Burundi": 1},
        },
    }
    assert entries_of(answer) == [("recall", "allowed", "", 1)]


def test_without_a_person_only_records_about_nobody_are_seen(
    loop: Loop, foreigner: Foreigner
) -> None:
    nobodys = _assert(loop)["id"]
    own = _assert(loop, data_subject_id=PERSON)["id"]
    others = _assert(loop, data_subject_id="somebody else")["id"]
    a_record(foreigner.actor, statement=CAPITAL["statement"])

    assert _ids(loop) == [nobodys]
    assert _ids(loop, include_shared=True) == [nobodys]
    assert _ids(loop, data_subject_id=PERSON) == [own]
    assert sorted(_ids(loop, data_subject_id=PERSON, include_shared=True)) == sorted([nobodys, own])
    assert _ids(loop, data_subject_id="somebody else") == [others]


def test_of_a_person_nobody_wrote_about_the_bundle_is_entirely_empty(loop: Loop) -> None:
    _assert(loop)

    bundle = _recalled(loop, data_subject_id="a stranger")

    assert [bundle[name] for name in ("facts", "reports", "passages", "anchors")] == [[]] * 4
    assert (bundle["characters"], bundle["truncated"], bundle["degraded"]) == (0, False, [])
    assert bundle["reach"] == {
        "terms": 2,
        "anchored": 0,
        "named_nothing_known": True,
        "facts_per_anchor": {},
    }


def test_a_question_without_a_word_names_nothing(loop: Loop) -> None:
    _assert(loop)

    bundle = _recalled(loop, "Is the of?")

    assert bundle["facts"] == []
    assert (bundle["reach"]["terms"], bundle["reach"]["named_nothing_known"]) == (0, False)


def test_what_held_at_a_time(loop: Loop) -> None:
    past = _assert(loop, valid_from="2010-01-01T00:00:00Z", valid_until="2019-02-04T00:00:00Z")[
        "id"
    ]
    now = _assert(loop, valid_from="2019-02-04T00:00:00Z", object="Gitega")["id"]

    assert _ids(loop) == [now]
    assert _ids(loop, as_of="2015-01-01T00:00:00Z") == [past]
    assert _ids(loop, as_of="2019-02-03T23:59:59.999999Z") == [past]
    assert _ids(loop, as_of="2019-02-04T00:00:00Z") == [now]
    assert _ids(loop, as_of="2009-01-01T00:00:00Z") == []


def test_what_was_believed_at_a_time(loop: Loop) -> None:
    row = _assert(loop, valid_from="2010-01-01T00:00:00Z")
    believed = loop.record(row)["recorded_at"]
    new = loop.correct(row, "The capital of Burundi is Gitega.")
    closed = loop.record(row)["known"]["until"]
    gone = _assert(loop, subject="Elsewhere", valid_from="2010-01-01T00:00:00Z")
    told = loop.record(gone)["recorded_at"]
    loop.retract(gone)

    assert _ids(loop) == [new["id"]]
    assert _ids(loop, as_known_at=believed, as_of=believed) == [row["id"]]
    assert _ids(loop, as_known_at=closed, as_of=closed) == [new["id"]]
    assert sorted(_ids(loop, as_known_at=told)) == sorted([new["id"], gone["id"]])
    assert _ids(loop, as_known_at="2020-01-01T00:00:00Z") == []


def test_facts_come_whole_within_the_characters(loop: Loop) -> None:
    long = _assert(loop, object="x" * 1_000, confidence=1)["id"]
    short = _assert(loop, confidence=0.5)["id"]
    longer = CHARACTERS - 9 + 1_000

    for most, ids, size in (
        (16_000, [long, short], longer + CHARACTERS),
        (longer + CHARACTERS, [long, short], longer + CHARACTERS),
        (longer + CHARACTERS - 1, [long], longer),
        (longer - 1, [short], CHARACTERS),
        (CHARACTERS, [short], CHARACTERS),
        (CHARACTERS - 1, [], 0),
        (1, [], 0),
    ):
        bundle = _recalled(loop, max_characters=most)
        assert [fact["fact_id"] for fact in bundle["facts"]] == ids, most
        assert (bundle["characters"], bundle["truncated"]) == (size, len(ids) < 2)
        assert bundle["controls"]["max_characters"] == most
        assert bundle["reach"]["named_nothing_known"] is False


def test_characters_are_counted_in_code_points(loop: Loop) -> None:
    _assert(loop, statement="Die Hauptstadt von Burundi 🜨 é.")

    [fact] = (bundle := _recalled(loop))["facts"]

    texts = [fact[name] for name in ("subject", "predicate", "object", "statement")]
    texts += [fact["evidence"]["quote"], fact["evidence"]["context"]]
    assert bundle["characters"] == sum(len(text) for text in texts)


def test_only_what_rests_on_words_of_the_asked_roles(loop: Loop) -> None:
    ids = {"user": _assert(loop, data_subject_id=PERSON)["id"]}
    for kind, role in (
        ("tool_result", "tool"),
        ("imported_source", "document"),
        ("system_event", "system"),
    ):
        seen = loop.observe(CAPITAL["statement"], kind=kind)
        draft = loop.draft(CAPITAL["statement"], seen)
        [claim] = loop.consolidate(draft).body["data"]["claims"]
        ids[role] = record_id(claim)
    asked = {"data_subject_id": PERSON}

    assert _ids(loop, **asked) == [ids["user"]]
    for role, id_ in ids.items():
        bundle = _recalled(loop, **asked, source_roles=[role])
        assert [fact["fact_id"] for fact in bundle["facts"]] == [id_]
        assert bundle["facts"][0]["source_role"] == role
        assert bundle["controls"]["source_roles"] == [role]
    assert _ids(loop, **asked, source_roles=["assistant"]) == []
    everything = ["document", "user", "system", "tool", "assistant"]
    assert sorted(_ids(loop, **asked, source_roles=everything)) == sorted(ids.values())


@pytest.mark.parametrize(
    ("asked", "degraded", "facts"),
    [
        ({}, [], 1),
        ({"surfaces": ["facts"]}, [], 1),
        ({"surfaces": ["facts", "reports"]}, ["reports"], 1),
        ({"surfaces": ["passages", "facts", "reports"]}, ["passages", "reports"], 1),
        ({"surfaces": ["passages"]}, ["passages"], 0),
        ({"hops": 1}, [], 1),
        ({"hops": 2}, ["hops"], 1),
        ({"hops": 2, "surfaces": ["reports"]}, ["reports", "hops"], 0),
        ({"themes": True}, [], 1),
    ],
)
def test_what_does_not_exist_is_named_where_it_was_asked_for(
    asked: dict[str, Any], degraded: list[str], facts: int, loop: Loop
) -> None:
    _assert(loop)

    bundle = _recalled(loop, **asked)

    assert bundle["degraded"] == degraded
    assert len(bundle["facts"]) == facts
    assert (bundle["reports"], bundle["passages"], bundle["truncated"]) == ([], [], False)
    assert bundle["controls"]["hops"] == asked.get("hops", 1)
    assert bundle["controls"]["themes"] is asked.get("themes", False)
    assert bundle["controls"]["surfaces"] == asked.get("surfaces", ["facts", "reports", "passages"])
    assert bundle["reach"]["named_nothing_known"] is False


def test_facts_come_by_their_score_and_outcomes_do_not_move_them(loop: Loop) -> None:
    ids = [_assert(loop, confidence=confidence)["id"] for confidence in (0.5, 1, 0.75)]
    first = _ids(loop)

    run = loop.compile(QUESTION, None)
    [item] = run["items"]  # of equal statements one
    for _ in range(3):
        loop.told(run, "harmful", item)

    assert first == [ids[1], ids[2], ids[0]]
    assert _ids(loop) == first
    assert _recalled(loop)["reach"]["facts_per_anchor"] == {"Burundi": 3}


def test_at_most_two_hundred_facts_come_back(loop: Loop) -> None:
    for _ in range(11):
        facts = [{"idempotency_key": str(uuid4()), **CAPITAL} for _ in range(20)]
        loop.post("records/assert", {"records": facts})

    bundle = _recalled(loop)

    assert sum(bundle["reach"]["facts_per_anchor"].values()) == len(bundle["facts"])
    assert len(bundle["facts"]) == 16_000 // CHARACTERS
    assert bundle["truncated"] is True


def test_the_question_has_a_code_of_its_own(loop: Loop) -> None:
    for body, code in (
        ({}, "invalid_question"),
        ({"question": ""}, "invalid_question"),
        ({"question": "x" * 8_193}, "invalid_question"),
        ({"question": "x", "hops": 3}, "invalid_recall_controls"),
        ({"question": "x", "source_roles": []}, "invalid_recall_controls"),
        ({"question": 1, "hops": 3}, "invalid_question"),
        ({"question": "x", "unknown": 3}, "invalid_body"),
    ):
        answer = loop.post("recalls", body)
        assert answer.refusal == (400, code)
        assert entries_of(answer) == [("recall", "refused", code, 0)]


def test_a_retracted_record_is_gone_with_the_next_recall(loop: Loop) -> None:
    row = _assert(loop)
    loop.retract(row)

    assert _ids(loop) == []
