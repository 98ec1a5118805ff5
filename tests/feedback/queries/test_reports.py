"""Lists of reports: what a row says, which queue it is in, and pages that fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import Report
from feedback.operations.promote_report import promote_report
from feedback.queries import reports
from feedback.queries.reports import get_report, list_reports
from feedback.vocabulary import Order, Queue
from memory.errors import Denied, NotFound
from memory.models import Record
from memory.paging import Seek
from tests.factories import MARKER, a_record, a_report, fresh
from tests.observed import Entry, audit_of, refused
from tests.statements import watched

if TYPE_CHECKING:
    from feedback.operations.record_report import ReportReceipt
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def listed(actor: Actor, queue: Queue = Queue.ALL, **said: Any) -> list[UUID]:
    """The ids of the first hundred."""
    said = {"after": None, "limit": 100, **said}
    return [row.id for row in list_reports(actor=fresh(actor), queue=queue, **said).rows]


def walk(actor: Actor, limit: int, **said: Any) -> list[UUID]:
    """The ids of all pages, one after the other."""
    ids: list[UUID] = []
    after: Seek | None = None
    while True:
        page = list_reports(actor=fresh(actor), limit=limit, after=after, **said)
        assert len(page.rows) == limit or page.next is None
        ids += [row.id for row in page.rows]
        if page.next is None:
            return ids
        after = page.next


def promote(actor: Actor, report: ReportReceipt) -> Any:
    return promote_report(
        actor=fresh(actor), report_id=report.id, expected_version=report.record_version
    )


def test_a_row_says_what_was_said_and_what_it_is_about_now(agent: Actor, reader: Actor) -> None:
    said = {"statement": f"{MARKER} " + "é" * 600, "subject": "Burundi", "object": "Bujumbura"}
    record = a_record(agent, **said)
    report = a_report(
        agent, record, note="It moved.", proposed_object="Gitega", reporter_subject="a herder"
    )
    (row,) = list_reports(actor=reader, queue=Queue.OPEN, after=None, limit=1).rows
    assert (row.id, row.record_id, row.record_version) == (report.id, record.id, record.version)
    assert (row.note, row.proposed_object, row.reporter_subject) == (
        "It moved.",
        "Gitega",
        "a herder",
    )
    assert (row.recorded_by, row.recorded_by_kind, row.recorded_via, row.recorded_at) == (
        agent.id,
        "credential",
        "api",
        report.recorded_at,
    )
    target = row.target
    assert (target.status, target.version, target.version_number) == ("current", record.version, 1)
    assert (target.subject, target.predicate, target.object) == (
        "Burundi",
        "has_capital",
        "Bujumbura",
    )
    assert target.statement_preview == said["statement"][:512]
    assert (target.closed_at, target.replaced_by, row.promotion) == (None, None, None)
    assert row.is_ready
    assert not row.is_promoted


def test_a_promoted_row_says_what_became_of_it(agent: Actor, reviewer: Actor) -> None:
    report = a_report(agent, proposed_object="Gitega")
    receipt = promote(reviewer, report)
    row = get_report(actor=agent, report_id=report.id)
    assert row.promotion is not None
    assert (row.promotion.change, row.promotion.version) == ("record.correct", receipt.version)
    assert (row.promotion.promoted_by, row.promotion.promoted_by_kind) == (reviewer.id, "user")
    assert (row.promotion.promoted_at, row.promotion.promoted_via) == (
        receipt.promoted_at,
        "console",
    )
    assert row.promotion.expected_version == report.record_version == row.record_version
    assert row.promotion.replacement_record_id == receipt.replacement_record_id
    closed = Record.objects.get(id=report.record_id)
    assert (row.target.status, row.target.version) == ("superseded", closed.version)
    assert (row.target.closed_at, row.target.replaced_by) == (
        closed.known_until,
        receipt.replacement_record_id,
    )
    assert not row.is_ready


def test_each_queue_holds_what_it_says(agent: Actor, reviewer: Actor) -> None:
    ready = a_report(agent)
    promoted = a_report(agent)
    sibling = a_report(agent, promoted.record_id)
    promote(reviewer, promoted)
    late = a_report(agent, promoted.record_id)
    assert listed(agent, Queue.ALL) == [late.id, sibling.id, promoted.id, ready.id]
    assert listed(agent, Queue.OPEN) == [late.id, sibling.id, ready.id]
    assert listed(agent, Queue.READY) == [ready.id]
    assert listed(agent, Queue.TARGET_CLOSED) == [late.id, sibling.id]


def test_a_record_narrows_every_queue(agent: Actor, reviewer: Actor) -> None:
    record = a_record(agent)
    promoted, sibling = a_report(agent, record), a_report(agent, record)
    other = a_report(agent)
    promote(reviewer, promoted)
    assert listed(agent, Queue.ALL, record_id=record.id) == [sibling.id, promoted.id]
    assert listed(agent, Queue.OPEN, record_id=record.id) == [sibling.id]
    assert listed(agent, Queue.READY, record_id=record.id) == []
    assert listed(agent, Queue.READY, record_id=other.record_id) == [other.id]
    assert listed(agent, Queue.TARGET_CLOSED, record_id=record.id) == [sibling.id]


def test_order_is_by_time_then_id(agent: Actor) -> None:
    ids = [a_report(agent).id for _ in range(5)]
    assert listed(agent, order=Order.OLDEST) == ids
    assert listed(agent, order=Order.NEWEST) == ids[::-1]


def test_a_list_is_audited_with_its_number_of_rows(agent: Actor, reader: Actor) -> None:
    for _ in range(3):
        a_report(agent)
    list_reports(actor=reader, queue=Queue.OPEN, after=None, limit=2)
    assert audit_of(reader) == [Entry("feedback.list", "allowed", "", 2)]


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "agent", "agent_ro"])
def test_who_may_read_may_list(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    report = a_report(agent)
    assert listed(request.getfixturevalue(persona)) == [report.id]


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    report = a_report(agent)
    actor: Actor = request.getfixturevalue(persona)
    for call in (
        lambda by: list_reports(actor=by, queue=Queue.ALL, after=None, limit=1),
        lambda by: get_report(actor=by, report_id=report.id),
    ):
        again = fresh(actor)
        with refused(again, Denied, "feedback.list"):
            call(again)


def test_another_project_s_rows_are_not_there(agent: Actor, outsider: Actor) -> None:
    report = a_report(agent)
    assert listed(outsider) == []
    assert listed(outsider, record_id=report.record_id) == []
    with refused(outsider, NotFound, "feedback.list"):
        get_report(actor=outsider, report_id=report.id)


def test_an_unknown_record_is_an_empty_list(agent: Actor) -> None:
    assert listed(agent, record_id=uuid4()) == []


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("limit", [1, 7, 20, 100])
def test_pages_fit_together(agent: Actor, limit: int, order: Order) -> None:
    whole = _simultaneous(agent, 45)
    expected = sorted(whole, reverse=order is Order.NEWEST)
    assert walk(agent, limit, queue=Queue.OPEN, order=order) == expected


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("limit", [7, 100])
def test_a_thousand_reports_of_one_instant_are_each_seen_once(
    agent: Actor, limit: int, order: Order
) -> None:
    whole = _simultaneous(agent, 1_000)
    assert walk(agent, limit, queue=Queue.READY, order=order) == sorted(
        whole, reverse=order is Order.NEWEST
    )


def test_a_page_that_is_just_full_is_the_last(agent: Actor) -> None:
    _simultaneous(agent, 20)
    page = list_reports(actor=agent, queue=Queue.OPEN, after=None, limit=20)
    assert (len(page.rows), page.next) == (20, None)


def test_a_place_whose_row_was_promoted_is_still_a_place(agent: Actor, reviewer: Actor) -> None:
    made = [a_report(agent) for _ in range(5)]
    page = list_reports(actor=agent, queue=Queue.OPEN, after=None, limit=2)
    promote(reviewer, made[3])  # the row that the cursor names
    promote(reviewer, made[2])  # the row behind it
    assert listed(agent, Queue.OPEN, after=page.next) == [made[1].id, made[0].id]


@pytest.mark.parametrize(("order", "comparison"), [(Order.NEWEST, "<"), (Order.OLDEST, ">")])
def test_places_are_compared_as_rows(agent: Actor, order: Order, comparison: str) -> None:
    after = Seek(a_report(agent).recorded_at, uuid4())
    with watched() as statements:
        list_reports(actor=agent, queue=Queue.OPEN, order=order, after=after, limit=20)
    page = next(sql for sql, _ in statements.sent if 'FROM "feedback_report"' in sql)
    assert f"(recorded_at, id) {comparison} (" in page
    assert " OR " not in page
    assert "OFFSET" not in page


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("limit", [2, 4])
def test_a_page_comes_with_a_report_that_may_be_on_it_or_not(
    agent: Actor, reviewer: Actor, outsider: Actor, order: Order, limit: int
) -> None:
    made = [a_report(agent) for _ in range(4)]
    promote(reviewer, made[1])
    rows = {report.id: reports.get_report_for(agent, report.id) for report in made}
    strange = a_report(outsider).id
    for queue in Queue:
        how: Any = {"queue": queue, "order": order, "after": None, "limit": limit}
        page = reports.page_of_reports(agent, **how)
        for told in (*rows, strange, None):
            found = reports.page_and_report(agent, **how, report_id=told)
            assert found == (page, rows.get(told) if told else None)


@pytest.mark.parametrize("order", Order)
def test_neighbours_stand_beside_a_report_in_the_order_of_its_queue(
    agent: Actor, reviewer: Actor, order: Order
) -> None:
    made = [a_report(agent) for _ in range(5)]
    ids = [report.id for report in made][:: 1 if order is Order.OLDEST else -1]
    row = get_report(actor=fresh(agent), report_id=ids[2])
    told = reports.find_neighbours(agent, row, queue=Queue.OPEN, order=order)
    assert (told.before, told.after) == (ids[1], ids[3])
    for report in made:
        if report.id in {ids[1], ids[2]}:
            promote(reviewer, report)
    told = reports.find_neighbours(agent, row, queue=Queue.OPEN, order=order)
    assert (told.before, told.after) == (ids[0], ids[3])


def test_queues_are_measured(agent: Actor, reviewer: Actor) -> None:
    empty = reports.measure_queue(agent, Queue.OPEN)
    assert (empty.count, empty.oldest_at) == (0, None)
    made = [a_report(agent) for _ in range(3)]
    promote(reviewer, made[0])
    size = reports.measure_queue(agent, Queue.OPEN)
    assert (size.count, size.oldest_at) == (2, made[1].recorded_at)
    assert reports.measure_queue(agent, Queue.ALL).count == 3


def test_measuring_a_queue_stops_at_a_thousand_and_one(agent: Actor) -> None:
    _simultaneous(agent, 1_010)
    assert reports.measure_queue(agent, Queue.OPEN).count == 1_001


def test_open_reports_of_a_record_are_counted_up_to_a_thousand(
    agent: Actor, reviewer: Actor
) -> None:
    record = a_record(agent)
    made = [a_report(agent, record) for _ in range(3)]
    assert reports.count_open_reports(agent.project_id, record.id) == 3
    promote(reviewer, made[0])
    assert reports.count_open_reports(agent.project_id, record.id) == 2
    assert reports.count_open_reports(agent.project_id, uuid4()) == 0


def _simultaneous(actor: Actor, number: int) -> list[UUID]:
    """Reports of one instant, about one record; by SQL, since the clock makes no such rows."""
    first = a_report(actor)
    row = Report.objects.get(id=first.id)
    copies = []
    for _ in range(number - 1):
        row.id = uuid4()
        copies.append(
            Report(
                **{
                    field.attname: getattr(row, field.attname)
                    for field in Report._meta.concrete_fields
                }
            )
        )
    Report.objects.bulk_create(copies)
    return [first.id, *(copy.id for copy in copies)]
