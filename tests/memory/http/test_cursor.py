"""Cursors: exact places, bound to one list, refused when touched."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from django.conf import LazySettings
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import FieldInvalid
from memory.http.cursor import CursorScope
from memory.paging import Seek
from memory.vocabulary import RecordStatus

ID = UUID("0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90")
AT = datetime(2026, 11, 30, 18, 3, 11, 204518, tzinfo=UTC)
PLACE = Seek(AT, ID)
SCOPE = CursorScope(ID, "feedback:report-list", {"open_only": True, "order": "newest", "path": {}})


def _cursor(scope: CursorScope = SCOPE, place: Seek = PLACE) -> str:
    cursor = scope.sign(place)
    assert cursor is not None
    return cursor


def _assert_refused(cursor: str, scope: CursorScope = SCOPE) -> None:
    with pytest.raises(FieldInvalid) as refused:
        scope.read(cursor)
    assert refused.value.message == (
        'Field "after" must be the cursor of an earlier page of this list.'
    )


def test_a_cursor_is_the_place_to_the_microsecond() -> None:
    assert SCOPE.read(_cursor()) == PLACE
    assert len(_cursor()) < 128


def test_without_a_place_there_is_no_cursor() -> None:
    assert SCOPE.sign(None) is None
    assert SCOPE.read(None) is None


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=2))])), st.uuids())
def test_any_place_survives(time: datetime, row_id: UUID) -> None:
    place = Seek(time, row_id)

    assert SCOPE.read(_cursor(place=place)) == place
    assert len(_cursor(place=place)) <= 512


@pytest.mark.parametrize(
    "other",
    [
        replace(SCOPE, project_id=UUID(int=7)),
        replace(SCOPE, route="memory:record-list"),
        replace(SCOPE, filters={**SCOPE.filters, "open_only": False}),
        replace(SCOPE, filters={**SCOPE.filters, "order": "oldest"}),
        replace(SCOPE, filters={**SCOPE.filters, "path": {"context_id": ID}}),
        replace(SCOPE, filters={}),
    ],
    ids=["project", "route", "filter", "order", "path", "no filters"],
)
def test_a_cursor_of_another_list_is_refused(other: CursorScope) -> None:
    _assert_refused(_cursor(other))
    _assert_refused(_cursor(), other)


def test_filters_are_compared_by_what_they_say_on_the_wire() -> None:
    first = replace(SCOPE, filters={"status": RecordStatus.CURRENT, "id": ID, "at": AT})
    second = replace(SCOPE, filters={"at": AT, "status": "current", "id": str(ID)})

    assert second.read(_cursor(first)) == PLACE


def test_each_flipped_bit_is_noticed() -> None:
    cursor = _cursor().encode()

    for place in range(len(cursor)):
        for bit in range(8):
            flipped = bytearray(cursor)
            flipped[place] ^= 1 << bit
            _assert_refused(flipped.decode("latin-1"))


def test_each_shortened_or_lengthened_cursor_is_refused() -> None:
    cursor = _cursor()

    for length in range(len(cursor)):
        _assert_refused(cursor[:length])
    for longer in (cursor + "=", cursor + "A", " " + cursor, cursor + "\n", cursor * 2):
        _assert_refused(longer)


@pytest.mark.parametrize(
    "text", ["", "x", "word", "\0", "1" * 26, "x.y", "..", "~.", "a~b.c", "x" * 10_000, "é.文"]
)
def test_made_up_cursors_are_refused(text: str) -> None:
    _assert_refused(text)


def test_the_field_that_carried_the_cursor_is_named() -> None:
    with pytest.raises(FieldInvalid) as refused:
        SCOPE.read("x", "before")

    assert refused.value.field == "before"


def test_cursors_survive_the_rotation_of_the_secret_key(settings: LazySettings) -> None:
    cursor = _cursor()
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another " * 8

    assert SCOPE.read(cursor) == PLACE
    settings.SECRET_KEY_FALLBACKS = []
    _assert_refused(cursor)
