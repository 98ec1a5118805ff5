"""Fingerprints of calls: what counts as the same call."""

from __future__ import annotations

from typing import Any

import pytest

from memory.keys import fingerprint

BODY: dict[str, Any] = {"id": "a", "records": [{"object": "é", "confidence": 1}]}


@pytest.mark.parametrize(
    "other",
    [
        {"records": [{"confidence": 1, "object": "é"}], "id": "a"},
        {"id": "a", "records": [{"object": "é", "confidence": 1, "valid_from": None}]},
        {"id": "a", "records": [{"object": "é", "confidence": 1.0}], "note": None},
    ],
)
def test_order_nulls_and_spelling_of_numbers_do_not_matter(other: dict[str, Any]) -> None:
    assert fingerprint("POST", "route", other) == fingerprint("POST", "route", BODY)


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"id": "a", "records": [{"object": "e\u0301", "confidence": 1}]},
        {"id": "a", "records": [{"object": "é", "confidence": True}]},
        {"id": "a", "records": [{"object": "é", "confidence": "1"}]},
        {"id": "a", "records": [{"object": "é", "confidence": 0.5}]},
        {"id": "a", "records": [{"object": "é", "confidence": 1}, None]},
    ],
)
def test_any_other_content_matters(other: dict[str, Any]) -> None:
    assert fingerprint("POST", "route", other) != fingerprint("POST", "route", BODY)


def test_method_route_and_the_ids_in_the_path_matter() -> None:
    calls = {
        fingerprint("POST", "route", BODY),
        fingerprint("PUT", "route", BODY),
        fingerprint("POST", "other", BODY),
        fingerprint("POST", "route", BODY, {"context_id": "1"}),
        fingerprint("POST", "route", BODY, {"context_id": "2"}),
    }

    assert len(calls) == 5
    assert all(len(digest) == 32 for digest in calls)
