"""The calls of Titen's Python client 0.1.0, against the live server.

Rules: `contract.md` 8 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.clients.titen import Titen, TitenRefusal
from tests.factories import MARKER
from tests.serving import Server
from tests.wire import OverHttp

pytestmark = [pytest.mark.slow]

SUBJECT: Final = "user_pyclient"
STATEMENT: Final = "The pyclient smoke returned 200."
CONTENT: Final = "The pyclient smoke returned 200 application/json."
SMOKE: Final = {"type": "tool", "ref": "pyclient#smoke"}
#: What the client can say besides, by name; each is one that this server takes.
OBSERVED_TOO: Final[dict[str, Any]] = {
    "trust": "untrusted",
    "visibility": "organization",
    "workspace_id": None,
    "project_id": None,
    "agent_id": f"agent {MARKER}",
    "run_id": "run-1",
    "occurred_at": "2026-11-30T09:00:00Z",
}
COMPILED_TOO: Final[dict[str, Any]] = {
    "project_id": None,
    "cross_project": None,
    "max_candidates": 50,
    "top_k": 1,
    "at": "2999-01-01T00:00:00Z",
    "include_checkpoints": True,
}


@pytest.fixture
def titen(live: OverHttp, server: Server) -> Titen:
    """The client of the read-write agent."""
    return Titen(server.url, live.default_token)


def _observe(titen: Titen, **others: Any) -> Any:
    return titen.observe(SUBJECT, "tool_result", CONTENT, SMOKE, **others)


def _claim(*observation_ids: str, statement: str = STATEMENT) -> dict[str, Any]:
    return {
        "kind": "episodic_event",
        "statement": statement,
        "confidence": 0.9,
        "sources": [{"observation_id": found, "relation": "supports"} for found in observation_ids],
    }


def _consolidate(titen: Titen, **others: Any) -> Any:
    claim = _claim(_observe(titen)["observation_id"])
    return titen.consolidate(SUBJECT, [claim], **others)


def _refusal(call: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(TitenRefusal) as refused:
        call()
    assert refused.value.message.endswith(".")
    assert refused.value.request_id.startswith("req_")
    return refused.value.status, refused.value.code


def test_an_observation_answers_its_id_and_subject(titen: Titen) -> None:
    for source in (SMOKE, {"type": "tool"}, SMOKE | {"id": f"{MARKER}-1"}):
        observation = titen.observe(SUBJECT, "tool_result", CONTENT, source)
        assert observation["observation_id"].startswith("obs_")
        assert observation["subject_id"] == SUBJECT


def test_all_that_the_client_can_say_of_an_observation_is_taken(titen: Titen) -> None:
    observation = _observe(titen, **OBSERVED_TOO)
    told = {name: value for name, value in OBSERVED_TOO.items() if name != "occurred_at"}
    assert observation.items() >= told.items()
    assert observation["occurred_at"] == "2026-11-30T09:00:00.000000Z"


def test_an_observation_is_repeated_under_its_key(titen: Titen) -> None:
    first = _observe(titen, idempotency_key=f"{MARKER}-1")
    assert _observe(titen, idempotency_key=f"{MARKER}-1") == first
    assert _observe(titen)["observation_id"] != first["observation_id"]


def test_a_consolidation_is_repeated_under_its_key(titen: Titen) -> None:
    claim = _claim(_observe(titen)["observation_id"])
    first = titen.consolidate(SUBJECT, [claim], idempotency_key=f"{MARKER}-1")
    assert titen.consolidate(SUBJECT, [claim], idempotency_key=f"{MARKER}-1") == first


def test_a_consolidation_uses_no_model(titen: Titen) -> None:
    consolidation = _consolidate(titen, project_id=None, workspace_id=None)
    assert consolidation["model_used"] is False
    [claim] = consolidation["claims"]
    assert claim["claim_id"].startswith("claim_")
    assert claim["status"] == "active"


def test_a_claim_may_leave_its_confidence_out(titen: Titen) -> None:
    claim = _claim(_observe(titen)["observation_id"])
    del claim["confidence"]
    [made] = titen.consolidate(SUBJECT, [claim])["claims"]
    assert made["confidence"] == 0.8


@pytest.mark.parametrize("others", [{}, {"max_tokens": 900}, COMPILED_TOO])
def test_a_context_pack_has_the_exact_statement_and_no_trust_in_it(
    titen: Titen, others: dict[str, Any]
) -> None:
    _consolidate(titen)
    pack = titen.compile_context(SUBJECT, "pyclient smoke result", **others)
    assert pack["context_id"].startswith("ctx_")
    assert pack["budget"]["max_tokens"] == others.get("max_tokens", 1_200)
    assert [(item["claim"], item["untrusted"]) for item in pack["items"]] == [(STATEMENT, True)]


def test_an_outcome_is_recorded_by_a_plain_request(titen: Titen) -> None:
    _consolidate(titen)
    pack = titen.compile_context(SUBJECT, "pyclient smoke result")
    path = f"/v1/context/{pack['context_id']}/feedback"
    body = {"outcome": "useful", "claim_id": pack["items"][0]["claim_id"]}

    feedback = titen.request("POST", path, body, idempotency_key="outcome-1")

    assert feedback["feedback_id"].startswith("fb_")
    assert titen.request("POST", path, body, idempotency_key="outcome-1") == feedback
    assert titen.request("POST", path, body)["feedback_id"] != feedback["feedback_id"]


@pytest.mark.parametrize("claim_id", ["claim_does_not_exist", f"claim_{'0' * 31}1", "a/b c"])
def test_a_claim_that_does_not_exist_is_not_found(titen: Titen, claim_id: str) -> None:
    assert _refusal(lambda: titen.evidence(claim_id)) == (404, "NOT_FOUND")


def test_code_and_message_of_a_refusal_are_read(titen: Titen, agent_ro_token: str) -> None:
    stranger, reader = Titen(titen.url, "nobody"), Titen(titen.url, agent_ro_token)
    observation_id = _observe(titen, idempotency_key="k")["observation_id"]
    claim = _claim(observation_id)
    assert [
        _refusal(lambda: titen.compile_context(SUBJECT, "smoke", max_tokens=1)),
        _refusal(lambda: titen.consolidate(SUBJECT, [claim | {"sources": []}])),
        _refusal(lambda: titen.consolidate(f"other {MARKER}", [claim])),
        _refusal(lambda: titen.observe(SUBJECT, "decision", CONTENT, SMOKE, idempotency_key="k")),
        _refusal(lambda: _observe(titen, trust="policy_approved")),
        _refusal(lambda: _observe(titen, project_id="p")),
        _refusal(lambda: reader.consolidate(SUBJECT, [claim])),
        _refusal(lambda: stranger.compile_context(SUBJECT, "smoke")),
        _refusal(lambda: titen.request("GET", "/v1/context/compile")),
        _refusal(lambda: titen.request("POST", "/v1/context/compile/", {})),  # no redirect
    ] == [
        (400, "VALIDATION_ERROR"),
        (400, "VALIDATION_ERROR"),
        (400, "VALIDATION_ERROR"),
        (409, "CONFLICT"),
        (403, "FORBIDDEN"),
        (400, "VALIDATION_ERROR"),
        (403, "FORBIDDEN"),
        (401, "UNAUTHENTICATED"),
        (405, "METHOD_NOT_ALLOWED"),
        (404, "NOT_FOUND"),
    ]


def test_the_round_trip_passes_again_and_again(titen: Titen) -> None:
    seen: set[str] = set()
    for number in range(1, 5):
        observation = titen.observe(
            subject_id=SUBJECT, kind="tool_result", content=CONTENT, source=SMOKE
        )
        observation_id = observation["observation_id"]
        assert observation["subject_id"] == SUBJECT

        consolidation = titen.consolidate(SUBJECT, [_claim(observation_id)])
        claim_id = consolidation["claims"][0]["claim_id"]

        pack = titen.compile_context(SUBJECT, "pyclient smoke result", max_tokens=900)
        assert [item["claim"] for item in pack["items"]] == [STATEMENT]
        assert all(item["untrusted"] is True for item in pack["items"])
        assert pack["budget"]["deduplicated_items"] == number - 1
        assert pack["budget"]["unconsolidated_observations"] == 0

        trace = titen.evidence(claim_id)
        assert (trace["claim"]["claim_id"], trace["claim"]["claim"]) == (claim_id, STATEMENT)
        [supporting] = trace["evidence"]["supporting"]
        assert (supporting["observation_id"], supporting["content"]) == (observation_id, CONTENT)
        assert trace["evidence"]["contradicting"] == trace["evidence"]["qualifying"] == []

        assert not {observation_id, claim_id} & seen
        seen |= {observation_id, claim_id}
