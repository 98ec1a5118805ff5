"""`/v1/consolidations`: records from evidence, field by field (`contract.md` 4.1)."""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import uuid4

import pytest

from memory.actor import Actor
from memory.operations.mark_predicate import mark_predicate
from tests.factories import fresh
from tests.looping import PERSON, SMOKE, Loop, record_id
from tests.observed import content
from tests.wire import Answer, InProcess, entries_of

BEGUN: Final = "2020-01-01T00:00:00.000000Z"


def _claims(answer: Answer) -> list[dict[str, Any]]:
    assert answer.status == 201, answer.content
    claims: list[dict[str, Any]] = answer.body["data"]["claims"]
    return claims


def _is_refused(answer: Answer, field: str, words: str) -> None:
    assert answer.refusal == (400, "VALIDATION_ERROR"), answer.content
    assert answer.message == f'Field "{field}" {words}'
    assert entries_of(answer) == [("record.consolidate", "refused", "validation_error", 0)]


def _cited(seen: dict[str, Any], relation: str = "supports", **said: Any) -> dict[str, Any]:
    return {"observation_id": seen["observation_id"], "relation": relation, **said}


def test_a_consolidation_answers_a_row_a_claim(loop: Loop) -> None:
    seen = loop.observe(trust="verified")
    draft = loop.draft(SMOKE, seen, confidence=0.9)

    answer = loop.consolidate(draft)

    assert answer.status == 201
    assert list(answer.body) == ["data", "meta"]
    assert answer.body["meta"] == {
        "request_id": answer.request_id,
        "replayed": False,
        "canonical_replays": 0,
        "model": "disabled",
    }
    data = answer.body["data"]
    [claim] = data.pop("claims")
    assert data == {
        "subject_id": PERSON,
        "project_id": None,
        "workspace_id": None,
        "model_used": False,
    }
    record = loop.record(claim)
    assert re.fullmatch("claim_[0-9a-f]{32}", claim["claim_id"])
    assert claim == {
        "claim_id": claim["claim_id"],
        "record_version": record["version"],
        "kind": "episodic_event",
        "status": "active",
        "trust": "verified",
        "visibility": "organization",
        "confidence": 0.9,
        "valid_from": record["recorded_at"],
        "valid_to": None,
        "evidence_ids": [seen["observation_id"]],
    }
    assert entries_of(answer) == [("record.consolidate", "allowed", "", 1)]


def test_what_a_claim_leaves_out_has_its_default(loop: Loop) -> None:
    statement = "é" * 600 + " passed."

    [claim] = _claims(loop.consolidate(loop.draft(statement, loop.observe())))

    record = loop.record(claim)
    assert (record["confidence"], record["trust"], record["disputed"]) == (0.8, "asserted", False)
    assert (record["subject"], record["predicate"]) == (PERSON, "states")
    assert record["object"] == "é" * 512
    assert (record["data_subject_id"], record["single_valued"]) == (PERSON, False)
    assert record["valid"]["from"] == record["known"]["from"] == record["recorded_at"]
    assert (record["valid"]["until"], record["citations"], record["version_number"]) == (None, 1, 1)
    assert (record["recorded_by_kind"], record["recorded_via"]) == ("credential", "api")


def test_a_claim_says_what_it_was_told_to_say(loop: Loop) -> None:
    said = {
        "kind": "preference",
        "confidence": 0.25,
        "valid_from": "2020-01-01T01:00:00+01:00",
        "valid_to": "2030-01-01T00:00:00Z",
        "trust": "untrusted",
        "subject": "the run",
        "predicate": "returned",
        "object": "200",
        "observer_id": "watcher 3",
        "visibility": "organization",
    }

    [claim] = _claims(loop.consolidate(loop.draft(SMOKE, loop.observe(), **said)))

    record = loop.record(claim)
    assert (claim["valid_from"], claim["valid_to"]) == (BEGUN, "2030-01-01T00:00:00.000000Z")
    assert (claim["trust"], claim["confidence"], claim["kind"]) == (
        "untrusted",
        0.25,
        "preference",
    )
    assert {name: record[name] for name in ("subject", "predicate", "object")} == {
        name: said[name] for name in ("subject", "predicate", "object")
    }
    [item] = loop.compile()["items"]
    assert item["observer_id"] == "watcher 3"


def test_predicate_and_object_go_together(loop: Loop) -> None:
    seen = loop.observe()
    for said, missing in (({"predicate": "returned"}, "object"), ({"object": "200"}, "predicate")):
        [given] = said
        answer = loop.consolidate(loop.draft(SMOKE, seen, **said))
        _is_refused(answer, f"claims[0].{missing}", f"is required beside {given}.")


