"""The rules of `contract.md` 1 to 4 as values: what each field takes and what it refuses."""

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
    #: Faults inside of a list: the value, the place of the fault in it, the words.
    inner_faults: tuple[tuple[object, str, str], ...] = ()


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


def integer_from(least: int, most: int) -> Rule:
    """A number without a fraction."""
    wrong = (least - 1, most + 1, -1, 20.0, 1e1, "20", "20.0", "20".translate(FULL_WIDTH), HUGE)
    return Rule(
        f"must be an integer from {least} to {most}.",
        fits=(least, most),
        faults=(*(value for value in _of_other_types(int)), *wrong),
    )


def limit_to(most: int) -> Rule:
    """How many rows a page holds."""
    return integer_from(1, most)


def a_list_of(least: int, most: int | None = None) -> Rule:
    """A list; what is in it has rules of its own."""
    until = f"at least {least}" if most is None else f"{least} to {most}"
    too_many: list[list[object]] = [] if most is None else [[{}] * (most + 1)]
    few: list[list[object]] = [[{}] * (least - 1)]
    return Rule(
        f"must be a list of {until}.", faults=(*_of_other_types(list), {"0": 1}, *few, *too_many)
    )


def several_of(*values: str) -> Rule:
    """A list of values of an enumeration, each once."""
    whole = a_list_of(1)
    inside = one_of(*values).words
    wrong: tuple[object, ...] = ("", values[0].upper(), 7, [], {}, True)
    return replace(
        whole,
        fits=([values[0]], list(reversed(values))),
        inner_faults=(
            *(([value], "[0]", inside) for value in wrong),
            ([values[0], values[1], values[0]], "[2]", "must not stand twice."),
            ([values[0], None], "[1]", "is required."),
        ),
    )


def prefixed(prefix: str) -> Rule:
    """An id of the routes of the loop: a prefix and the digits of a UUID."""
    known = f"{prefix}{ID.replace('-', '')}"
    return Rule(
        f"must be {prefix} and 32 hex digits in lower case.",
        fits=(known,),
        faults=(
            *_of_other_types(),
            *("", "zz", ID, prefix, known.upper(), known.removeprefix(prefix), f"{prefix}{ID}"),
            *(f" {known}", f"{known}\n", known[:-1], f"{known}0", known.translate(FULL_WIDTH)),
            *(f"{prefix}{'0' * 32}", f"x{known}", known.replace("_", "-"), f"{known}\0"),
        ),
    )


#: Known to clients, and refused: the credential picks the project.
NO_PROJECT: Final = Rule(
    "must be left out: the credential picks the project.",
    faults=(*ANYTHING, "", ID, "demo"),
)
NO_OTHER_PROJECT: Final = replace(
    NO_PROJECT, words="must be left out: a credential reaches one project."
)


