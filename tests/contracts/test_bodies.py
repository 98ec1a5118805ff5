"""Bodies that no route takes, and bodies made to hurt: always an answer of ours, and soon."""

from __future__ import annotations

import gc
import json
import os
import random
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest

from memory.actor import Actor
from memory.http.strict_json import BODY_BYTES
from tests.contracts.audited import entries_by_request
from tests.contracts.field_rules import ID, PLAIN_FIELDS
from tests.contracts.hostile_bodies import HARMLESS, HOSTILE, nasty_values
from tests.factories import a_record
from tests.invariants import assert_invariants
from tests.valid_calls import ALL, POSTED, TAKING, Route, a_body, route
from tests.wire import Answer, Call, encoded, entries_of

VARIANTS: Final = 2_000
#: 403 is the answer to a trust above the credential's cap.
STATUSES: Final = (200, 201, 400, 403, 404, 409)
MOST_SECONDS: Final = 0.05
MOST_SECONDS_OF_THE_LARGEST: Final = 0.2
MOST_GROWTH: Final = 10 * 1024 * 1024
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("at", POSTED, ids=str)
def test_bytes_that_are_not_one_acceptable_object_are_refused_with_the_rule(
    at: Route, call: Call, agent: Actor
) -> None:
    body = a_body(at, agent)
    raw = encoded(at.body(body))
    entries = {}

    for hostile in HOSTILE:
        answer = at.send(
            call,
            body,
            raw=hostile.spoil(raw),
            content_type=hostile.content_type,
            headers=hostile.headers,
        )
        refusal = at.refusal if hostile.is_read else at.refusal_unread
        assert answer.refusal == refusal(400, "invalid_body"), hostile.name
        assert answer.message == hostile.message, hostile.name
        entries[answer.request_id] = [(at.view.operation_name, "refused", "invalid_body", 0)]
    assert entries_by_request(entries) == entries


@pytest.mark.parametrize("at", POSTED, ids=str)
def test_what_is_merely_odd_is_taken(at: Route, call: Call, agent: Actor) -> None:
    for name, spoil, content_type in HARMLESS:
        body = a_body(at, agent)
        raw = spoil(encoded(at.body(body)))
        answer = at.send(call, body, raw=raw, content_type=content_type)
        assert answer.status == at.made, (name, answer.content)


@pytest.mark.parametrize("at", POSTED, ids=str)
def test_a_body_is_at_most_a_mebibyte(at: Route, call: Call, agent: Actor) -> None:
    body = a_body(at, agent)
    raw = encoded(at.body(body))
    fits = raw + b" " * (BODY_BYTES - len(raw))

    assert at.send(call, body, raw=fits).status == at.made
    for over in (fits + b" ", b"x" * (BODY_BYTES + 1), b"\xff" * (2 * BODY_BYTES)):
        answer = at.send(call, body, raw=over)
        assert answer.refusal == at.refusal_unread(413, "payload_too_large")
        assert answer.message == "The body must be at most 1048576 bytes."
        assert entries_of(answer) == [(at.view.operation_name, "refused", "payload_too_large", 0)]


BOTH: Final = 'The body must have "messages", or "kind", "content" and "source", not both.'


def test_a_body_of_no_form_or_of_both_is_refused_in_lower_case(call: Call, agent: Actor) -> None:
    turn, evidence = (
        a_body(route(f"memory:source-observe/{form}"), agent) for form in ("turn", "evidence")
    )
    neither = {"subject_id": "somebody", "idempotency_key": ID, "trust": "asserted"}
    mixed = [{}, neither, turn | evidence, {"unknown": 1}]
    mixed += [turn | {name: evidence[name]} for name in ("kind", "content", "source")]
    mixed += [turn | {"kind": None}, evidence | {"messages": None}]

    for body in mixed:
        answer = call("/v1/observations", body)
        assert answer.refusal == (400, "invalid_body"), body
        assert answer.message == BOTH
        assert entries_of(answer) == [("observe", "refused", "invalid_body", 0)]


@pytest.mark.parametrize("at", [at for at in ALL if at.method == "GET"], ids=str)
def test_a_get_reads_no_body(at: Route, call: Call, agent: Actor) -> None:
    body = a_body(at, agent)

    for raw in (b"{", b"\xff", b'{"limit":0}', b" " * 100, b"[" * 100):
        assert at.send(call, body, raw=raw, content_type="text/plain").status == 200


def test_a_post_reads_no_query_string(call: Call, agent: Actor) -> None:
    a_record(agent)

    answer = call("/v1/records/list?limit=0&x=%00&limit=1&format=api", {})

    assert len(answer.body["records"]) == 1


def _steps(path: str) -> list[Any]:
    parts = path.replace("[0]", ".0").split(".")
    return [int(part) if part.isdigit() else part for part in parts]


def _variant(dice: random.Random, body: dict[str, Any], paths: list[str]) -> bytes:
    """The body with one to three faults: values, names, or bytes."""
    changed: Any = deepcopy(body)
    for _ in range(dice.randint(1, 3)):
        *way, last = _steps(dice.choice(paths))
        place = changed
        for step in way:
            place = place[step] if isinstance(place, list) else place.setdefault(step, {})
            if not isinstance(place, list | dict):
                break
        if isinstance(place, dict):
            place[last if dice.random() < 0.9 else f"{last} "] = dice.choice(nasty_values(ID))
    raw = bytearray(json.dumps(changed, ensure_ascii=dice.random() < 0.5).encode())
    if dice.random() < 0.3:
        for _ in range(dice.randint(1, 4)):
            raw[dice.randrange(len(raw))] = dice.randrange(256)
    if dice.random() < 0.1:
        raw = raw[: dice.randrange(len(raw))]
    return bytes(raw)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def _timed(call: Call, path: str, raw: bytes) -> tuple[Answer, float]:
    began = time.thread_time()  # of this thread alone: the machine does other work too
    answer = call(path, raw)
    return answer, time.thread_time() - began


