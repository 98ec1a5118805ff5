"""One request and one answer per route, for the OpenAPI document (`contract.md` 1)."""

from __future__ import annotations

from typing import Any, Final

RECORD: Final = "5d8a6a3e-2f5b-4c6a-9a39-0d4f6c3f8a01"
NEW_RECORD: Final = "b1f7f0a2-7c39-4d5e-8c0b-6f2a1d9e4c02"
FIRST_VERSION: Final = "0c9b1f52-6d1e-4a7f-b8a3-3e5d7c9f1b03"
SECOND_VERSION: Final = "91c0a3f7-58d2-4e6b-9f10-2b4c6d8e0f04"
NEW_VERSION: Final = "e2a4c6d8-1b3d-4f5a-8c7e-9d0b2a4c6e05"
SOURCE: Final = "7f6e5d4c-3b2a-4190-8f7e-6d5c4b3a2918"
NEW_SOURCE: Final = "3a5c7e91-2d4f-4b6a-8c0e-1f3d5b7a9c06"
ACTOR: Final = "c4e6a8b0-9d7f-4e5c-8b3a-2f1d0c9e8b07"
OPERATION: Final = "e5d3a330-e243-43df-af34-c45d35955bbc"
REQUEST: Final = "req_e5d3a330e24343dfaf34c45d35955bbc"
ASSERTED_AT: Final = "2026-11-30T17:00:00.000000Z"
CHANGED_AT: Final = "2026-11-30T18:03:11.204518Z"
STATEMENT: Final = "The capital of Burundi is Bujumbura."

_BY: Final = {"recorded_by": ACTOR, "recorded_by_kind": "credential", "recorded_via": "api"}
_TRIPLE: Final = {"subject": "Burundi", "predicate": "has_capital", "object": "Bujumbura"}
_NO_ENTITIES: Final = {"subject_entity_id": None, "object_entity_id": None}


def _interval(until: str | None = None) -> dict[str, Any]:
    return {
        "from": ASSERTED_AT,
        "until": until,
        "from_inclusive": True,
        "until_inclusive": False,
    }


_RETRACTION: Final = {
    "operation_id": OPERATION,
    "principal_id": ACTOR,
    "retracted_at": CHANGED_AT,
    "replacement_record_id": NEW_RECORD,
    "replacement_source_observation_id": NEW_SOURCE,
}

ASSERT: Final = {
    "records": [
        {
            "idempotency_key": "2b1d4f6a-8c0e-4a2c-9e6b-5d7f9a1c3e08",
            **_TRIPLE,
            "statement": STATEMENT,
            "source": {
                "type": "dataset",
                "ref": "countryinfo 1.0.1 BI",
                "id": "countryinfo-1.0.1:BI:has_capital",
            },
        }
    ]
}
ASSERTED: Final = {
    "records": [
        {
            "id": RECORD,
            "version": FIRST_VERSION,
            "source_observation_id": SOURCE,
            "replayed": False,
            "status": "current",
        }
    ],
    "replayed": False,
}
CORRECT: Final = {
    "records": [
        {
            "id": RECORD,
            "expected_version": FIRST_VERSION,
            "object": "Gitega",
            "statement": "Gitega has been the capital since 2019.",
        }
    ]
}
CORRECTED: Final = {
    "records": [
        {
            "original_id": RECORD,
            "original_version": SECOND_VERSION,
            "id": NEW_RECORD,
            "version": NEW_VERSION,
            "source_observation_id": NEW_SOURCE,
        }
    ],
    "replayed": False,
}
RETRACT: Final = {"records": [{"id": RECORD, "expected_version": FIRST_VERSION}]}
RETRACTED: Final = {
    "records": [
        {
            "id": RECORD,
            "version": SECOND_VERSION,
            "operation_id": OPERATION,
            "principal_id": ACTOR,
            "retracted_at": CHANGED_AT,
        }
    ],
    "replayed": False,
}
LIST: Final = {"predicate": "has_capital", "status": "current", "limit": 1}
LISTED: Final = {
    "records": [
        {
            "id": RECORD,
            "version": FIRST_VERSION,
            **_NO_ENTITIES,
            **_TRIPLE,
            "statement_preview": STATEMENT,
            "statement_bytes": 36,
            "preview_truncated": False,
            "kind": "semantic_fact",
            "confidence": 1,
            "trust": "asserted",
            "disputed": False,
            "data_subject_id": None,
            "source_role": "user",
            "recorded_at": ASSERTED_AT,
            "status": "current",
        }
    ],
    "next": "5f3e2d1c0b~5d8a6a3e2f5b4c6a9a390d4f6c3f8a01.b3BhcXVl",
}
GET: Final = {"id": RECORD}
GOT: Final = {
    "id": RECORD,
    "version": SECOND_VERSION,
    "version_number": 2,
    "scope": "demo",
    **_NO_ENTITIES,
    **_TRIPLE,
    "statement": STATEMENT,
    "kind": "semantic_fact",
    "confidence": 1,
    "trust": "asserted",
    "disputed": False,
    "data_subject_id": None,
    "source_role": "user",
    "status": "superseded",
    "valid": _interval(),
    "known": _interval(CHANGED_AT),
    "replaces": None,
    "replaced_by": NEW_RECORD,
    "single_valued": True,
    "citations": 1,
    "open_reports": 0,
    "retraction": _RETRACTION,
    **_BY,
    "recorded_at": ASSERTED_AT,
}
HISTORY: Final = {"id": RECORD}
HISTORY_GOT: Final = {
    "id": RECORD,
    "version": SECOND_VERSION,
    "current": {"valid": _interval(), "known": _interval(CHANGED_AT)},
    "retraction": _RETRACTION,
    "previous": [
        {
            "history_id": FIRST_VERSION,
            "version_number": 1,
            "change": "record.assert",
            "status": "current",
            "valid": _interval(),
            "known": _interval(CHANGED_AT),
            "ended_by_observation_id": NEW_SOURCE,
            "request_id": REQUEST,
            **_BY,
            "recorded_at": ASSERTED_AT,
        }
    ],
    "versions": [
        {
            "version": SECOND_VERSION,
            "version_number": 2,
            "change": "record.correct",
            "status": "superseded",
            "valid": _interval(),
            "known": _interval(CHANGED_AT),
            "request_id": REQUEST,
            **_BY,
            "recorded_at": CHANGED_AT,
        },
    ],
}
RESOLVE: Final = {"id": RECORD}
RESOLVED: Final = {
    "id": RECORD,
    "version": FIRST_VERSION,
    "scope": "demo",
    **_NO_ENTITIES,
    **_TRIPLE,
    "statement": STATEMENT,
    "confidence": 1,
    "trust": "asserted",
    "source_role": "user",
    "recorded_at": ASSERTED_AT,
    "valid": _interval(),
    "known": _interval(),
    "status": "current",
    "evidence": [
        {
            "source_observation_id": SOURCE,
            "source_ordinal": 0,
            "log_offset": 17,
            "relation": "supports",
            "role": "user",
            "source_kind": "curated",
            "source_type": "dataset",
            "source_ref": "countryinfo 1.0.1 BI",
            "source_trust": "asserted",
            "authored_by": ACTOR,
            "occurred_at": ASSERTED_AT,
            "quote": STATEMENT,
            "byte_start": 0,
            "byte_end": 36,
            "extractor_version": "curated/v1",
            "context": STATEMENT,
            "context_byte_start": 0,
            "context_byte_end": 36,
            "context_complete": True,
        }
    ],
}
