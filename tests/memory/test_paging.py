"""A page is cut from one row more than it shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import pytest

from memory.paging import Page, Seek


@dataclass(frozen=True)
class Row:
    """A row with a place."""

    recorded_at: datetime
    id: UUID


ROWS = [Row(datetime(2026, 11, 30, tzinfo=UTC), UUID(int=number)) for number in range(4)]
BOUND = Seek(datetime(2020, 1, 1, tzinfo=UTC), UUID(int=9))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_page_that_is_not_over_full_is_the_last(number: int) -> None:
    page = Page.cut(ROWS[:number], 2)
    assert (page.rows, page.next, page.magnitude) == (tuple(ROWS[:number]), None, number)
    assert not page.is_scan_cut


def test_an_over_full_page_continues_behind_its_last_row() -> None:
    page = Page.cut(ROWS[:3], 2)
    assert page.rows == tuple(ROWS[:2])
    assert page.next == Seek.of(ROWS[1]) == Seek(ROWS[1].recorded_at, ROWS[1].id)
    assert Page.cut(ROWS[:3], 2, bound=BOUND).next == Seek.of(ROWS[1])


def test_a_page_that_a_scan_ended_continues_behind_the_scan() -> None:
    page = Page.cut(ROWS[:1], 2, bound=BOUND)
    assert (page.next, page.is_scan_cut) == (BOUND, True)
