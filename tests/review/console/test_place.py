from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from feedback.vocabulary import Order
from memory.errors import FieldInvalid
from memory.paging import Seek
from review.console.place import Place, place_of_origin, place_of_query
from review.vocabulary import QueueView

PROJECT = UUID("6c1f6fb8-57a2-4ba9-8f0e-1f6f0f1a2b3c")
OTHER = UUID("7c1f6fb8-57a2-4ba9-8f0e-1f6f0f1a2b3c")
SEEK = Seek(
    datetime(2026, 11, 30, 18, 3, 11, 204518, tzinfo=UTC),
    UUID("91c0a3f7-2f0e-4b52-9a44-0c6d1b9a7e55"),
)
PLACES = [
    replace(Place.of_view(view), order=order, size=size, after=after)
    for view in QueueView
    for order in Order
    for size in (20, 100)
    for after in (None, SEEK)
]


@pytest.mark.parametrize("place", PLACES)
def test_a_place_survives_an_address_and_a_form(place: Place) -> None:
    assert place_of_query(place.query(PROJECT), PROJECT) == place
    assert place_of_origin(place.sign(PROJECT), PROJECT) == place


def test_the_default_place_needs_no_parameter() -> None:
    assert Place().query(PROJECT) == {}
    assert Place().sign(PROJECT) == ""
    assert place_of_query({}, PROJECT) == Place()


@pytest.mark.parametrize(("view", "order"), [("open", "oldest"), ("changed", "newest")])
def test_every_view_has_an_order_of_its_own(view: str, order: str) -> None:
    assert place_of_query({"view": view}, PROJECT).order == order


def test_an_origin_that_we_did_not_sign_falls_back_to_the_default_view() -> None:
    origin = Place.of_view(QueueView.ALL).sign(PROJECT)
    for text in (None, "", "x", "all~newest~20", origin[:-1], f"{origin}x", f"ready{origin}"):
        assert place_of_origin(text, PROJECT) == Place()
    assert place_of_origin(origin, OTHER) == Place()


@pytest.mark.parametrize(
    "query",
    [
        {"view": "triage"},
        {"order": "random"},
        {"size": "19"},
        {"size": "1e9"},
        {"after": "nonsense"},
        {"after": ""},
    ],
)
def test_an_address_that_no_link_of_ours_has_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(FieldInvalid):
        place_of_query(query, PROJECT)


def test_a_cursor_fits_its_own_project_view_and_order_alone() -> None:
    cursor = Place(after=SEEK).query(PROJECT)["after"]
    assert place_of_query({"after": cursor, "size": "50"}, PROJECT).after == SEEK
    for query in ({"view": "all"}, {"order": "newest"}):
        with pytest.raises(FieldInvalid):
            place_of_query({"after": cursor, **query}, PROJECT)
    with pytest.raises(FieldInvalid):
        place_of_query({"after": cursor}, OTHER)
