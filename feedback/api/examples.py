"""One request and one answer per route, for the OpenAPI document (`contract.md` 2)."""

from __future__ import annotations

from typing import Final

REPORT: Final = "8f0a2c4e-6b8d-4f1a-9c3e-5d7b9f1a3c10"
RECORD_ID: Final = "5d8a6a3e-2f5b-4c6a-9a39-0d4f6c3f8a01"
NEW_RECORD_ID: Final = "b1f7f0a2-7c39-4d5e-8c0b-6f2a1d9e4c02"
VERSION: Final = "0c9b1f52-6d1e-4a7f-b8a3-3e5d7c9f1b03"
NEW_VERSION: Final = "e2a4c6d8-1b3d-4f5a-8c7e-9d0b2a4c6e05"
ACTOR: Final = "c4e6a8b0-9d7f-4e5c-8b3a-2f1d0c9e8b07"
NOTE: Final = "The capital moved to Gitega in 2019."

_REPORT: Final = {
    "id": REPORT,
    "record_id": RECORD_ID,
    "record_version": VERSION,
    "note": NOTE,
    "proposed_object": "Gitega",
    "recorded_by": ACTOR,
    "recorded_by_kind": "credential",
    "recorded_via": "api",
    "recorded_at": "2026-11-30T18:00:00.000000Z",
}

RECORD: Final = {"record_id": RECORD_ID, "note": NOTE, "proposed_object": "Gitega"}
RECORDED: Final = {**_REPORT, "replayed": False}
LIST: Final = {"open_only": True, "limit": 20}
LISTED: Final = {
    "feedback": [
        {
            **_REPORT,
            "reporter_subject_id": None,
            "ready": True,
            "target": {
                "status": "current",
                "version": VERSION,
                "closed_at": None,
                "subject": "Burundi",
                "predicate": "has_capital",
                "object": "Bujumbura",
                "statement_preview": "The capital of Burundi is Bujumbura.",
            },
        }
    ],
    "next": "5f3e2d1c0b~8f0a2c4e6b8d4f1a9c3e5d7b9f1a3c10.b3BhcXVl",
}
PROMOTE: Final = {"id": REPORT, "expected_version": VERSION}
PROMOTED: Final = {
    "id": REPORT,
    "record_id": RECORD_ID,
    "operation": "record.correct",
    "replacement_record_id": NEW_RECORD_ID,
    "version": NEW_VERSION,
    "promoted_at": "2026-11-30T18:03:11.204518Z",
    "closed_reports": 1,
    "replayed": False,
}
