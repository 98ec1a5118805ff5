"""The header Idempotency-Key: replay, conflict, scope (`contract.md` 0.6)."""

from __future__ import annotations

import json
from typing import Any, Final
from uuid import UUID

import pytest

from memory.actor import Actor
from memory.models import Source
from memory.operations.issue_credential import issue_credential
from memory.vocabulary import Access
from tests.factories import a_record, fresh
from tests.invariants import assert_invariants
from tests.observed import changed_tables, content
from tests.valid_calls import KEYED, READS, Route, a_body, a_draft, route
from tests.wire import Answer, Foreigner, InProcess, encoded

KEY: Final = "Idempotency-Key"
K1: Final = "4493e779-52b5-55e4-b598-8bdca41a4732"  # fit for every route: turns want an id


def _with_key(call: InProcess, at: Route, body: dict[str, Any], key: str, **how: Any) -> Answer:
    return at.send(call, at.keyed(body, key), headers={KEY: key}, **how)


def _receipt(answer: Answer) -> dict[str, Any]:
    """The answer without what tells a replay from the first call."""
    body: dict[str, Any] = answer.body
    del (body["meta"] if "data" in body else body)["replayed"]
    if "data" in body:
        del body["meta"]["request_id"]
    for row in body.get("records", []):
        row.pop("replayed", None)
    return body


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_the_same_key_and_body_answer_the_first_receipt(
    at: Route, call: InProcess, agent: Actor
) -> None:
    body = a_body(at, agent)
    first = _with_key(call, at, body, K1)
    again: list[Answer] = []

    changed = changed_tables(lambda: again.append(_with_key(call, at, body, K1)))

    assert (first.status, again[0].status) == (at.made, at.repeated)
    assert (at.is_replay(first), at.is_replay(again[0])) == (False, True)
    assert list(first.body) == list(again[0].body)
    assert list(at.told(first)) == list(at.told(again[0]))
    assert _receipt(first) == _receipt(again[0])
    assert changed == {}
    assert_invariants()


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_bodies_that_say_the_same_are_the_same(at: Route, call: InProcess, agent: Actor) -> None:
    values = at.keyed(a_body(at, agent), K1)
    _with_key(call, at, values, K1)
    body: Any = at.body(values)
    optional = [name for name, member in at.members.items() if not member.required]
    same = [
        json.dumps(body, indent=2).encode(),
        json.dumps(body, sort_keys=True, ensure_ascii=True).encode(),
        encoded(dict(reversed(body.items()))),
        encoded(body | dict.fromkeys(set(optional) - set(body))),
    ]

    again = [at.send(call, values, raw=raw, headers={KEY: K1}) for raw in same]
    assert [at.is_replay(answer) for answer in again] == [True] * 4


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
    _with_key(call, at, bodies[at][0], K1)
    before = content()

    answers = {other: _with_key(call, other, pair[1], K1) for other, pair in bodies.items()}

    for other, answer in answers.items():
        assert answer.refusal == other.refusal(409, "idempotency_conflict")
        assert "retry-after" not in answer.headers
    assert content() == before


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_keys_of_other_credentials_are_their_own(
    at: Route, call: InProcess, agent: Actor, operator: Actor, foreigner: Foreigner
) -> None:
    second = issue_credential(actor=fresh(operator), name="b", access=Access.READ_WRITE).token
    calls = [
        _with_key(call, at, a_body(at, agent), K1),
        _with_key(call, at, a_body(at, agent), K1, token=second),
        _with_key(call, at, a_body(at, foreigner.actor), K1, token=foreigner.token),
    ]

    assert [answer.status for answer in calls] == [at.made] * 3
    assert [at.is_replay(answer) for answer in calls] == [False, False, False]


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

    assert _with_key(call, at, body, K1).status == 200
    assert _with_key(call, at, body, "not a key").status == 200
    a_record(agent)
    answer = _with_key(call, at, body, K1).body
    assert "replayed" not in answer
    assert "replayed" not in answer.get("meta", {})


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


def test_the_key_of_a_turn_stands_in_its_body(call: InProcess, agent: Actor) -> None:
    at = route("memory:source-observe/turn")
    body = a_body(at, agent)
    own = body["idempotency_key"]

    first = at.send(call, body)
    again = [at.send(call, body), at.send(call, body, headers={KEY: own})]
    other = at.send(call, body, headers={KEY: K1})

    assert at.is_replay(first) is False
    assert [at.is_replay(answer) for answer in again] == [True, True]
    assert other.refusal == (400, "invalid_turn")
    assert other.message == 'Field "idempotency_key" must equal the header Idempotency-Key.'
    assert Source.objects.filter(kind="turn").count() == 1


