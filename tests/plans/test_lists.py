"""Lists read what they show: by index, in order, the same at 10,000 and at 200,000 reports.

Rules: `style.md` 9, `assurance.md` P1 and P2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

import pytest
from django.core.management import call_command

from feedback.queries.reports import list_reports
from feedback.vocabulary import Order, Queue
from memory.queries.records import RecordFilter, list_records
from memory.vocabulary import SCANNED_ROWS, RecordKind, RecordStatus, Trust
from tests.factories import a_project, fresh
from tests.factories.bulk import REPORTS_PER_RECORD, bulk_place, bulk_reports, settle
from tests.plans.explained import Explained, explain

if TYPE_CHECKING:
    from uuid import UUID

    from pytest_django import DjangoDbBlocker

    from memory.actor import Actor
    from memory.paging import Seek

pytestmark = [
    pytest.mark.django_db,  # else nobody makes the database that `plans` fills
    pytest.mark.plans,
    pytest.mark.slow,
    pytest.mark.timeout(120),
]

SMALL, LARGE = 10_000, 200_000
LIMIT: Final = 20
PAGE_BUFFERS: Final = 40
GROWTH: Final = 10

#: Record 0 has a tenth of all reports; record 8 is retracted and has one promoted report.
BUSY, CLOSED = 0, 8

#: queue, number of the one record or None, index, rows that a filter may remove
REPORT_LISTS: Final[dict[str, tuple[Queue, int | None, str, int]]] = {
    "all": (Queue.ALL, None, "feedback_report_all_idx", 0),
    "open": (Queue.OPEN, None, "feedback_report_open_idx", 0),
    "ready": (Queue.READY, None, "feedback_report_ready_idx", 0),
    "closed": (Queue.TARGET_CLOSED, None, "feedback_report_closed_idx", 0),
    "busy-record-all": (Queue.ALL, BUSY, "feedback_report_target_idx", 0),
    "busy-record-open": (Queue.OPEN, BUSY, "feedback_report_target_idx", 1),
    "busy-record-ready": (Queue.READY, BUSY, "feedback_report_t_ready_idx", 0),
    "closed-record-all": (Queue.ALL, CLOSED, "feedback_report_target_idx", 0),
    "closed-record-open": (Queue.OPEN, CLOSED, "feedback_report_target_idx", 1),
    "closed-record-ready": (Queue.READY, CLOSED, "feedback_report_t_ready_idx", 0),
}
#: filters that one index answers
RECORD_LISTS: Final[dict[str, tuple[RecordFilter, str]]] = {
    "all": (RecordFilter(), "memory_record_all_idx"),
    "current": (RecordFilter(status=RecordStatus.CURRENT), "memory_record_status_idx"),
    "retracted": (RecordFilter(status=RecordStatus.RETRACTED), "memory_record_status_idx"),
    "predicate": (RecordFilter(predicate="predicate_3"), "memory_record_predicate_idx"),
    "predicate-status": (
        RecordFilter(predicate="predicate_8", status=RecordStatus.RETRACTED),
        "memory_record_pred_stat_idx",
    ),
    "subject": (RecordFilter(subject="Land 7"), "memory_record_subject_idx"),
    "person": (RecordFilter(data_subject="person 1"), "memory_record_data_subject_idx"),
}
#: filters that none answers: bounded by the rows that they look at
SCANNED_LISTS: Final[dict[str, RecordFilter]] = {
    "frequent-word": RecordFilter(text="meets"),
    "absent-word": RecordFilter(text="nowhere"),
    "kind": RecordFilter(kind=RecordKind.DECISION),
    "trust": RecordFilter(trust=Trust.VERIFIED),
    "subject-status": RecordFilter(subject="Land 7", status=RecordStatus.RETRACTED),
    "person-kind": RecordFilter(data_subject="person 1", kind=RecordKind.PREFERENCE),
}

Place = Literal["first", "deep"]
PLACES: Final[tuple[Place, ...]] = ("first", "deep")
#: Whether a plan was made for the values of a call, or once for those of any.
PREPARED: Final = (False, True)
Plans = dict[tuple[object, ...], list[Explained]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A project with so many reports, a fifth as many records, and a smaller neighbour."""

    actor: Actor
    size: int
    is_prepared: bool

    def reports(self, name: str, order: Order, place: Place) -> list[Explained]:
        """Plans of one list of reports."""
        queue, number, _, _ = REPORT_LISTS[name]
        record_id: UUID | None = None
        if number is not None:
            record_id = bulk_place(self.actor, "memory_record", number)[0]
        return explain(
            lambda: list_reports(
                actor=fresh(self.actor),
                queue=queue,
                record_id=record_id,
                order=order,
                after=self._after(place, "feedback_report", self.size),
                limit=LIMIT,
            ),
            "feedback_report",
            is_prepared=self.is_prepared,
        )

    def records(self, narrow: RecordFilter, place: Place) -> list[Explained]:
        """Plans of one list of records."""
        after = self._after(place, "memory_record", self.size // REPORTS_PER_RECORD)
        return explain(
            lambda: list_records(actor=fresh(self.actor), narrow=narrow, after=after, limit=LIMIT),
            "memory_record",
            is_prepared=self.is_prepared,
        )

    def _after(self, place: Place, table: str, rows: int) -> Seek | None:
        return bulk_place(self.actor, table, rows // 2)[1] if place == "deep" else None


@pytest.fixture(scope="module")
def plans(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Plans]:  # noqa: ARG001
    """Every plan at both sizes, read in one go, since loading is what takes the time."""
    with django_db_blocker.unblock():
        actor, neighbour = a_project()[1], a_project()[1]
        found: Plans = {}
        for start, size in ((0, SMALL), (SMALL, LARGE)):
            bulk_reports(actor, start=start, stop=size)
            bulk_reports(neighbour, start=start // 10, stop=size // 10)
            settle()
            for is_prepared in PREPARED:
                found |= _read(Loaded(actor, size, is_prepared))
        yield found
        call_command("flush", interactive=False, verbosity=0)


def _read(loaded: Loaded) -> Plans:
    reports: Plans = {
        (loaded.size, loaded.is_prepared, *case): loaded.reports(*case)
        for case in product(REPORT_LISTS, Order, PLACES)
    }
    filters = {name: narrow for name, (narrow, _) in RECORD_LISTS.items()} | SCANNED_LISTS
    records: Plans = {
        (loaded.size, loaded.is_prepared, "records", name, place): loaded.records(
            filters[name], place
        )
        for name, place in product(filters, PLACES)
    }
    return reports | records


@pytest.mark.parametrize("is_prepared", PREPARED)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("name", REPORT_LISTS)
def test_a_page_of_reports_is_sought(
    plans: Plans, name: str, order: Order, place: Place, *, is_prepared: bool
) -> None:
    _, _, index, removable = REPORT_LISTS[name]
    (small,), (large,) = (plans[size, is_prepared, name, order, place] for size in (SMALL, LARGE))
    for plan in (small, large):
        assert plan.unsought == []
        assert plan.index == index
        assert plan.rows_removed <= removable
        assert plan.buffers <= PAGE_BUFFERS
    assert large.buffers <= small.buffers + GROWTH


@pytest.mark.parametrize("is_prepared", PREPARED)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", RECORD_LISTS)
def test_a_page_of_records_is_sought(
    plans: Plans, name: str, place: Place, *, is_prepared: bool
) -> None:
    (small,), (large,) = (
        plans[size, is_prepared, "records", name, place] for size in (SMALL, LARGE)
    )
    for plan in (small, large):
        assert plan.unsought == []
        assert plan.index == RECORD_LISTS[name][1]
        assert plan.rows_removed == 0
        assert plan.buffers <= PAGE_BUFFERS
    assert large.buffers <= small.buffers + GROWTH


@pytest.mark.parametrize("is_prepared", PREPARED)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", SCANNED_LISTS)
def test_a_filter_without_an_index_looks_at_so_many_rows_and_no_more(
    plans: Plans, name: str, place: Place, *, is_prepared: bool
) -> None:
    (page,) = plans[LARGE, is_prepared, "records", name, place]
    assert page.unsought == []
    assert page.rows_read <= SCANNED_ROWS
    assert page.buffers <= SCANNED_ROWS + PAGE_BUFFERS
