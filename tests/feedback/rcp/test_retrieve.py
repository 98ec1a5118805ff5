"""`retrieve`: params, funnel, options, hits, budgets, cursors (`protocols.md` 1.7)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

import pytest

from feedback.queries.retrieve import HitRow
from feedback.ranking import Components
from feedback.rcp.hits import hit_of
from memory.actor import Actor
from memory.models import Record
from memory.operations.assert_records import AssertedRecord
from memory.operations.correct_records import Correction, correct_records
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.retrieval import Candidate
from memory.vocabulary import Trust
from tests.factories import MARKER, a_record, fresh, some_records
from tests.rcp import Client, HttpDoor, assert_valid
from tests.wire import Foreigner, InProcess

pytestmark = pytest.mark.django_db

BLOCK: Final = {"type": "text", "text": MARKER}

#: Values that each param refuses with -32602 and its name.
MALFORMED: Final[dict[str, tuple[Any, ...]]] = {
    "query": (5, True, [], "", " ", "\u0000", "\u200b", "x" * 8_193, "é" * 4_097, ["text"], [5]),
    "k": (0, -5, 1.0, 1.5, "3", True, [3]),
    "candidateK": (0, -1, 20.0, "20", False),
    "filter": (5, "x", [], {}, True),
    "minScore": ("0.5", True, [], {}),
    "unit": (5, True, []),
    "mode": (5, True, []),
    "modality": (5, True, []),
    "tokenBudget": (0, -1, 1.5, "9", True),
    "includeText": ("true", 1, 0, []),
    "cursor": (5, True, "", "x", "x" * 513),
    "sessionId": (5, True, "x" * 257),
    "seed": (1.5, "1", True, 2**63),
    "strict": ("false", 0, 1, []),
    "x-errata-subject": (5, "", " ", "x" * 1_025, "a\u0000"),
    "x-errata-include-shared": ("true", 1),
    "fusion": (5, "rrf", True, []),
    "mmr": (0.5, True, []),
    "recency": (30, "timestamp", []),
    "level": (1.5, True, [], {}),
    "indexVersion": (5, True, {}),
    "rerank": (True, "cross-encoder", 5, []),
    "rewrite": (True, 5, {}),
    "includeVectors": ("true", 1, 0),
}
#: The same inside of a param, by the path that is named.
MALFORMED_INSIDE: Final[dict[str, dict[str, Any]]] = {
    "query.text": {"query": {"type": "text"}},
    "query.type": {"query": {"text": "x"}},
    "query.uri": {"query": {"type": "text", "uri": "https://a.example"}},
    "query[1]": {"query": [BLOCK, "x"]},
    "query[1].text": {"query": [BLOCK, {"type": "text", "text": 5}]},
    "query[0].uri": {"query": [{"type": "image", "mimeType": "image/png", "uri": "file:///x"}]},
    "fusion.method": {"fusion": {"method": 5}},
    "fusion.weights.dense": {"fusion": {"weights": {"dense": "x"}}},
    "fusion.rrfK": {"fusion": {"rrfK": 0}},
    "mmr.lambda": {"mmr": {"lambda": 2}},
    "recency.halfLifeDays": {"recency": {"halfLifeDays": 0}},
    "rerank.topN": {"rerank": {"topN": 0}},
    "rerank.method": {"rerank": {"method": []}},
}
#: What is well-formed and not supported, by the option that is named.
UNSUPPORTED: Final[dict[str, Any]] = {
    "unit": "passage",
    "mode": "dense",
    "modality": "image",
    "fusion": {"method": "rrf"},
    "mmr": {"lambda": 0.5},
    "recency": {"field": "recordedAt", "halfLifeDays": 30},
    "level": 0,
    "indexVersion": "v7",
    "rerank": {"method": "cross-encoder", "topN": 10},
    "rewrite": "hyde",
    "includeVectors": True,
}


def retract(actor: Actor, record: AssertedRecord) -> None:
    """Believe a record no more."""
    drafts = [RetractionDraft(record_id=record.id, expected_version=record.version)]
    retract_records(actor=fresh(actor), retractions=drafts)


def refusal(rcp: Client, **params: Any) -> tuple[int, str]:
    """Code and named field of a refused retrieve."""
    error = rcp.error("retrieve", {"query": MARKER, **params})
    return error["code"], error["data"]["field"]


# --- Params --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_param_is_refused_by_name(name: str, rcp: Client) -> None:
    for value in MALFORMED[name]:
        for strict in ({}, {"strict": False} if name != "strict" else {}):
            code, field = refusal(rcp, **{**strict, name: value})
            assert (code, field.partition("[")[0]) == (-32602, name), value


@pytest.mark.parametrize("path", MALFORMED_INSIDE)
def test_a_malformed_member_is_refused_by_path(path: str, rcp: Client) -> None:
    assert refusal(rcp, **MALFORMED_INSIDE[path]) == (-32602, path)


def test_a_refusal_shows_no_value(rcp: Client) -> None:
    error = rcp.error("retrieve", {"query": "x", "k": "quagga-7"})

    assert error["message"] == 'Param "k" must be an integer from 1.'
    assert "quagga" not in str(error)


def test_the_query_is_required(rcp: Client) -> None:
    for params in (None, {}, {"query": None}, {"k": 3}):
        error = rcp.error("retrieve", params)
        assert (error["code"], error["data"]["field"]) == (-32602, "query")


def test_null_means_absent(rcp: Client) -> None:
    names = [name for name in MALFORMED if name != "query"]

    assert rcp.hits("test", **dict.fromkeys(names)) == []


@pytest.mark.usefixtures("records")
def test_a_query_is_a_string_a_block_or_blocks(rcp: Client) -> None:
    expected = rcp.hits(MARKER)

    assert len(expected) == 10
    for query in (BLOCK, [BLOCK], {**BLOCK, "uri": None, "new": 1}):
        assert rcp.result("retrieve", {"query": query})["hits"] == expected
    together = rcp.result("retrieve", {"query": [BLOCK, {"type": "text", "text": "nowhere"}]})
    assert together["hits"] == rcp.hits(f"{MARKER}\nnowhere")


def test_blocks_are_joined_before_they_are_measured(rcp: Client) -> None:
    half = {"type": "text", "text": "x" * 4_096}

    assert refusal(rcp, query=[half, half]) == (-32602, "query")
    assert refusal(rcp, query=[{"type": "text", "text": " "}]) == (-32602, "query")
    assert rcp.result("retrieve", {"query": [{"type": "text", "text": ""}, BLOCK]})["hits"] == []


def test_a_block_of_another_type_is_not_supported(rcp: Client) -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "aGk="}

    for strict in (True, False):
        error = rcp.error("retrieve", {"query": [BLOCK, image], "strict": strict})
        assert error["code"] == -32005
        assert error["data"] == {"option": "query", "field": "query[1].type"}


# --- Options and funnel --------------------------------------------------------------------------


@pytest.mark.parametrize("option", UNSUPPORTED)
def test_what_is_not_supported_is_refused_or_left_out(option: str, rcp: Client) -> None:
    params = {"query": MARKER, option: UNSUPPORTED[option]}
    error = rcp.error("retrieve", params)
    assert error["code"] == -32005
    assert error["data"] == {"option": option, "field": option}

    result = rcp.result("retrieve", {**params, "strict": False})

    assert [note.partition(" ")[0] for note in result["usage"]["notes"]] == [option]


def test_the_one_value_there_is_may_be_named(rcp: Client) -> None:
    params = {"unit": "triplet", "mode": "sparse", "modality": "text", "includeVectors": False}

    found = rcp.result("retrieve", {"query": "test", "rerank": False, "rewrite": False, **params})

    assert found == {"hits": [], "usage": {"candidates": 0, "reranked": 0}}


def test_a_seed_is_noted(rcp: Client) -> None:
    notes = rcp.result("retrieve", {"query": "test", "seed": 7, "sessionId": "s"})["usage"]["notes"]

    assert notes == ["seed has no effect: ranking has no random step."]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"k": 10, "candidateK": 2}, "candidateK"),
        ({"candidateK": 9}, "candidateK"),
        ({"k": 1200, "candidateK": 1000}, "candidateK"),
        ({"k": 10, "rerank": {"topN": 9}}, "rerank.topN"),
        ({"k": 5, "candidateK": 8, "rerank": {"topN": 9}}, "rerank.topN"),
        ({"k": 10, "candidateK": 2, "mode": "dense", "strict": False}, "candidateK"),
        ({"k": 10, "candidateK": 2, "mode": "dense"}, "candidateK"),
    ],
)
def test_each_stage_passes_on_no_more_than_it_gets(
    params: dict[str, Any], field: str, rcp: Client
) -> None:
    assert refusal(rcp, **params) == (-32602, field)


def test_a_funnel_that_narrows_is_fine(rcp: Client) -> None:
    params = {"k": 5, "candidateK": 9, "rerank": {"topN": 7}, "strict": False}

    assert rcp.hits("test", **params) == []
    assert rcp.hits("test", k=10**30, candidateK=10**31) == []


def test_what_is_malformed_comes_before_what_is_not_supported(rcp: Client) -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "aGk="}
    unknown = {"field": "kind", "op": "near", "value": "x"}

    assert refusal(rcp, mode="dense", seed="x") == (-32602, "seed")
    assert refusal(rcp, query=[image], k=0) == (-32602, "k")
    assert refusal(rcp, filter=unknown, tokenBudget=0) == (-32602, "tokenBudget")
    assert refusal(rcp, filter=unknown, mode="dense") == (-32005, "filter.kind")


# --- Hits ----------------------------------------------------------------------------------------


def test_a_hit_says_what_it_rests_on(rcp: Client, agent: Actor) -> None:
    origin = Origin("web", "https://a.example/quagga", "1")
    record = a_record(agent, origin=origin, confidence=0.5)

    [hit] = rcp.hits(MARKER)

    row = Record.objects.get()
    assert hit["id"] == f"{record.id}@{record.version}"
    assert hit["text"] == row.statement
    assert (hit["unit"], hit["modality"]) == ("triplet", "text")
    assert hit["scores"] == {
        "relevance": 1, "trust": 0.333333, "recency": 1, "utility": 0.5, "conflict": 1,
        "confidence": 0.5,
    }  # fmt: skip
    assert hit["score"] == Components(1, 0.333333, 1, 0.5, 1, 0.5).score
    assert hit["citation"] == {
        "source": str(record.source_id),
        "title": "https://a.example/quagga",
        "uri": "https://a.example/quagga",
        "start": 0,
        "end": len(row.statement.encode()),
    }
    assert hit["provenance"] == {
        "path": [row.subject, row.predicate, row.object],
        "leaves": [str(record.source_id)],
    }
    assert hit["trust"] == {"level": "community", "score": 0.333333}
    meta = hit["meta"]
    assert meta["citations"] == [
        {
            "source": str(record.source_id),
            "relation": "supports",
            "quote": row.statement,
            "start": 0,
            "end": len(row.statement.encode()),
        }
    ]
    assert (meta["recordId"], meta["version"]) == (str(record.id), str(record.version))
    assert (meta["versionNumber"], meta["status"], meta["kind"]) == (1, "current", "semantic_fact")
    assert (meta["trust"], meta["confidence"], meta["disputed"]) == ("asserted", 0.5, False)
    assert "validUntil" not in meta


@pytest.mark.parametrize("ref", [None, "ftp://a.example", "javascript:alert(1)", "a paper"])
def test_only_addresses_of_the_web_are_links(ref: str | None, rcp: Client, agent: Actor) -> None:
    a_record(agent, origin=Origin("web", ref, "1"))

    [hit] = rcp.hits(MARKER)

    assert "uri" not in hit["citation"]
    assert hit["citation"].get("title") == ref


def a_row(trust: Trust, *, is_disputed: bool = False, until: datetime | None = None) -> HitRow:
    """A hit that rests on nothing."""
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    record = Candidate(
        id=uuid4(),
        version=uuid4(),
        subject="a",
        predicate="b",
        object="c",
        statement="d",
        kind="decision",
        confidence=1.0,
        trust=trust,
        is_disputed=is_disputed,
        observer_name=None,
        source_role="user",
        valid_from=noon,
        valid_until=until,
        known_from=noon,
        cited=(),
        relevance=1.0,
    )
    parts = Components(1.0, trust.value / 3, 1.0, 0.5, 1.0, 1.0)
    return HitRow(
        record=record,
        components=parts,
        score=0.5,
        version_number=1,
        recorded_at=noon,
        citations=(),
    )


def test_levels_of_trust_are_named_as_rcp_does() -> None:
    hits = [hit_of(a_row(trust), include_text=True) for trust in Trust]

    assert [hit["trust"]["level"] for hit in hits] == [
        *("untrusted", "community", "community", "trusted")
    ]
    assert [hit["trust"]["score"] for hit in hits] == [0, 1 / 3, 2 / 3, 1]
    disputed = hit_of(a_row(Trust.POLICY_APPROVED, is_disputed=True), include_text=True)
    assert disputed["trust"] == {"level": "untrusted", "score": 1}
    for hit in (*hits, disputed):
        assert_valid(hit, "Hit")


def test_a_hit_has_what_there_is() -> None:
    later = datetime(2027, 1, 1, tzinfo=UTC)

    hit = hit_of(a_row(Trust.ASSERTED, until=later), include_text=True)

    assert hit["meta"]["validUntil"] == "2027-01-01T00:00:00.000000Z"
    assert "citation" not in hit
    assert hit["provenance"] == {"path": ["a", "b", "c"], "leaves": []}


@pytest.mark.usefixtures("records")
def test_texts_can_be_left_out(rcp: Client) -> None:
    hits = rcp.hits(MARKER, includeText=False)

    assert len(hits) == 10
    assert not [hit for hit in hits if "text" in hit]


@pytest.mark.usefixtures("records")
def test_low_scores_can_be_left_out(rcp: Client) -> None:
    scores = [hit["score"] for hit in rcp.hits(MARKER, k=12)]

    assert rcp.hits(MARKER, minScore=scores[0] + 0.1) == []
    assert len(rcp.hits(MARKER, k=12, minScore=scores[5])) >= 6
    assert len(rcp.hits(MARKER, k=12, minScore=-5)) == 12


def test_closed_records_are_no_hits(rcp: Client, agent: Actor) -> None:
    gone, corrected = some_records(agent, 2)
    retract(agent, gone)
    correct_records(
        actor=fresh(agent),
        corrections=[
            Correction(
                record_id=corrected.id,
                expected_version=corrected.version,
                object=f"New {MARKER}",
                statement=f"It moved, the {MARKER}.",
            )
        ],
    )

    [hit] = rcp.hits(MARKER)

    assert hit["text"] == f"It moved, the {MARKER}."


def test_nobody_sees_another_project_or_person(
    rcp: Client, call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    about_nobody = a_record(agent)
    about_ada = a_record(agent, data_subject="ada")
    a_record(foreigner.actor)

    def found(client: Client, **params: Any) -> set[str]:
        return {hit["meta"]["recordId"] for hit in client.hits(MARKER, **params)}

    both = {str(about_nobody.id), str(about_ada.id)}
    ada = {"x-errata-subject": "ada"}
    assert found(rcp) == {str(about_nobody.id)}
    assert found(rcp, **ada) == {str(about_ada.id)}
    assert found(rcp, **ada, **{"x-errata-include-shared": True}) == both
    assert found(rcp, **{"x-errata-subject": "bob"}) == set()
    strangers = found(Client(HttpDoor(call, token=foreigner.token)), **ada)
    assert strangers == set()
    assert len(found(Client(HttpDoor(call, token=foreigner.token)))) == 1


# --- Budgets -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("records")
def test_hits_are_taken_until_the_next_text_would_pass_the_budget(rcp: Client) -> None:
    everything = rcp.result("retrieve", {"query": MARKER, "k": 12})
    costs = [-(-len(hit["text"].encode()) // 3) for hit in everything["hits"]]
    assert "tokens" not in everything["usage"]

    for taken in (1, 5, 12):
        for budget in (sum(costs[:taken]), sum(costs[: taken + 1]) - 1):
            if taken == 12:
                budget += 1_000
            found = rcp.result("retrieve", {"query": MARKER, "k": 12, "tokenBudget": budget})
            assert found["hits"] == everything["hits"][:taken]
            assert found["usage"]["tokens"] == sum(costs[:taken])
            assert ("nextCursor" in found) == (taken < 12)


@pytest.mark.usefixtures("records")
def test_a_budget_too_small_for_one_hit_is_noted_and_has_no_next_page(rcp: Client) -> None:
    found = rcp.result("retrieve", {"query": MARKER, "tokenBudget": 1})

    assert found == {
        "hits": [],
        "usage": {
            "candidates": 12,
            "reranked": 0,
            "tokens": 0,
            "notes": ["tokenBudget is too small for the next hit."],
        },
    }