def test_times_of_a_turn_are_not_compared(call: InProcess, agent: Actor) -> None:
    at = route("memory:source-observe/turn")
    body = a_body(at, agent)
    first = at.send(call, body | {"occurred_at": "2026-11-30T09:00:00Z"}).body
    [said] = body["messages"]
    timed = {"messages": [said | {"occurred_at": "2026-11-30T09:00:00Z"}]}

    for later in ({}, {"occurred_at": "2026-12-01T09:00:00+02:00"}, {"occurred_at": None}, timed):
        again = at.send(call, body | later)
        assert (again.status, again.body) == (201, {**first, "replayed": True})
    for other in (
        {"data_subject_id": "somebody else"},
        {"messages": [said | {"content": "another"}]},
        {"messages": [said | {"role": "assistant"}]},
        {"messages": [said, said]},
        {"messages": [said | {"group_ordinal": 0}]},
    ):
        assert at.send(call, body | other).refusal == (409, "idempotency_conflict")
    assert Source.objects.filter(kind="turn").count() == 1


def test_a_key_of_an_outcome_may_stand_in_its_body_or_header(call: InProcess, agent: Actor) -> None:
    at = route("feedback:outcome-record")
    body = a_body(at, agent)
    keyed = body | {"client_mutation_id": "m1"}

    first = at.send(call, keyed)
    again = [
        at.send(call, keyed),
        at.send(call, keyed, headers={KEY: "m1"}),
        at.send(call, body, headers={KEY: "m1"}),
    ]
    elsewhere = {"context_id": a_body(at, agent)["context_id"]}
    before = content()
    disagreeing = at.send(call, keyed, headers={KEY: "m2"})
    other = [
        at.send(call, keyed | {"outcome": "harmful"}),
        at.send(call, keyed | {"reason_code": "late"}),
        at.send(call, keyed | {"claim_id": None}),
        at.send(call, keyed | elsewhere),
    ]

    assert (at.is_replay(first), [at.is_replay(answer) for answer in again]) == (False, [True] * 3)
    assert {at.told(answer)["feedback_id"] for answer in (first, *again)} == {
        at.told(first)["feedback_id"]
    }
    assert disagreeing.refusal == (400, "VALIDATION_ERROR")
    assert disagreeing.message == (
        'Field "client_mutation_id" must equal the header Idempotency-Key.'
    )
    assert {answer.refusal for answer in other} == {(409, "CONFLICT")}
    assert content()["feedback_outcome"] == before["feedback_outcome"]
    assert content()["memory_idempotencykey"] == before["memory_idempotencykey"]
    assert_invariants()


def test_a_replayed_outcome_names_the_stored_ids_after_the_record_is_closed(
    call: InProcess, agent: Actor
) -> None:
    at = route("feedback:outcome-record")
    body = a_body(at, agent) | {"client_mutation_id": "m1"}
    first = at.told(at.send(call, body))
    record_id = str(UUID(body["claim_id"].removeprefix("claim_")))
    version = call("/v1/records/get", {"id": record_id}).body["version"]
    call("/v1/records/retract", {"records": [{"id": record_id, "expected_version": version}]})

    assert at.told(at.send(call, body)) == first


def test_a_replayed_consolidation_tells_the_state_of_its_records_now(
    call: InProcess, agent: Actor
) -> None:
    at = route("memory:record-consolidate")
    body = a_body(at, agent)
    [first] = at.told(_with_key(call, at, body, K1))["claims"]
    record_id = str(UUID(first["claim_id"].removeprefix("claim_")))
    change = {"id": record_id, "expected_version": first["record_version"]}
    version = call("/v1/records/retract", {"records": [change]}).body["records"][0]["version"]

    answers = [_with_key(call, at, body, K1), at.send(call, body)]

    for answer, is_replay in zip(answers, (True, False), strict=True):
        [again] = at.told(answer)["claims"]
        assert again == {**first, "status": "revoked", "record_version": version}
        assert answer.body["meta"]["replayed"] is is_replay
    assert [a.body["meta"]["canonical_replays"] for a in answers] == [0, 1]
    assert_invariants()


def test_a_source_id_of_evidence_names_one_observation_of_the_actor(
    call: InProcess, agent: Actor, operator: Actor
) -> None:
    at = route("memory:source-observe/evidence")
    body = a_body(at, agent) | {"source": {"type": "camera", "id": "x:1"}}
    first = at.send(call, body)
    second = issue_credential(actor=fresh(operator), name="b", access=Access.READ_WRITE).token

    again = at.send(call, body)
    others = at.send(call, body, token=second)
    changed = at.send(call, body | {"content": "another"})
    keyed = _with_key(call, at, body, K1)

    assert (at.is_replay(first), at.is_replay(again), at.is_replay(keyed)) == (False, True, True)
    assert at.told(again) == at.told(first) == at.told(keyed)
    assert at.is_replay(others) is False
    assert at.told(others)["observation_id"] != at.told(first)["observation_id"]
    assert changed.refusal == (409, "CONFLICT")
    assert_invariants()


def test_without_a_key_every_outcome_and_observation_is_a_new_one(
    call: InProcess, agent: Actor
) -> None:
    for name, id_ in (
        ("memory:source-observe/evidence", "observation_id"),
        ("feedback:outcome-record", "feedback_id"),
        ("feedback:context-compile", "context_id"),
    ):
        at = route(name)
        body = a_body(at, agent)
        assert len({at.told(at.send(call, body))[id_] for _ in range(3)}) == 3