def in_query(rule: Rule) -> Rule:
    """The rule of a field in a query, where everything is text."""
    number = re.fullmatch(r"must be an integer from (\d+) to (\d+)\.", rule.words)
    if not number:
        faults = tuple(fault for fault in rule.faults if isinstance(fault, str))
        others = tuple(other for other in rule.other_faults if isinstance(other[0], str))
        return replace(rule, faults=faults, other_faults=others)
    least, most = (int(bound) for bound in number.groups())
    odd = ("", " 1", "1 ", "+1", "01", "1.0", "1e1", "x", "\uff11", "0x1", "1_0", "--1", "1" * 65)
    return replace(
        rule,
        fits=(str(least), str(most)),
        faults=(str(least - 1), str(most + 1), "-1", str(HUGE)),
        other_faults=tuple((text, "must be an integer.") for text in odd),
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
ROLES: Final = ("user", "assistant", "system", "tool", "document")
EVIDENCE_KINDS: Final = (
    "user_statement",
    "tool_result",
    "imported_source",
    "decision",
    "system_event",
)
TRUST: Final = ("untrusted", "asserted", "verified", "policy_approved")
OUTCOMES: Final = ("used", "useful", "irrelevant", "incorrect", "harmful")
#: A key of the call in its body: a header that says something else would be refused first.
A_CALL_KEY: Final = Rule(
    "must be 1 to 255 characters.",
    fits=("!", "~", "x" * 255, "%00", "{}"),
    faults=("", "x" * 256),
    other_faults=(
        *((value, "must be a string.") for value in _of_other_types(str)),
        *(
            (value, "must have the form [!-~]{1,255}.")
            for value in (" ", "two words", "é", "a\tb", "a\x7f", "\xa0", "x\n", "文" * 255)
        ),
        ("a\0b", "must not contain NUL."),
    ),
)
VISIBILITY: Final = Rule(
    "must be one of: organization.",
    fits=("organization",),
    faults=(*_of_other_types(), "", "private", "team", "Organization", "organization "),
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
    "memory:source-observe/turn": {
        "messages": required(a_list_of(1, 64)),
        "messages[0].role": required(one_of("user", "assistant", "system", "tool")),
        "messages[0].content": required(text_of_bytes(65_536)),
        "messages[0].occurred_at": A_TIME,
        "messages[0].group_ordinal": replace(integer_from(0, 63), fits=(0,)),
        "idempotency_key": required(AN_ID),
        "data_subject_id": text_of_bytes(1024),
        "occurred_at": A_TIME,
    },
    "memory:source-observe/evidence": {
        "subject_id": required(text_of_bytes(1024)),
        "kind": required(one_of(*EVIDENCE_KINDS)),
        "content": required(text_of_characters(32_000)),
        "source": required(AN_OBJECT),
        "source.type": required(text_of_characters(120)),
        "source.ref": text_of_characters(200),
        "source.id": text_of_characters(200),
        "trust": one_of(*TRUST),
        "occurred_at": A_TIME,
        "agent_id": text_of_characters(200),
        "run_id": text_of_characters(200),
        "context_token": replace(prefixed("ctx_"), names_something=True),
        "visibility": VISIBILITY,
        "project_id": NO_PROJECT,
        "workspace_id": NO_PROJECT,
    },
    "memory:freshness": {},
    "memory:context-assemble": {
        "data_subject_id": required(text_of_bytes(1024)),
        "max_characters": integer_from(1, 16_000),
    },
    "memory:record-consolidate": {
        "subject_id": required(text_of_bytes(1024)),
        "claims": required(a_list_of(1, 50)),
        "claims[0].kind": required(one_of(*KINDS)),
        "claims[0].statement": required(text_of_characters(4_000)),
        "claims[0].sources": required(a_list_of(1, 20)),
        "claims[0].sources[0].observation_id": required(
            replace(prefixed("obs_"), names_something=True)
        ),
        "claims[0].sources[0].relation": required(one_of("supports", "contradicts", "qualifies")),
        "claims[0].sources[0].quote": text_of_characters(32_000),
        "claims[0].confidence": CONFIDENCE,
        "claims[0].valid_from": A_TIME,
        "claims[0].valid_to": A_TIME,
        "claims[0].trust": one_of(*TRUST),
        "claims[0].subject": text_of_bytes(1024),
        "claims[0].predicate": PREDICATE,
        "claims[0].object": text_of_bytes(1024),
        "claims[0].observer_id": text_of_characters(200),
        "claims[0].visibility": VISIBILITY,
        "claims[0].project_id": NO_PROJECT,
        "claims[0].workspace_id": NO_PROJECT,
        "project_id": NO_PROJECT,
        "workspace_id": NO_PROJECT,
    },
    "memory:record-evidence": {},
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
    "feedback:recall": {
        "question": required(text_of_bytes(8_192)),
        "data_subject_id": text_of_bytes(1024),
        "include_shared": A_BOOLEAN,
        "as_of": A_TIME,
        "as_known_at": A_TIME,
        "max_characters": integer_from(1, 16_000),
        "source_roles": several_of(*ROLES),
        "surfaces": several_of("facts", "reports", "passages"),
        "hops": integer_from(1, 2),
        "themes": A_BOOLEAN,
    },
    "feedback:context-compile": {
        "task": required(text_of_characters(4_000)),
        "max_tokens": required(integer_from(128, 32_000)),
        "subject_id": text_of_bytes(1024),
        "include_shared": A_BOOLEAN,
        "max_candidates": integer_from(1, 1000),
        "top_k": integer_from(1, 1000),
        "at": A_TIME,
        "include_checkpoints": A_BOOLEAN,
        "project_id": NO_PROJECT,
        "workspace_id": NO_PROJECT,
        "cross_project": NO_OTHER_PROJECT,
    },
    "feedback:context-list": {
        "subject_id": in_query(text_of_bytes(1024)),
        "outcome": in_query(one_of(*OUTCOMES)),
        "limit": in_query(limit_to(100)),
        "after": in_query(A_CURSOR),
    },
    "feedback:outcome-list": {
        "context_id": in_query(prefixed("ctx_")),
        "claim_id": in_query(prefixed("claim_")),
        "outcome": in_query(one_of(*OUTCOMES)),
        "actor_id": in_query(AN_ID),
        "limit": in_query(limit_to(100)),
        "after": in_query(A_CURSOR),
    },
    "feedback:context-get": {},
    "feedback:outcome-record": {
        "outcome": required(one_of(*OUTCOMES)),
        "claim_id": replace(text_of_characters(200), names_something=True),
        "reason_code": text_of_characters(64),
        "client_mutation_id": A_CALL_KEY,
    },
    "feedback:outcome-summary": {},
    "feedback:signal-list": {
        "record_id": AN_ID,
        "suspected_only": A_BOOLEAN,
        "limit": limit_to(100),
        "after": A_CURSOR,
    },
    "feedback:signal-summary": {"record_id": AN_ID_OF_SOMETHING},
}
AROUND: Final = re.compile(r"(?:^|\.)(?:records|source|sources|messages|claims)$")
#: The fields of each route, without the objects and lists around them.
PLAIN_FIELDS: Final = {
    name: [path for path in fields if not AROUND.search(path)] for name, fields in FIELDS.items()
}
