"""One request and one answer per route of the loop, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

from memory.api.examples import ASSERTED_AT, FIRST_VERSION, SOURCE
from memory.http.loop import INSTRUCTIONS

OBSERVATION_ID: Final = "obs_7f6e5d4c3b2a41908f7e6d5c4b3a2918"
CLAIM_ID: Final = "claim_d5ce4657d6b947aa8ade42271b4176f5"
PERSON: Final = "user_x"
SAID: Final = "The smoke run returned 200 application/json."
STATEMENT: Final = "The smoke run returned 200."
HASH: Final = "8c1f5a9e3b7d2460f8e6c4a2907b5d3e1f0a8c6e4b2d9075f3e1c8a6b4d29e07"

TURN: Final[dict[str, Any]] = {
    "idempotency_key": "4493e779-52b5-55e4-b598-8bdca41a4732",
    "data_subject_id": "user_42",
    "occurred_at": "2026-11-30T09:00:00Z",
    "messages": [
        {"role": "user", "content": "I moved to Porto."},
        {"role": "assistant", "content": "Noted."},
    ],
}
STORED_TURN: Final = {"id": SOURCE, "scope": "demo", "log_offset": 17, "replayed": False}

OBSERVATION: Final = {
    "subject_id": PERSON,
    "kind": "tool_result",
    "content": SAID,
    "source": {"type": "smoke", "ref": "run 12"},
    "trust": "verified",
}
STORED_OBSERVATION: Final = {
    "observation_id": OBSERVATION_ID,
    "subject_id": PERSON,
    "project_id": None,
    "workspace_id": None,
    "agent_id": None,
    "run_id": None,
    "kind": "tool_result",
    "trust": "verified",
    "visibility": "organization",
    "content_hash": HASH,
    "occurred_at": None,
    "ingested_at": ASSERTED_AT,
}

_WATERMARK: Final = {"scope": "demo", "stored": 17, "formed": 17, "parked": 0}
FRESHNESS: Final = {**_WATERMARK, "formation": "none"}

ASSEMBLE: Final = {"data_subject_id": "user_42"}
ASSEMBLED: Final = {
    "segments": [],
    "turns": [
        {
            "log_offset": 17,
            "occurred_at": "2026-11-30T09:00:00.000000Z",
            "messages": [{"role": "user", "content": "I moved to Porto."}],
        }
    ],
    "watermark": _WATERMARK,
    "characters": 17,
    "truncated": False,
}

CONSOLIDATE: Final = {
    "subject_id": PERSON,
    "claims": [
        {
            "kind": "episodic_event",
            "statement": STATEMENT,
            "confidence": 0.9,
            "sources": [{"observation_id": OBSERVATION_ID, "relation": "supports"}],
        }
    ],
}
CONSOLIDATED: Final = {
    "subject_id": PERSON,
    "project_id": None,
    "workspace_id": None,
    "model_used": False,
    "claims": [
        {
            "claim_id": CLAIM_ID,
            "record_version": FIRST_VERSION,
            "kind": "episodic_event",
            "status": "active",
            "trust": "verified",
            "visibility": "organization",
            "confidence": 0.9,
            "valid_from": ASSERTED_AT,
            "valid_to": None,
            "evidence_ids": [OBSERVATION_ID],
        }
    ],
}
CONSOLIDATED_META: Final = {"replayed": False, "canonical_replays": 0, "model": "disabled"}

EVIDENCE: Final = {
    "claim": {
        "untrusted": True,
        "claim_id": CLAIM_ID,
        "record_version": FIRST_VERSION,
        "subject_id": PERSON,
        "kind": "episodic_event",
        "claim": STATEMENT,
        "confidence": 0.9,
        "trust": "verified",
        "visibility": "organization",
        "status": "active",
        "version": 1,
        "valid_from": ASSERTED_AT,
        "valid_to": None,
        "created_at": ASSERTED_AT,
    },
    "evidence": {
        "supporting": [
            {
                "untrusted": True,
                "observation_id": OBSERVATION_ID,
                "kind": "tool_result",
                "content": SAID,
                "quote": SAID,
                "content_hash": HASH,
                "source": {"type": "smoke", "ref": "run 12", "id": None},
                "trust": "verified",
                "visibility": "organization",
                "occurred_at": None,
                "ingested_at": ASSERTED_AT,
            }
        ],
        "contradicting": [],
        "qualifying": [],
    },
    "instructions": INSTRUCTIONS,
}
