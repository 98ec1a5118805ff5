"""The rules of `contract.md` 1 and 2 as values: what each field takes and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

#: One character of each length in UTF-8, and a combining mark.
CHARACTERS: Final = ("x", "é", "文", "🜨", "\u0301")
BLANKS: Final = (" ", "\t \n", "\u00a0", "\u200b", "\u2060\ufeff", "\u202e", "\U000e0041")
ANYTHING: Final[tuple[object, ...]] = (
    *(True, 7, 1.5, "text"),
    *([], ["text"], {}),
)
ID: Final = "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"
HUGE: Final = 10**60
FULL_WIDTH: Final = {ord(str(digit)): 0xFF10 + digit for digit in range(10)}


@dataclass(frozen=True)
class Rule:
    """What a field takes, what it refuses, and the words of the refusal."""

    words: str
    fits: tuple[object, ...] = ()
    faults: tuple[object, ...] = ()
    other_faults: tuple[tuple[object, str], ...] = ()
    is_required: bool = False
    names_something: bool = False  # a value that fits is looked up
    is_cursor: bool = False


def required(rule: Rule) -> Rule:
    """The same rule, of a field that must be there."""
    return replace(rule, is_required=True)


def _of_other_types(*own: type) -> list[object]:
    """Values of all JSON types but those."""
    return [value for value in ANYTHING if type(value) not in own]


def _text(words: str, longest: Sequence[str], too_long: Sequence[str]) -> Rule:
    return Rule(
        words,
        fits=("x", "  x  ", "\u202ex", "null", *longest),
        faults=("", *too_long),
        other_faults=(
            *((value, "must be a string.") for value in _of_other_types(str)),
            *((value, "must not be blank.") for value in BLANKS),
            *((value, "must not contain NUL.") for value in ("a\0b", "\0")),
        ),
    )


def text_of_bytes(most: int) -> Rule:
    """Text, counted in UTF-8 bytes."""
    longest = []
    for character in CHARACTERS:
        count, rest = divmod(most, len(character.encode()))
        longest.append("x" * rest + character * count)
    return _text(f"must be 1 to {most} bytes.", longest, [text + "x" for text in longest])


def text_of_characters(most: int) -> Rule:
    """Text, counted in code points."""
    longest = [character * most for character in CHARACTERS]
    return _text(f"must be 1 to {most} characters.", longest, [text + "x" for text in longest])


PREDICATE: Final = Rule(
    "must be 1 to 128 bytes.",
    fits=("a", "a_1", "a" * 128),
    faults=("", "a" * 129),
    other_faults=(
        *((value, "must be a string.") for value in _of_other_types(str)),
        *(
            (value, "must have the form [a-z][a-z0-9_]*.")
            for value in ("A", "1a", "_a", "a-b", "a b", "é", "a\n", " ", "\uff41")
        ),
    ),
)
AN_ID: Final = Rule(
    "must be a canonical UUID.",
    fits=(ID,),
    faults=(
        *_of_other_types(),
        *("", "zz", ID.upper(), ID.replace("-", ""), f"{{{ID}}}", f"urn:uuid:{ID}", f" {ID}"),
        *(f"{ID}\n", ID[:-1], f"{ID}0", ID.translate(FULL_WIDTH), ID.replace("-", "\u2010")),
        "00000000-0000-0000-0000-000000000000",
    ),
)
A_TIME: Final = Rule(
    "must be an RFC 3339 time with an offset and at most 6 fraction digits.",
    fits=(
        "2020-02-29T00:00:00Z",
        "2020-01-01t00:00:00z",
        "2020-01-01T00:00:00.1+05:30",
        "2020-01-01T23:59:59.999999-23:59",
        "0001-01-02T00:00:00Z",
    ),
    faults=(
        *_of_other_types(),
        *("", "now", "2020-01-01", "2020-01-01T00:00:00", "2020-01-01 00:00:00Z"),
        *("2020-01-01T00:00Z", "2020-01-01T00:00:60Z", "2020-01-01T24:00:00Z"),
        *("2021-02-29T00:00:00Z", "2020-13-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        *("2020-01-01T00:00:00.1234567Z", "2020-01-01T00:00:00.Z", "10000-01-01T00:00:00Z"),
        *("2020-01-01T00:00:00+0530", "2020-01-01T00:00:00+24:00", "2020-01-01T00:00:00Z\n"),
        *("0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"),
        "2020-01-01T00:00:00Z".translate(FULL_WIDTH),
    ),
)
CONFIDENCE: Final = Rule(
    "must be a number above 0 and at most 1.",
    fits=(1, 1.0, 0.5, 1e-9),
    faults=(*_of_other_types(int, float), 0, 0.0, -0.1, 1.0000001, 2, 1e300, HUGE),
)
A_BOOLEAN: Final = Rule(
    "must be true or false.",
    fits=(True, False),
    faults=(*_of_other_types(bool), "true", "yes", "off", "", 1),
)
A_CURSOR: Final = Rule(
    "must be the cursor of an earlier page of this list.",
    faults=(
        *_of_other_types(),
        *("", "x", "eyJ2IjoxfQ.b3BhcXVl", "x" * 512, "x" * 513, "x" * 10_240, "\0", "文" * 512),
    ),
    is_cursor=True,
)
AN_OBJECT: Final = Rule("must be an object.", faults=tuple(_of_other_types(dict)))
A_BATCH: Final = Rule("must be a list of 1 to 20.", faults=(*_of_other_types(list), [], [{}] * 21))


def one_of(*values: str) -> Rule:
    """An enumeration."""
    first = values[0]
    wrong = ("", first.upper(), first.title(), f"{first} ", f" {first}", f"{first}\0")
    return Rule(
        f"must be one of: {', '.join(values)}.", fits=values, faults=(*_of_other_types(), *wrong)
    )


def limit_to(most: int) -> Rule:
    """How many rows a page holds."""
    wrong = (0, most + 1, -1, 20.0, 1e1, "20", "20.0", "20".translate(FULL_WIDTH), HUGE)
    return Rule(
        f"must be an integer from 1 to {most}.",
        fits=(1, most),
        faults=(*(value for value in _of_other_types(int)), *wrong),
    )


AN_ID_OF_SOMETHING: Final = required(replace(AN_ID, names_something=True))
KINDS: Final = (
    "semantic_fact",
    "episodic_event",
    "preference",
    "procedural",
    "decision",
    "relationship",
)
#: Route, path of the field, rule; in the order of the contract's tables.
FIELDS: Final[dict[str, dict[str, Rule]]] = {
    "memory:record-assert": {
        "records": required(A_BATCH),
        "records[0].idempotency_key": required(AN_ID),
        "records[0].subject": required(text_of_bytes(1024)),
        "records[0].object": required(text_of_bytes(1024)),
        "records[0].predicate": required(PREDICATE),
        "records[0].statement": required(text_of_bytes(16384)),
        "records[0].data_subject_id": text_of_bytes(1024),
        "records[0].valid_from": A_TIME,
        "records[0].valid_until": A_TIME,
        "records[0].kind": one_of(*KINDS),
        "records[0].confidence": CONFIDENCE,
        "records[0].source": AN_OBJECT,
        "records[0].source.type": required(text_of_characters(120)),
        "records[0].source.ref": text_of_characters(200),
        "records[0].source.id": text_of_characters(200),
    },
    "memory:record-correct": {
        "records": required(A_BATCH),
        "records[0].id": AN_ID_OF_SOMETHING,
        "records[0].expected_version": AN_ID_OF_SOMETHING,
        "records[0].object": required(text_of_bytes(1024)),
        "records[0].statement": required(text_of_bytes(16384)),
        "records[0].valid_from": A_TIME,
        "records[0].confidence": CONFIDENCE,
    },
    "memory:record-retract": {
        "records": required(A_BATCH),
        "records[0].id": AN_ID_OF_SOMETHING,
        "records[0].expected_version": AN_ID_OF_SOMETHING,
    },
    "memory:record-list": {
        "status": one_of("current", "superseded", "retracted"),
        "predicate": PREDICATE,
        "subject": text_of_bytes(1024),
        "data_subject_id": text_of_bytes(1024),
        "text": text_of_characters(256),
        "limit": limit_to(100),
        "after": A_CURSOR,
    },
    "memory:record-get": {"id": AN_ID_OF_SOMETHING},
    "memory:record-history": {
        "id": AN_ID_OF_SOMETHING,
        "limit": limit_to(100),
        "after": A_CURSOR,
        "before": A_CURSOR,
    },
    "memory:citation-resolve": {
        "id": AN_ID_OF_SOMETHING,
        "limit": limit_to(32),
        "after": A_CURSOR,
    },
    "feedback:report-record": {
        "record_id": AN_ID_OF_SOMETHING,
        "note": required(text_of_bytes(16384)),
        "proposed_object": text_of_bytes(1024),
        "reporter_subject_id": text_of_bytes(1024),
    },
    "feedback:report-list": {
        "record_id": AN_ID,
        "open_only": A_BOOLEAN,
        "ready_only": A_BOOLEAN,
        "order": one_of("newest", "oldest"),
        "limit": limit_to(100),
        "after": A_CURSOR,
    },
    "feedback:report-promote": {"id": AN_ID_OF_SOMETHING, "expected_version": AN_ID_OF_SOMETHING},
}
#: The fields of each route, without the objects and lists around them.
PLAIN_FIELDS: Final = {
    name: [path for path in fields if not re.search(r"(?:^|\.)(?:records|source)$", path)]
    for name, fields in FIELDS.items()
}
