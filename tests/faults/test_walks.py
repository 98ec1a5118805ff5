"""A reader walks the open queue while others report, promote and retract: nothing is skipped.

Rule: `assurance.md` fault test 12.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from django.db import connection

from feedback.models import Report
from feedback.operations.promote_report import promote_report
from feedback.operations.record_report import ReportDraft, record_report
from feedback.queries.reports import list_reports
from feedback.vocabulary import Order, Queue
from memory.errors import DomainError
from tests.factories import MARKER, fresh
from tests.factories.bulk import bulk_reports

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.paging import Seek

pytestmark = pytest.mark.django_db(transaction=True)

OPEN_BEFORE = 160
REPORTED_MEANWHILE = 40  # by each of two writers; a walk from the oldest on has to end
PROMOTED_MEANWHILE = 15


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("limit", [1, 7, 20, 100])
def test_every_report_open_from_start_to_end_is_seen_exactly_once(
    agent: Actor, reviewer: Actor, limit: int, order: Order
) -> None:
    bulk_reports(agent, start=0, stop=OPEN_BEFORE)
    before = set(Report.objects.open().values_list("id", flat=True))
    ready = list(Report.objects.ready().order_by("?").values("id", "record_version", "record_id"))
    under_way, enough = Event(), Event()

    def report() -> None:
        for number in range(REPORTED_MEANWHILE):
            target = ready[number % len(ready)]["record_id"]
            draft = ReportDraft(record_id=target, note=f"Doubt of the {MARKER}.")
            record_report(actor=fresh(agent), draft=draft)
            under_way.set()
            if enough.is_set():
                return

    def promote(share: int) -> Callable[[], None]:
        def run() -> None:
            for row in ready[share::2][:PROMOTED_MEANWHILE]:
                with suppress(DomainError):  # a sibling of the other writer may have won
                    promote_report(
                        actor=fresh(reviewer),
                        report_id=row["id"],
                        expected_version=row["record_version"],
                    )

        return run

    with _beside(report, report, promote(0), promote(1)) as failures:
        under_way.wait(10)
        seen = _walk(agent, limit, order)
        enough.set()
    assert failures == []
    after = set(Report.objects.open().values_list("id", flat=True))
    assert after - before
    assert before - after
    assert len(seen) == len(set(seen))
    assert before & after <= set(seen) <= before | after


def _walk(actor: Actor, limit: int, order: Order) -> list[UUID]:
    seen: list[UUID] = []
    after: Seek | None = None
    while True:
        page = list_reports(
            actor=fresh(actor), queue=Queue.OPEN, order=order, after=after, limit=limit
        )
        seen += [row.id for row in page.rows]
        after = page.next
        if after is None:
            return seen


class _beside:  # noqa: N801 - reads as a word of the test
    """Calls that run on connections of their own until the context ends; their failures."""

    def __init__(self, *calls: Callable[[], None]) -> None:
        self.failures: list[Exception] = []
        self.threads = [Thread(target=self._run, args=(call,), daemon=True) for call in calls]

    def _run(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as error:  # noqa: BLE001 - it is the outcome
            self.failures.append(error)
        finally:
            connection.close()

    def __enter__(self) -> list[Exception]:
        for thread in self.threads:
            thread.start()
        return self.failures

    def __exit__(self, *_: object) -> None:
        for thread in self.threads:
            thread.join(30)