def test_something_has_to_support_a_claim(loop: Loop) -> None:
    seen = loop.observe()
    draft = loop.draft()
    draft["sources"] = [_cited(seen, "contradicts"), _cited(seen, "qualifies")]

    words = "must hold at least one that supports the claim."
    _is_refused(loop.consolidate(draft), "claims[0].sources", words)


def test_a_source_stands_once_with_each_relation(loop: Loop) -> None:
    seen = loop.observe()
    draft = loop.draft(SMOKE, seen)
    draft["sources"] += [_cited(seen, "qualifies"), _cited(seen, "supports", quote="run")]

    words = "must not stand twice with one relation."
    _is_refused(loop.consolidate(draft), "claims[0].sources[2]", words)
    del draft["sources"][2]
    [claim] = _claims(loop.consolidate(draft))
    assert claim["evidence_ids"] == [seen["observation_id"]]


def test_sources_are_about_the_same_person(loop: Loop) -> None:
    own, others = loop.observe(), loop.observe(person="somebody else")
    draft = loop.draft(SMOKE, own, others)

    words = "must be about the same subject."
    _is_refused(loop.consolidate(draft), "claims[0].sources[1].observation_id", words)


def test_a_quote_occurs_in_its_source(loop: Loop) -> None:
    seen = loop.observe("Run 12: é🜨 returned 200.")
    for quote in ("returned 300", "run 12", "Run 12: e"):
        draft = loop.draft()
        draft["sources"] = [_cited(seen, quote=quote)]
        _is_refused(
            loop.consolidate(draft), "claims[0].sources[0].quote", "must occur in the source."
        )
    draft = loop.draft()
    draft["sources"] = [_cited(seen, quote="🜨 returned")]

    [claim] = _claims(loop.consolidate(draft))

    [evidence] = loop.post("citations/resolve", {"id": record_id(claim)}).body["evidence"]
    assert (evidence["quote"], evidence["byte_start"], evidence["byte_end"]) == (
        "🜨 returned",
        10,
        23,
    )
    assert evidence["context"] == "Run 12: é🜨 returned 200."


def test_trust_is_that_of_the_best_supporting_source_at_most(loop: Loop) -> None:
    low, high = loop.observe(trust="untrusted"), loop.observe(trust="verified")
    against = _cited(high, "contradicts")

    [alone] = _claims(loop.consolidate(loop.draft("One.", low)))
    [both] = _claims(loop.consolidate(loop.draft("Two.", low, high)))
    draft = loop.draft("Three.", low, trust="asserted")
    draft["sources"].append(against)

    assert (alone["trust"], both["trust"]) == ("untrusted", "verified")
    words = "must not be above that of the best supporting source."
    _is_refused(loop.consolidate(draft), "claims[0].trust", words)


def test_trust_is_that_of_the_credential_at_most(loop: Loop, call: InProcess) -> None:
    """The agent's word is worth `asserted`, whatever the source."""
    seen = loop.observe(trust="verified")
    lower = Loop(call)

    [claim] = _claims(lower.consolidate(loop.draft("One.", seen)))
    refused = lower.consolidate(loop.draft("Two.", seen, trust="verified"))

    assert claim["trust"] == "asserted"
    assert refused.refusal == (403, "FORBIDDEN")
    assert entries_of(refused) == [("record.consolidate", "refused", "forbidden", 0)]


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": BEGUN, "valid_to": BEGUN},
        {"valid_from": "2020-01-01T01:00:00.000001+01:00", "valid_to": BEGUN},
        {"valid_to": BEGUN},
    ],
)
def test_what_ends_must_have_begun(times: dict[str, str], loop: Loop) -> None:
    answer = loop.consolidate(loop.draft(SMOKE, loop.observe(), **times))

    _is_refused(answer, "claims[0].valid_to", "must be after valid_from.")


def test_where_a_claim_stands(loop: Loop) -> None:
    seen = loop.observe()
    disputed = loop.draft("One.", seen)
    disputed["sources"].append(_cited(loop.observe("No."), "contradicts"))
    qualified = loop.draft("Two.", seen)
    qualified["sources"].append(_cited(loop.observe("Hm."), "qualifies"))
    past = {"valid_from": "2019-01-01T00:00:00Z", "valid_to": BEGUN}
    ended = loop.draft("Three.", seen, **past)

    claims = _claims(loop.consolidate(disputed, qualified, ended))

    assert [claim["status"] for claim in claims] == ["disputed", "active", "expired"]
    assert [len(claim["evidence_ids"]) for claim in claims] == [2, 2, 1]


