"""`/v1/observations`: turns and single observations, field by field (`contract.md` 3.1)."""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import uuid4

import pytest

from memory.actor import Actor
from memory.operations.issue_credential import issue_credential
from memory.vocabulary import Access, Trust
from tests.factories import fresh
from tests.looping import PERSON, SMOKE, Loop, record_id
from tests.observed import changed_tables, content
from tests.wire import Foreigner, InProcess, entries_of

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
TURN_BYTES: Final = 262_144


def _turn(*messages: Any, **said: Any) -> dict[str, Any]:
    return {"idempotency_key": str(uuid4()), "messages": list(messages), **said}


def _said(content: str = "I saw it.", role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def _observation(**said: Any) -> dict[str, Any]:
    return {
        "subject_id": PERSON,
        "kind": "user_statement",
        "content": "It rains.",
        "source": {"type": "chat"},
        **said,
    }


def test_a_turn_answers_its_place_in_the_log(call: InProcess) -> None:
    turn = _turn(_said(), _said("Noted.", "assistant"), data_subject_id=PERSON)

    first = call("/v1/observations", turn)
    second = call("/v1/observations", _turn(_said()))
    again = call("/v1/observations", turn)

    assert (first.status, second.status, again.status) == (201, 201, 201)
    assert first.body == {
        "id": first.body["id"],
        "scope": "demo",
        "log_offset": 0,
        "replayed": False,
    }
    assert list(first.body) == ["id", "scope", "log_offset", "replayed"]
    assert second.body["log_offset"] == 1
    assert again.body == {**first.body, "replayed": True}


def test_every_source_takes_the_next_place_in_the_log(call: InProcess, loop: Loop) -> None:
    loop.observe()
    call("/v1/observations", _turn(_said()))
    loop.post("records/assert", {"records": [_fact(), _fact()]})

    answer = call("/v1/observations", _turn(_said()))

    assert answer.body["log_offset"] == 4


def _fact() -> dict[str, Any]:
    words = {"subject": "x", "predicate": "is", "object": "y", "statement": "x is y."}
    return {"idempotency_key": str(uuid4()), **words}


def test_a_turn_is_one_source_and_forms_no_record(call: InProcess) -> None:
    turn = _turn(_said("The herd is here."), data_subject_id=PERSON)

    changed = changed_tables(lambda: call("/v1/observations", turn))

    came = {table: rows for table, (_, rows) in changed.items()}
    assert {**came, "memory_credential": 1} == {
        **dict.fromkeys(("memory_source", "memory_message", "memory_subject"), 1),
        **dict.fromkeys(("memory_idempotencykey", "memory_credential"), 1),
    }
    assert call("/v1/records/list").body == {"records": []}
    asked = {"question": "Where is the herd?", "data_subject_id": PERSON}
    assert call("/v1/recalls", asked).body["facts"] == []


@pytest.mark.parametrize(
    ("ordinals", "place", "words"),
    [
        ([1], 0, "must begin at 0 and stay or go up by one."),
        ([0, 2], 1, "must begin at 0 and stay or go up by one."),
        ([0, 1, 0], 2, "must begin at 0 and stay or go up by one."),
        ([0, None], 1, "is required on every message."),
        ([None, 0], 0, "is required on every message."),
    ],
)
def test_steps_are_numbered_without_a_gap_on_all_messages(
    ordinals: list[int | None], place: int, words: str, call: InProcess
) -> None:
    messages = [_said(group_ordinal=ordinal) for ordinal in ordinals]

    answer = call("/v1/observations", _turn(*messages))

    assert answer.refusal == (400, "invalid_turn")
    assert answer.message == f'Field "messages[{place}].group_ordinal" {words}'


@pytest.mark.parametrize("ordinals", [[0], [0, 0, 1, 1, 2], [0, 1, 2]])
def test_steps_may_have_several_messages(ordinals: list[int], call: InProcess) -> None:
    messages = [_said(role="tool", group_ordinal=ordinal) for ordinal in ordinals]

    assert call("/v1/observations", _turn(*messages)).status == 201


def test_what_a_tool_says_belongs_to_a_step(call: InProcess) -> None:
    answer = call("/v1/observations", _turn(_said(), _said(role="tool")))

    assert answer.refusal == (400, "invalid_turn")
    assert answer.message == ('Field "messages[0].group_ordinal" is required on every message.')


def test_the_contents_of_a_turn_are_counted_together(call: InProcess) -> None:
    whole = [_said("é" * 32_768) for _ in range(4)]

    fits = call("/v1/observations", _turn(*whole))
    over = call("/v1/observations", _turn(*whole, _said("x")))

    assert sum(len(message["content"].encode()) for message in whole) == TURN_BYTES
    assert fits.status == 201
    assert over.refusal == (400, "invalid_turn")
    assert over.message == 'Field "messages" must hold at most 262144 bytes of content together.'


def test_as_many_messages_as_a_turn_may_have(call: InProcess) -> None:
    assert call("/v1/observations", _turn(*[_said()] * 64)).status == 201
    assert call("/v1/observations", _turn(*[_said()] * 65)).refusal == (400, "invalid_turn")


def test_an_observation_answers_what_was_stored(loop: Loop) -> None:
    said = {
        "kind": "tool_result",
        "trust": "verified",
        "occurred_at": "2026-11-30T10:00:00+01:00",
        "agent_id": "agent 7",
        "run_id": "run 12",
        "source": {"type": "smoke", "ref": "ci", "id": "12"},
        "visibility": "organization",
        "project_id": None,
        "workspace_id": None,
    }

    answer = loop.post("observations", _observation(**said))

    assert answer.status == 201
    assert list(answer.body) == ["data", "meta"]
    assert answer.body["meta"] == {"request_id": answer.request_id, "replayed": False}
    stored = answer.body["data"]
    assert re.fullmatch("obs_[0-9a-f]{32}", stored.pop("observation_id"))
    assert re.fullmatch("[0-9a-f]{64}", stored.pop("content_hash"))
    assert TIME.fullmatch(stored.pop("ingested_at"))
    assert stored == {
        "subject_id": PERSON,
        "project_id": None,
        "workspace_id": None,
        "agent_id": "agent 7",
        "run_id": "run 12",
        "kind": "tool_result",
        "trust": "verified",
        "visibility": "organization",
        "occurred_at": "2026-11-30T09:00:00.000000Z",
    }
    assert entries_of(answer) == [("observe", "allowed", "", 1)]


def test_what_an_observation_leaves_out_has_its_default(loop: Loop) -> None:
    stored = loop.observe(kind="decision")

    assert (stored["trust"], stored["visibility"]) == ("asserted", "organization")
    assert (stored["agent_id"], stored["run_id"], stored["occurred_at"]) == (None, None, None)


@pytest.mark.parametrize(
    ("cap", "default", "above"),
    [
        (Trust.UNTRUSTED, "untrusted", ["asserted", "verified", "policy_approved"]),
        (Trust.ASSERTED, "asserted", ["verified", "policy_approved"]),
        (Trust.VERIFIED, "asserted", ["policy_approved"]),
        (Trust.POLICY_APPROVED, "asserted", []),
    ],
)
def test_trust_is_that_of_the_credential_at_most(
    cap: Trust, default: str, above: list[str], operator: Actor
) -> None:
    receipt = issue_credential(
        actor=fresh(operator), name="capped", access=Access.READ_WRITE, max_trust=cap
    )
    capped = InProcess(receipt.token)

    assert capped("/v1/observations", _observation()).body["data"]["trust"] == default
    before = content()["memory_source"]
    for trust in above:
        refused = capped("/v1/observations", _observation(trust=trust))
        assert refused.refusal == (403, "FORBIDDEN")
        assert refused.message == "This credential may not do that."
        assert entries_of(refused) == [("observe", "refused", "forbidden", 0)]
    assert content()["memory_source"] == before
    for trust in ("untrusted", "asserted", "verified", "policy_approved"):
        if trust not in above:
            stored = capped("/v1/observations", _observation(trust=trust))
            assert stored.body["data"]["trust"] == trust


def test_a_hash_says_whether_two_contents_are_equal_and_only_within_the_project(
    call: InProcess, foreigner: Foreigner
) -> None:
    def hashed(**said: Any) -> str:
        token = said.pop("token", "")
        answer = call("/v1/observations", _observation(**said), token=token)
        digest: str = answer.body["data"]["content_hash"]
        return digest

    assert hashed() == hashed(subject_id="another", source={"type": "mail"})
    assert hashed() != hashed(content="It rains. ")
    assert hashed() != hashed(token=foreigner.token)


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("user_statement", "user"),
        ("tool_result", "tool"),
        ("imported_source", "document"),
        ("decision", "user"),
        ("system_event", "system"),
    ],
)
def test_the_role_of_an_observation_follows_its_kind(kind: str, role: str, loop: Loop) -> None:
    seen = loop.observe(kind=kind)
    [claim] = loop.consolidate(loop.draft(SMOKE, seen)).body["data"]["claims"]

    [evidence] = loop.post("citations/resolve", {"id": record_id(claim)}).body["evidence"]

    assert (evidence["role"], evidence["source_kind"]) == (role, kind)
    assert loop.record(claim)["source_role"] == role


