from __future__ import annotations

from uuid import uuid4

import pytest

from feedback.queries import reports
from feedback.vocabulary import Order, Queue
from memory.actor import Actor
from memory.transactions import project_scope
from tests.factories import a_record, a_report
from tests.review.situations import promote
from tests.statements import watched


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("queue", [Queue.OPEN, Queue.ALL, Queue.READY])
def test_neighbours_are_the_rows_on_both_sides_in_reading_order(
    agent: Actor, queue: Queue, order: Order
) -> None:
    made = [a_report(agent).id for _ in range(4)]
    promote(agent, made[1])
    with project_scope(agent.project_id):
        page = reports.page_of_reports(agent, queue=queue, order=order, limit=10).rows
        listed = [None, *(row.id for row in page), None]
        for place, row in enumerate(page, 1):
            with watched() as statements:
                found = reports.find_neighbours(agent, row, queue=queue, order=order)
            assert len(statements) == 1
            assert (found.before, found.after) == (listed[place - 1], listed[place + 1])
            one = reports.find_neighbour(agent, row, queue=queue, order=order)
            assert one == found.after


def test_neighbours_of_a_report_that_left_the_queue_are_sought_from_its_place(
    agent: Actor,
) -> None:
    made = [a_report(agent).id for _ in range(3)]
    promote(agent, made[1])
    with project_scope(agent.project_id):
        gone = reports.get_report_for(agent, made[1])
        found = reports.find_neighbours(agent, gone, queue=Queue.OPEN, order=Order.OLDEST)
    assert (found.before, found.after) == (made[0], made[2])


def test_a_queue_is_measured_by_its_count_and_its_oldest_report(agent: Actor) -> None:
    with project_scope(agent.project_id):
        assert reports.measure_queue(agent, Queue.OPEN) == reports.QueueSize(0, None)
    made = [a_report(agent).id for _ in range(3)]
    promote(agent, made[0])
    with project_scope(agent.project_id), watched() as statements:
        size = reports.measure_queue(agent, Queue.OPEN)
        oldest = reports.get_report_for(agent, made[1])
    assert size == reports.QueueSize(2, oldest.recorded_at)
    assert "LIMIT 1001" in statements.sent[0][0]


def test_reports_are_found_by_id_within_the_project(agent: Actor, outsider: Actor) -> None:
    report = a_report(agent).id
    with project_scope(agent.project_id):
        assert list(reports.find_reports(agent, [report, uuid4()])) == [report]
        assert reports.find_reports(agent, []) == {}
    with project_scope(outsider.project_id):
        assert reports.find_reports(outsider, [report]) == {}


def test_a_record_has_at_most_one_promotion(agent: Actor) -> None:
    record = a_record(agent)
    a_report(agent, record)
    promoted = a_report(agent, record)
    promote(agent, promoted.id)
    with project_scope(agent.project_id):
        found = reports.list_promotions_of(agent, [record.id, uuid4()])
    assert [row.id for row in found] == [promoted.id]