@pytest.mark.slow
def test_two_thousand_faulty_bodies_are_answered_at_once_without_growth(
    call: Call, agent: Actor
) -> None:
    dice = random.Random(4711)  # noqa: S311 - a repeatable choice, not a secret
    bodies = {at: a_body(at, agent) for at in POSTED}
    slowest, before = 0.0, 0
    for number in range(VARIANTS):
        at = POSTED[number % len(POSTED)]
        path = at.address(bodies[at])
        raw = _variant(dice, at.body(bodies[at]), PLAIN_FIELDS[at.name])
        answer, seconds = _timed(call, path, raw)
        assert answer.status in STATUSES, (at, raw, answer.content)
        if seconds > MOST_SECONDS:  # a collection of garbage, or this body? It is sent again
            seconds = min(_timed(call, path, raw)[1] for _ in range(3))
        slowest = max(slowest, seconds)
        if number == VARIANTS // 10:
            gc.collect()
            before = _resident()
    gc.collect()

    assert slowest < MOST_SECONDS
    assert _resident() - before < MOST_GROWTH
    assert_invariants()


def _filled(raw: bytes) -> bytes:
    """Exactly as large as a body may be."""
    assert len(raw) <= BODY_BYTES
    return raw + b" " * (BODY_BYTES - len(raw))


def _names(count: int) -> bytes:
    return b"{" + b",".join(b'"%06x":0' % number for number in range(count)) + b"}"


LARGEST: Final[dict[str, Callable[[], bytes]]] = {
    "names": lambda: _filled(_names(95_000)),
    "names below": lambda: _filled(b'{"records":[' + _names(95_000) + b"]}"),
    "one name twice at the end": lambda: _filled(_names(90_000)[:-1] + b',"000000":0}'),
    "names that are not too many": lambda: _filled(_names(32_768)),
    "one of them twice": lambda: _filled(_names(32_767)[:-1] + b',"000000":0}'),
    "containers": lambda: _filled(b'{"records":[' + b"{}," * 32_765 + b"{}]}"),
    "too many containers": lambda: _filled(b'{"records":[' + b"{}," * 300_000 + b"{}]}"),
    "brackets": lambda: b"[" * BODY_BYTES,
    "quotes": lambda: b'"' * BODY_BYTES,
    "backslashes": lambda: b'{"note":"' + b"\\" * (BODY_BYTES - 11) + b'"}',
    "numbers": lambda: _filled(b'{"records":[' + b"1," * 500_000 + b"1]}"),
    "digits": lambda: b'{"limit":' + b"1" * (BODY_BYTES - 10) + b"}",
    "long numbers": lambda: _filled(b'{"records":[' + (b"1" * 64 + b",") * 16_000 + b"1]}"),
    "exponents": lambda: _filled(b'{"records":[' + b"1e100," * 160_000 + b"1]}"),
    "escapes": lambda: _filled(b'{"note":"' + b"\\u0041" * 174_000 + b'"}'),
    "surrogates": lambda: _filled(b'{"note":"' + b"\\ud83d\\ude00" * 87_000 + b'"}'),
    "a lone surrogate at the end": lambda: _filled(
        b'{"note":"' + b"\\ud83d\\ude00" * 87_000 + b'\\ud800"}'
    ),
    "NULs": lambda: _filled(b'{"note":"' + b"\\u0000" * 174_000 + b'"}'),
    "blank text": lambda: _filled(b'{"note":"' + "\u200b".encode() * 349_000 + b'"}'),
    "spaces": lambda: b" " * BODY_BYTES,
    "one unknown name": lambda: b'{"' + b"x" * (BODY_BYTES - 6) + b'":1}',
    "texts": lambda: _filled(b'{"records":[' + b'"x",' * 260_000 + b'"x"]}'),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_body_takes_no_more_than_a_moment(name: str, call: Call, agent: Actor) -> None:
    raw = LARGEST[name]()
    at = route("memory:record-assert" if b"records" in raw[:12] else "feedback:report-record")
    a_body(at, agent)

    quickest = min(_timed(call, at.path, raw)[1] for _ in range(3))

    assert call(at.path, raw).refusal in [(400, "invalid_body"), (400, at.invalid_code)]
    assert quickest < MOST_SECONDS_OF_THE_LARGEST


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_metacharacters_in_any_text_cause_neither_a_fault_nor_a_delay(
    at: Route, call: Call, agent: Actor
) -> None:
    payloads = ("'; SELECT pg_sleep(5); --", "' OR '1'='1", "$1", "%s", "\\", "*/ --", "a:* & !b")
    body = a_body(at, agent)

    for path in PLAIN_FIELDS[at.name]:
        for payload in payloads:
            changed: Any = deepcopy(body)
            *way, last = _steps(path)
            place = changed
            for step in way:
                place = place[step] if isinstance(place, list) else place.setdefault(step, {})
            place[last] = payload
            began = time.thread_time()
            answer = at.send(call, changed)
            assert answer.status in STATUSES, (path, payload)
            assert time.thread_time() - began < 1
