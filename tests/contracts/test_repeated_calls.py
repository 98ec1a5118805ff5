"""The header Idempotency-Key: replay, conflict, scope (`contract.md` 0.6)."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from memory.actor import Actor
from memory.operations.issue_credential import issue_credential
from memory.vocabulary import Access
from tests.factories import a_record, fresh
from tests.invariants import assert_invariants
from tests.observed import changed_tables, content
from tests.valid_calls import KEYED, READS, Route, a_body, a_draft, route
from tests.wire import Answer, Foreigner, InProcess, encoded

KEY: Final = "Idempotency-Key"


def _with_key(call: InProcess, at: Route, body: object, key: str, **how: Any) -> Answer:
    return call(at.path, body, headers={KEY: key}, **how)


def _receipt(answer: Answer) -> dict[str, Any]:
    """The answer without what tells a replay from the first call."""
    body: dict[str, Any] = answer.body
    del body["replayed"]
    for row in body.get("records", []):
        row.pop("replayed", None)
    return body


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_the_same_key_and_body_answer_the_first_receipt(
    at: Route, call: InProcess, agent: Actor
) -> None:
    body = a_body(at, agent)
    first = _with_key(call, at, body, "k1")
    again: list[Answer] = []

    changed = changed_tables(lambda: again.append(_with_key(call, at, body, "k1")))

    assert (first.status, again[0].status) == (200, 200)
    assert (first.body["replayed"], again[0].body["replayed"]) == (False, True)
    assert _receipt(first) == _receipt(again[0])
    assert list(first.body) == list(again[0].body)
    assert changed == {}
    assert_invariants()


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_bodies_that_say_the_same_are_the_same(at: Route, call: InProcess, agent: Actor) -> None:
    body = a_body(at, agent)
    _with_key(call, at, body, "k1")
    optional = [name for name, member in at.input.members.items() if not member.required]
    same = [
        json.dumps(body, indent=2).encode(),
        json.dumps(body, sort_keys=True, ensure_ascii=True).encode(),
        encoded(dict(reversed(body.items()))),
        encoded(body | dict.fromkeys(set(optional) - set(body))),
    ]

    assert [_with_key(call, at, raw, "k1").body["replayed"] for raw in same] == [True] * 4


def test_a_number_may_be_written_otherwise(call: InProcess) -> None:
    at, draft = route("memory:record-assert"), a_draft()

    for confidence in (1, 1.0, 1e0):
        answer = _with_key(call, at, {"records": [draft | {"confidence": confidence}]}, "k1")
        assert answer.status == 200


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_a_key_with_another_body_or_route_is_a_conflict(
    at: Route, call: InProcess, agent: Actor
) -> None:
    bodies = {other: (a_body(other, agent), a_body(other, agent)) for other in KEYED}
    _with_key(call, at, bodies[at][0], "k1")
    before = content()

    answers = [_with_key(call, other, pair[1], "k1") for other, pair in bodies.items()]

    assert {answer.refusal for answer in answers} == {(409, "idempotency_conflict")}
    assert content() == before


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_keys_of_other_credentials_are_their_own(
    at: Route, call: InProcess, agent: Actor, operator: Actor, foreigner: Foreigner
) -> None:
    second = issue_credential(actor=fresh(operator), name="b", access=Access.READ_WRITE).token
    calls = [
        _with_key(call, at, a_body(at, agent), "k1"),
        _with_key(call, at, a_body(at, agent), "k1", token=second),
        _with_key(call, at, a_body(at, foreigner.actor), "k1", token=foreigner.token),
    ]

    assert [answer.status for answer in calls] == [200, 200, 200]
    assert [answer.body["replayed"] for answer in calls] == [False, False, False]


@pytest.mark.parametrize(
    "key", ["", " ", "two words", "x" * 256, "é", "a\tb", "a\x7f", "\xa0", "a\x00b"]
)
def test_a_malformed_key_is_refused(key: str, call: InProcess, agent: Actor) -> None:
    at = route("feedback:report-record")
    body = a_body(at, agent)
    before = content()

    answer = _with_key(call, at, body, key)

    assert answer.refusal == (400, "invalid_feedback")
    assert answer.message == ('Field "Idempotency-Key" must be 1 to 255 visible ASCII characters.')
    assert {**content(), "memory_credential": []} == {**before, "memory_credential": []}


@pytest.mark.parametrize("key", ["!", "~", "x" * 255, '"', "a,b", "%00", "{}"])
def test_any_visible_characters_are_a_key(key: str, call: InProcess, agent: Actor) -> None:
    at = route("feedback:report-record")
    body = a_body(at, agent)

    assert [_with_key(call, at, body, key).body["replayed"] for _ in range(2)] == [False, True]


@pytest.mark.parametrize("at", READS, ids=str)
def test_a_read_does_not_look_at_a_key(at: Route, call: InProcess, agent: Actor) -> None:
    body = a_body(at, agent)

    assert _with_key(call, at, body, "k1").status == 200
    assert _with_key(call, at, body, "not a key").status == 200
    a_record(agent)
    assert "replayed" not in _with_key(call, at, body, "k1").body


def test_without_a_key_every_report_is_a_new_one(call: InProcess, agent: Actor) -> None:
    at = route("feedback:report-record")
    body = a_body(at, agent)

    assert len({call(at.path, body).body["id"] for _ in range(3)}) == 3


def test_a_replay_tells_what_was_done_and_not_what_is(call: InProcess, agent: Actor) -> None:
    at = route("memory:record-assert")
    body = a_body(at, agent)
    [first] = _with_key(call, at, body, "k1").body["records"]
    call(
        "/v1/records/retract",
        {"records": [{"id": first["id"], "expected_version": first["version"]}]},
    )

    [again] = _with_key(call, at, body, "k1").body["records"]

    assert again == {**first, "replayed": True, "status": "retracted"}


def test_a_replayed_promotion_counts_what_it_closed_then(call: InProcess, agent: Actor) -> None:
    at = route("feedback:report-promote")
    body = a_body(at, agent)
    record_id = call("/v1/feedback/list", {}).body["feedback"][0]["record_id"]
    call("/v1/feedback/record", {"record_id": record_id, "note": "Not so."})
    first = _with_key(call, at, body, "k1")
    call("/v1/feedback/record", {"record_id": record_id, "note": "Still not so."})

    again = _with_key(call, at, body, "k1")

    assert first.body["closed_reports"] == again.body["closed_reports"] == 1


def test_keys_of_records_and_of_calls_do_not_meet(call: InProcess) -> None:
    at, draft = route("memory:record-assert"), a_draft()
    key = draft["idempotency_key"]

    assert _with_key(call, at, {"records": [draft]}, key).body["replayed"] is False
    assert _with_key(call, at, {"records": [draft]}, key).body["replayed"] is True
    assert call(at.path, {"records": [draft]}).status == 200


def test_a_keyed_call_that_met_records_of_earlier_calls_is_replayed_as_it_was(
    call: InProcess,
) -> None:
    at, known, new = route("memory:record-assert"), a_draft(), a_draft()
    call(at.path, {"records": [known]})
    first = _with_key(call, at, {"records": [known, new]}, "k1")

    again = _with_key(call, at, {"records": [known, new]}, "k1")

    assert [row["replayed"] for row in first.body["records"]] == [True, False]
    assert again.status == 200
    assert _receipt(again) == _receipt(first)
    assert_invariants()


def test_the_key_of_a_record_stands_for_its_content(call: InProcess) -> None:
    at, draft = route("memory:record-assert"), a_draft()
    [first] = call(at.path, {"records": [draft]}).body["records"]

    [again] = call(at.path, {"records": [draft]}).body["records"]
    other = call(at.path, {"records": [draft | {"object": "another"}]})
    batch = call(at.path, {"records": [a_draft(), draft | {"object": "another"}]})

    assert again == {**first, "replayed": True}
    assert other.refusal == batch.refusal == (409, "idempotency_conflict")


def test_a_source_id_names_one_record_for_ever(call: InProcess) -> None:
    at = route("memory:record-assert")
    source = {"type": "dataset", "ref": "1.0", "id": "x:1"}
    [first] = call(at.path, {"records": [a_draft(source=source)]}).body["records"]
    change = {"id": first["id"], "expected_version": first["version"]}
    call("/v1/records/retract", {"records": [change]})

    [again] = call(at.path, {"records": [a_draft(source=source)]}).body["records"]
    [meant] = call(at.path, {"records": [a_draft()]}).body["records"]

    assert (again["id"], again["replayed"], again["status"]) == (first["id"], True, "retracted")
    assert again["version"] != first["version"]
    assert (meant["replayed"], meant["status"]) == (False, "current")
