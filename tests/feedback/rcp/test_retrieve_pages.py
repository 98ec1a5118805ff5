"""Pages of `retrieve`: cursors that fix an instant and fit one search (`protocols.md` 1.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest
import time_machine

from memory.actor import Actor
from memory.operations.retract_records import RetractionDraft, retract_records
from tests.factories import MARKER, fresh, some_records
from tests.rcp import Client, HttpDoor
from tests.wire import Foreigner, InProcess

pytestmark = pytest.mark.django_db


def refusal(rcp: Client, **params: Any) -> tuple[int, str]:
    """Code and named field of a refused retrieve."""
    error = rcp.error("retrieve", {"query": MARKER, **params})
    return error["code"], error["data"]["field"]


def pages(rcp: Client, **params: Any) -> list[list[str]]:
    """The ids of all pages of a search."""
    found: list[list[str]] = []
    cursor = None
    while True:
        result = rcp.result("retrieve", {"query": MARKER, "cursor": cursor, **params})
        found.append([hit["id"] for hit in result["hits"]])
        cursor = result.get("nextCursor")
        if cursor is None:
            return found


@pytest.mark.usefixtures("records")
@pytest.mark.parametrize("k", [1, 5, 6, 12, 13])
def test_pages_hold_each_candidate_once_in_order(k: int, rcp: Client) -> None:
    found = pages(rcp, k=k)

    assert [id_ for page in found for id_ in page] == [hit["id"] for hit in rcp.hits(MARKER, k=12)]
    assert [len(page) for page in found[:-1]] == [k] * (len(found) - 1)
    assert 1 <= len(found[-1]) <= k


@pytest.mark.usefixtures("records")
def test_pages_end_with_the_candidates(rcp: Client) -> None:
    assert [len(page) for page in pages(rcp, k=3, candidateK=5)] == [3, 2]
    assert [len(page) for page in pages(rcp, k=3, filter=FILTER)] == [3, 3, 3, 3]


FILTER: Final = {"field": "predicate", "op": "eq", "value": "meets_in"}


def test_a_cursor_fixes_the_instant_of_the_first_page(rcp: Client, agent: Actor) -> None:
    some_records(agent, 4)
    first = rcp.result("retrieve", {"query": MARKER, "k": 2})
    some_records(agent, 4)  # valid from now on, so not at the instant of the first page

    cursor = first["nextCursor"]
    second = rcp.result("retrieve", {"query": MARKER, "k": 2, "cursor": cursor})

    assert "nextCursor" not in second
    assert len(rcp.hits(MARKER, k=20)) == 8


@pytest.mark.usefixtures("records")
def test_a_cursor_fits_its_search_alone(
    rcp: Client, call: InProcess, agent_ro_token: str, foreigner: Foreigner
) -> None:
    params = {"query": MARKER, "k": 3, "filter": FILTER}
    cursor = rcp.result("retrieve", params)["nextCursor"]
    assert len(rcp.result("retrieve", {**params, "cursor": cursor})["hits"]) == 3

    others: tuple[dict[str, Any], ...] = (
        {"query": f"{MARKER} "},
        {"k": 4},
        {"candidateK": 100},
        {"filter": None},
        {"filter": {**FILTER, "op": "ne"}},
        {"minScore": 0.1},
        {"tokenBudget": 500},
        {"includeText": False},
        {"x-errata-subject": "ada"},
        {"x-errata-include-shared": True},
    )
    for change in others:
        assert refusal(rcp, **{**params, "cursor": cursor, **change}) == (-32602, "cursor")
    hints: tuple[dict[str, Any], ...] = (
        *({"sessionId": "x"}, {"seed": 5}, {"_meta": {}}, {"new": 1}, {"mode": "sparse"}),
    )
    for change in hints:
        assert rcp.result("retrieve", {**params, "cursor": cursor, **change})["hits"]
    stranger = Client(HttpDoor(call, token=foreigner.token))
    assert refusal(stranger, **{**params, "cursor": cursor}) == (-32602, "cursor")
    colleague = Client(HttpDoor(call, token=agent_ro_token))
    assert colleague.result("retrieve", {**params, "cursor": cursor})["hits"]


@pytest.mark.usefixtures("records")
def test_a_forged_cursor_is_refused(rcp: Client) -> None:
    params = {"k": 3}
    cursor = rcp.result("retrieve", {"query": MARKER, **params})["nextCursor"]

    assert MARKER not in cursor
    for forged in (cursor[:-1], cursor + "A", cursor[1:], cursor.swapcase(), "a.b.c", "🦓"):
        assert refusal(rcp, **params, cursor=forged) == (-32602, "cursor")


@pytest.mark.usefixtures("records")
def test_a_cursor_is_good_for_an_hour(rcp: Client) -> None:
    params = {"query": MARKER, "k": 3}
    with time_machine.travel("2026-12-01T12:00:00Z", tick=False) as clock:
        cursor = rcp.result("retrieve", params)["nextCursor"]
        clock.shift(timedelta(hours=1))
        assert rcp.result("retrieve", {**params, "cursor": cursor})["hits"]
        clock.shift(timedelta(seconds=1))
        error = rcp.error("retrieve", {**params, "cursor": cursor})
        forged = rcp.error("retrieve", {**params, "cursor": cursor[:-1]})

    assert (error["code"], error["data"]) == (-32015, {"field": "cursor"})
    assert forged["code"] == -32602


def test_a_record_closed_between_pages_is_on_none_of_the_later_ones(
    rcp: Client, agent: Actor
) -> None:
    records = {str(record.id): record for record in some_records(agent, 6)}
    params = {"query": MARKER, "k": 2}
    whole = [hit["meta"]["recordId"] for hit in rcp.hits(MARKER)]
    cursor = rcp.result("retrieve", params)["nextCursor"]
    gone = records[whole[2]]
    drafts = [RetractionDraft(record_id=gone.id, expected_version=gone.version)]
    retract_records(actor=fresh(agent), retractions=drafts)

    found = rcp.result("retrieve", {**params, "cursor": cursor})["hits"]

    assert whole[2] not in [hit["meta"]["recordId"] for hit in found]


@pytest.mark.usefixtures("records")
def test_equal_retrieves_are_equal_to_the_byte(call: InProcess) -> None:
    frame = {"jsonrpc": "2.0", "id": 1, "method": "retrieve", "params": {"query": MARKER, "k": 12}}
    answers = [HttpDoor(call).post("/retrieve", frame).content for _ in range(3)]

    assert len(set(answers)) == 1
