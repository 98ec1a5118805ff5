"""One request and one answer per route of recalls, contexts and outcomes, for OpenAPI."""

from __future__ import annotations

from typing import Any, Final

from memory.api.examples import ACTOR, ASSERTED_AT, CHANGED_AT, FIRST_VERSION, RECORD, SOURCE
from memory.api.examples import STATEMENT as CAPITAL
from memory.api.loop_examples import CLAIM_ID, HASH, OBSERVATION_ID, PERSON, STATEMENT
from memory.http.loop import INSTRUCTIONS

CONTEXT_ID: Final = "ctx_5aa8109e55ed41b49cb75f48868cd289"
FEEDBACK_ID: Final = "fb_759a0268e3a84d3b86d07b6590156714"

_BY: Final = {"recorded_by": ACTOR, "recorded_by_kind": "credential", "recorded_via": "api"}

RECALL: Final = {"question": "What is the capital of Burundi?"}
RECALLED: Final[dict[str, Any]] = {
    "controls": {
        "max_characters": 16000,
        "max_rows": 200,
        "source_roles": ["user"],
        "hops": 1,
        "surfaces": ["facts", "reports", "passages"],
        "themes": False,
    },
    "anchors": [],
    "facts": [
        {
            "fact_id": RECORD,
            "version": FIRST_VERSION,
            "subject": "Burundi",
            "predicate": "has_capital",
            "object": "Bujumbura",
            "statement": CAPITAL,
            "confidence": 1,
            "trust": "asserted",
            "valid_from": ASSERTED_AT,
            "valid_until": None,
            "anchored_on": "Burundi",
            "source_role": "user",
            "hops": 1,
            "path": ["Burundi"],
            "via": [],
            "co_derived_with": [],
            "evidence": {
                "observation_id": SOURCE,
                "source_ordinal": 0,
                "quote": CAPITAL,
                "byte_start": 0,
                "byte_end": 36,
                "context": CAPITAL,
                "context_start": 0,
                "context_complete": True,
            },
        }
    ],
    "reports": [],
    "passages": [],
    "truncated": False,
    "characters": 135,
    "degraded": [],
    "reach": {
        "terms": 2,
        "anchored": 1,
        "named_nothing_known": False,
        "facts_per_anchor": {"Burundi": 1},
    },
}

_SCOPE: Final = {
    "subject_id": PERSON,
    "include_shared": False,
    "project_id": None,
    "project_mode": "unscoped",
    "broad_access_reason": None,
    "as_of": CHANGED_AT,
}
_BUDGET: Final = {
    "max_tokens": 900,
    "used_tokens": 163,
    "selected_items": 1,
    "omitted_items": 0,
    "deduplicated_items": 0,
    "unconsolidated_observations": 0,
    "budget_exhausted": False,
}
_COMPONENTS: Final = {
    "relevance": 1,
    "trust": 0.666667,
    "recency": 1,
    "utility": 0.5,
    "conflict": 1,
    "confidence": 0.9,
}
_CLAIM: Final = {
    "untrusted": True,
    "claim_id": CLAIM_ID,
    "record_version": FIRST_VERSION,
    "claim": STATEMENT,
    "kind": "episodic_event",
    "confidence": 0.9,
    "trust": "verified",
    "status": "active",
    "observer_id": None,
    "valid_from": ASSERTED_AT,
    "valid_to": None,
    "evidence_ids": [OBSERVATION_ID],
    "score": 0.795,
    "score_components": _COMPONENTS,
}

COMPILE: Final = {"subject_id": PERSON, "task": "smoke run returned 200", "max_tokens": 900}
COMPILED: Final = {
    "context_id": CONTEXT_ID,
    "context_token": CONTEXT_ID,
    "query": "smoke run returned 200",
    "scope": _SCOPE,
    "budget": _BUDGET,
    "items": [_CLAIM],
    "conflicts": [],
    "policy_snapshot": "errata-rank-1",
    "instructions": INSTRUCTIONS,
}
COMPILED_META: Final = {
    "candidates": 1,
    "query_terms_used": 4,
    "dropped_query_terms": 0,
    "degraded": {
        "version": 1,
        "lexical": "used",
        "semantic": False,
        "vector": "disabled",
        "embedding": "disabled",
        "extraction": "disabled",
        "background_enrichment": "disabled",
        "model": "disabled",
    },
}

_COUNTS: Final = {"used": 0, "useful": 3, "irrelevant": 0, "incorrect": 0, "harmful": 0}
_RUN: Final = {
    "context_id": CONTEXT_ID,
    "task_hash": HASH,
    "scope": _SCOPE,
    "budget": _BUDGET,
    "policy_snapshot": "errata-rank-1",
    "created_at": CHANGED_AT,
    **_BY,
    "recorded_at": CHANGED_AT,
    "outcomes": _COUNTS,
}
RUN: Final = {
    **_RUN,
    "items": [{**_CLAIM, "current_version": FIRST_VERSION, "rank": 1}],
    "conflicts": [],
    "instructions": INSTRUCTIONS,
}
RUNS: Final = {"runs": [_RUN], "next": "eyJ2IjoxfQ.b3BhcXVl"}

OUTCOME: Final = {"outcome": "useful", "claim_id": CLAIM_ID}
OUTCOME_RECORDED: Final = {
    "feedback_id": FEEDBACK_ID,
    "context_id": CONTEXT_ID,
    "claim_id": CLAIM_ID,
    "outcome": "useful",
    "recorded_at": CHANGED_AT,
}
OUTCOMES: Final = {
    "outcomes": [{**OUTCOME_RECORDED, "reason_code": None, "counts": True, **_BY}],
    "next": "eyJ2IjoxfQ.b3BhcXVl",
}
SUMMARY: Final = {
    "claim_id": CLAIM_ID,
    "outcomes": _COUNTS,
    "counted": {"positive": 3, "negative": 0, "total": 3},
    "distinct_actors": 1,
    "minimum_actors": 1,
    "utility": 1,
}