def test_only_a_pack_makes_a_source_recalled(loop: Loop) -> None:
    answer = loop.post("observations", _observation(source={"type": "recalled"}))

    assert answer.refusal == (400, "VALIDATION_ERROR")
    assert answer.message == (
        'Field "source.type" must not be recalled: send the context_token instead.'
    )


def test_what_was_seen_in_a_pack_supports_nothing(loop: Loop) -> None:
    run = loop.compile()
    seen = loop.observe(context_token=run["context_token"])
    first = loop.observe()

    refused = loop.consolidate(loop.draft("It was so.", seen))
    cited = {"observation_id": seen["observation_id"], "relation": "qualifies"}
    draft = loop.draft("It was so.", first)
    draft["sources"].append(cited)
    [claim] = loop.consolidate(draft).body["data"]["claims"]

    assert refused.refusal == (400, "VALIDATION_ERROR")
    assert refused.message == (
        'Field "claims[0].sources[0].observation_id" was recalled from a pack and supports nothing.'
    )
    evidence = loop.get(f"claims/{claim['claim_id']}/evidence").body["data"]["evidence"]
    [qualifying] = evidence["qualifying"]
    assert qualifying["source"] == {"type": "recalled", "ref": None, "id": None}


@pytest.mark.parametrize("name", ["project_id", "workspace_id"])
def test_the_credential_alone_picks_the_project(
    name: str, loop: Loop, foreigner: Foreigner
) -> None:
    for value in ("demo", str(foreigner.actor.project_id), ""):
        answer = loop.post("observations", _observation(**{name: value}))
        assert answer.refusal == (400, "VALIDATION_ERROR")
    assert loop.get("freshness").body["stored"] is None
