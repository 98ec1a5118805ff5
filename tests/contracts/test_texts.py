"""Text comes back with the bytes with which it was sent, whatever they are (`assurance.md` 1.4)."""

from __future__ import annotations

import random
import sys
import unicodedata
from typing import Any, Final
from uuid import uuid4

import pytest

from memory.actor import Actor
from memory.vocabulary import PREVIEW_CHARACTERS
from tests.factories import a_record
from tests.valid_calls import a_draft
from tests.wire import Answer, Call

LIMIT: Final = 16_384
SURROGATES: Final = range(0xD800, 0xE000)
ODD: Final = {
    "spaces around": "  x \t ",
    "line ends": "a\r\nb\rc\n\u0085d\u2028e\u2029",
    "controls": "\x01\x02\x1b[31m\x7f\x9b x",
    "a mark inside": "a\ufeffb\ufffe\uffffc",
    "private use": "\ue000\U000f0000\U0010fffd x",
    "directions": "\u202ex\u202c\u2066y\u2069\u200f",
    "tags": "x\U000e0041\U000e007f",
    "unassigned": "x\u0378\U0003fffe",
    "one word twice": "caf\u00e9 cafe\u0301",
    "compatibility": "ﬁ ① \uff21 \u212b",
    "joined": "👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈",
    "combining": "e" + "\u0301" * 300,
    "case": "ǅ İ \u0131 ß ẞ ﬃ",
    "looks like markup": "<script>alert(1)</script> {{7*7}} =cmd() javascript:x",
    "looks like SQL": "'; DROP TABLE memory_record; -- %s %(a)s \\",
    "looks like JSON": '{"a":"\\u0000"} \\n \\ud800',
}


def _every_character() -> list[str]:
    """All code points but NUL and surrogates, in texts that fit into a statement."""
    texts, text, size = [], "x", 1
    for number in range(1, sys.maxunicode + 1):
        if number in SURROGATES:
            continue
        character = chr(number)
        width = len(character.encode())
        if size + width > LIMIT:
            texts.append(text)
            text, size = "x", 1
        text += character
        size += width
    return [*texts, text]


def _bytes_of(answer: Answer, *path: Any) -> bytes:
    assert answer.status == 200, answer.content
    value = answer.body
    for step in path:
        value = value[step]
    text: str = value
    return text.encode()


def _round_trip(call: Call, text: str) -> None:
    """Through an assertion, a report, a promotion, and every answer that holds a text."""
    short = text.encode()[:900].decode(errors="ignore") + "."
    asserted = call(
        "/v1/records/assert",
        {"records": [a_draft(subject=short, object=short, statement=text, data_subject_id=short)]},
    ).body["records"][0]
    record = {"id": asserted["id"]}
    got = call("/v1/records/get", record)
    for field in ("subject", "object", "data_subject_id"):
        assert _bytes_of(got, field) == short.encode()
    assert _bytes_of(got, "statement") == text.encode()
    resolved = call("/v1/citations/resolve", record)
    assert _bytes_of(resolved, "statement") == text.encode()
    assert _bytes_of(resolved, "evidence", 0, "quote") == text.encode()
    listed = call("/v1/records/list", {"subject": short, "data_subject_id": short})
    assert _bytes_of(listed, "records", 0, "object") == short.encode()
    told = {"note": text, "proposed_object": short, "reporter_subject_id": short}
    reported = call("/v1/feedback/record", {"record_id": asserted["id"], **told})
    assert _bytes_of(reported, "note") == text.encode()
    assert _bytes_of(reported, "proposed_object") == short.encode()
    queue = call("/v1/feedback/list", {"record_id": asserted["id"]})
    for field, sent in told.items():
        assert _bytes_of(queue, "feedback", 0, field) == sent.encode()
    assert _bytes_of(queue, "feedback", 0, "target", "object") == short.encode()
    promoted = call(
        "/v1/feedback/promote",
        {"id": reported.body["id"], "expected_version": asserted["version"]},
    )
    replaced = call("/v1/records/get", {"id": promoted.body["replacement_record_id"]})
    assert _bytes_of(replaced, "statement") == text.encode()
    assert _bytes_of(replaced, "object") == short.encode()


@pytest.mark.parametrize("name", ODD)
def test_odd_text_comes_back_as_it_was_sent(name: str, call: Call) -> None:
    _round_trip(call, ODD[name])