def test_of_several_claims_all_are_made_or_none(loop: Loop) -> None:
    seen = loop.observe()
    before = content()
    drafts = [loop.draft(f"Claim {number}.", seen) for number in range(3)]
    wrong = loop.draft("Four.", {"observation_id": f"obs_{uuid4().hex}"})

    refused = loop.consolidate(*drafts, wrong)

    assert refused.refusal == (404, "NOT_FOUND")
    assert content() == before
    claims = _claims(loop.consolidate(*drafts))
    assert [loop.record(claim)["statement"] for claim in claims] == [
        draft["statement"] for draft in drafts
    ]


def test_as_many_claims_and_sources_as_fit(loop: Loop) -> None:
    seen = [loop.observe(f"Run {number}.") for number in range(20)]
    drafts = [loop.draft(f"Claim {number}.", *seen) for number in range(50)]

    answer = loop.consolidate(*drafts)

    claims = _claims(answer)
    assert [len(claim["evidence_ids"]) for claim in claims] == [20] * 50
    assert entries_of(answer) == [("record.consolidate", "allowed", "", 50)]


def test_an_identical_claim_of_the_same_actor_is_the_record_that_there_is(
    loop: Loop, another: Loop
) -> None:
    seen = loop.observe()
    draft = loop.draft(SMOKE, seen)
    [first] = _claims(loop.consolidate(draft))

    again = loop.consolidate(draft, loop.draft("Another.", seen), draft)
    others = another.consolidate(draft)

    assert again.body["meta"]["canonical_replays"] == 2
    assert again.body["meta"]["replayed"] is False
    assert [claim["claim_id"] == first["claim_id"] for claim in _claims(again)] == [
        True,
        False,
        True,
    ]
    assert entries_of(again) == [("record.consolidate", "allowed", "", 1)]
    assert _claims(others)[0]["claim_id"] != first["claim_id"]
    assert others.body["meta"]["canonical_replays"] == 0


@pytest.mark.parametrize(
    "other",
    [{"kind": "decision"}, {"confidence": 0.7}, {"trust": "untrusted"}, {"observer_id": "x"}],
)
def test_a_claim_that_says_something_else_is_another(other: dict[str, Any], loop: Loop) -> None:
    seen = loop.observe()
    [first] = _claims(loop.consolidate(loop.draft(SMOKE, seen)))

    [second] = _claims(loop.consolidate(loop.draft(SMOKE, seen, **other)))

    assert second["claim_id"] != first["claim_id"]


def test_nothing_revives_by_being_consolidated_again(loop: Loop) -> None:
    draft = loop.draft(SMOKE, loop.observe())
    [first] = _claims(loop.consolidate(draft))
    loop.retract(first)

    answer = loop.consolidate(draft)

    [again] = _claims(answer)
    assert (again["claim_id"], again["status"]) == (first["claim_id"], "revoked")
    assert answer.body["meta"]["canonical_replays"] == 1
    assert entries_of(answer) == [("record.consolidate", "allowed", "", 0)]
    assert loop.compile()["items"] == []


def test_nothing_is_merged_by_what_it_says(loop: Loop) -> None:
    claims = [loop.claim() for _ in range(3)]

    assert len({claim["claim_id"] for claim in claims}) == 3
    for claim in claims:
        evidence = loop.get(f"claims/{claim['claim_id']}/evidence").body["data"]["evidence"]
        assert [row["observation_id"] for row in evidence["supporting"]] == claim["evidence_ids"]


def test_a_turn_is_evidence_too_and_stands_once(loop: Loop) -> None:
    messages = [{"role": "user", "content": "Run it."}, {"role": "assistant", "content": "It ran."}]
    turn = {"messages": messages, "idempotency_key": str(uuid4()), "data_subject_id": PERSON}
    source = loop.post("observations", turn).body["id"].replace("-", "")

    [claim] = _claims(loop.consolidate(loop.draft(SMOKE, {"observation_id": f"obs_{source}"})))

    assert claim["evidence_ids"] == [f"obs_{source}"]
    evidence = loop.get(f"claims/{claim['claim_id']}/evidence").body["data"]["evidence"]
    assert [row["quote"] for row in evidence["supporting"]] == ["Run it.", "It ran."]
    assert loop.record(claim)["source_role"] == "user"


def test_a_single_valued_place_is_taken_once(loop: Loop, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    fact = {"subject": "Burundi", "predicate": "has_capital", "object": "Bujumbura"}
    loop.consolidate(loop.draft("One.", loop.observe(), **fact))
    seen = loop.observe()
    before = content()

    refused = loop.consolidate(loop.draft("Two.", seen, **fact | {"object": "Gitega"}))

    assert refused.refusal == (409, "CONFLICT")
    assert entries_of(refused) == [("record.consolidate", "refused", "record_conflict", 0)]
    assert content() == before