def test_random_text_comes_back_as_it_was_sent(call: Call) -> None:
    dice = random.Random(1789)  # noqa: S311 - a repeatable choice, not a secret
    for _ in range(5):
        numbers = [dice.randrange(1, sys.maxunicode + 1) for _ in range(200)]
        _round_trip(call, "x" + "".join(chr(n) for n in numbers if n not in SURROGATES))


@pytest.mark.slow
def test_every_character_there_is_comes_back_as_it_was_sent(call: Call, agent: Actor) -> None:
    record_id = str(a_record(agent).id)
    texts = _every_character()
    assert sum(len(text) - 1 for text in texts) == sys.maxunicode - len(SURROGATES)

    for text in texts:
        sent = call("/v1/feedback/record", {"record_id": record_id, "note": text})
        assert _bytes_of(sent, "note") == text.encode()
    stored: list[str] = []
    page: dict[str, Any] = {}
    while not stored or page.get("next"):
        asked = {"record_id": record_id, "order": "oldest", "limit": 50}
        page = call("/v1/feedback/list", asked | ({"after": page["next"]} if page else {})).body
        stored += [row["note"] for row in page["feedback"]]
    assert stored == texts


@pytest.mark.parametrize(
    "raw",
    [b"\xed\xa0\x80", b"\xff", b"\xc3", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\\ud800", b"\\udfff x"],
)
def test_what_is_no_text_is_refused(raw: bytes, call: Call, agent: Actor) -> None:
    body = b'{"record_id":"%s","note":"%s"}' % (str(a_record(agent).id).encode(), raw)

    assert call("/v1/feedback/record", body).refusal == (400, "invalid_body")


def test_every_character_that_leaves_nothing_to_see_is_blank(call: Call, agent: Actor) -> None:
    record_id = str(a_record(agent).id)
    unseen = [
        chr(number)
        for number in range(1, sys.maxunicode + 1)
        if unicodedata.category(chr(number)) in {"Zs", "Zl", "Zp", "Cc", "Cf"}
    ]
    for text in (*unseen, "".join(unseen)):
        answer = call("/v1/feedback/record", {"record_id": record_id, "note": text})
        assert answer.refusal == (400, "invalid_feedback")
        assert answer.message == 'Field "note" must not be blank.'


@pytest.mark.parametrize("character", ["x", "é", "文", "🜨"])
def test_a_preview_is_cut_between_characters(character: str, call: Call) -> None:
    for length in (1, PREVIEW_CHARACTERS - 1, PREVIEW_CHARACTERS, PREVIEW_CHARACTERS + 1, 4_000):
        statement, subject = character * length, str(uuid4())
        draft = a_draft(statement=statement, subject=subject)
        call("/v1/records/assert", {"records": [draft]})
        [row] = call("/v1/records/list", {"subject": subject}).body["records"]
        assert row["statement_preview"] == statement[:512]
        assert row["statement_bytes"] == len(statement.encode())
        assert row["preview_truncated"] is (length > 512)


def test_a_context_of_a_long_message_is_cut_between_characters(call: Call) -> None:
    statement = "🜨" * 4_000
    asserted = call("/v1/records/assert", {"records": [a_draft(statement=statement)]}).body
    [evidence] = call("/v1/citations/resolve", {"id": asserted["records"][0]["id"]}).body[
        "evidence"
    ]

    assert evidence["quote"] == statement
    assert statement in evidence["context"]
    start, end = evidence["context_byte_start"], evidence["context_byte_end"]
    assert statement.encode()[start:end].decode() == evidence["context"]
    assert (start, end, evidence["context_complete"]) == (0, 16_000, True)


def test_names_are_compared_exactly(call: Call) -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    for subject in (composed, decomposed, composed.upper(), f"{composed} "):
        call("/v1/records/assert", {"records": [a_draft(subject=subject, data_subject_id=subject)]})

    for subject in (composed, decomposed, composed.upper(), f"{composed} "):
        found = call("/v1/records/list", {"subject": subject}).body["records"]
        assert [row["subject"] for row in found] == [subject]
        found = call("/v1/records/list", {"data_subject_id": subject}).body["records"]
        assert [row["data_subject_id"] for row in found] == [subject]
