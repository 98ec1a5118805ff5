"""What users of comparable systems ran into, and what happens here: each named after its thread.

Rule: `assurance.md` 8, the cases that operations decide. The wire and the console have theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.db import connection

from feedback.errors import ReportAlreadyPromoted
from feedback.models import Report
from feedback.operations.promote_report import promote_report
from feedback.queries.reports import list_reports, measure_queue
from feedback.vocabulary import Queue
from memory.errors import RecordConflict
from memory.models import Citation, Record, RecordVersion, Source
from memory.operations.assert_records import assert_records
from memory.operations.correct_records import Correction, correct_records
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.records import RecordFilter, get_record, list_records
from memory.vocabulary import RecordStatus, Trust
from tests.factories import (
    MARKER,
    RecordDraftFactory,
    a_key,
    a_record,
    a_report,
    fresh,
    some_records,
)
from tests.factories.bulk import bulk_reports, settle
from tests.leaks import LogReader, audit_log, leaks_in
from tests.observed import Entry, audit_of, content
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db


def correct(actor: Actor, record: Any, **said: Any) -> Any:
    said = {"object": f"{MARKER} Gitega", "statement": f"It moved, {MARKER}.", **said}
    correction = Correction(record_id=record.id, expected_version=record.version, **said)
    return correct_records(actor=fresh(actor), corrections=[correction]).records[0]


def retract(actor: Actor, record: AssertedRecord) -> Any:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    return retract_records(actor=fresh(actor), retractions=[draft]).records[0]


def promote(actor: Actor, report: Any) -> Any:
    return promote_report(
        actor=fresh(actor), report_id=report.id, expected_version=report.record_version
    )


def listed(actor: Actor, **narrow: Any) -> list[UUID]:
    page = list_records(actor=fresh(actor), narrow=RecordFilter(**narrow), after=None, limit=100)
    return [row.id for row in page.rows]


def test_memoria_89_after_a_correction_only_the_replacement_comes_back(
    agent: Actor, reviewer: Actor
) -> None:
    report = a_report(agent, proposed_object=f"{MARKER} Gitega")
    receipt = promote(reviewer, report)
    assert listed(agent, status=RecordStatus.CURRENT) == [receipt.replacement_record_id]
    old = get_record(actor=fresh(agent), record_id=report.record_id)
    assert (old.status, old.replaced_by) == ("superseded", receipt.replacement_record_id)


def test_memoria_214_every_way_of_correcting_leaves_the_same_rows(
    agent: Actor, reviewer: Actor
) -> None:
    note, proposed = f"It moved, {MARKER}.", f"{MARKER} Gitega"
    said = {"subject": "Burundi", "object": "Bujumbura", "statement": "It is Bujumbura."}

    def by_api() -> UUID:
        record = a_record(agent, **said)
        correct(agent, record, object=proposed, statement=note)
        return record.id

    def by_console() -> UUID:
        record = a_record(agent, **said)
        correct(reviewer, record, object=proposed, statement=note)
        return record.id

    def by_promotion() -> UUID:
        record = a_record(agent, **said)
        promote(reviewer, a_report(agent, record, note=note, proposed_object=proposed))
        return record.id

    shapes = [_shape_of(way()) for way in (by_api, by_console, by_promotion)]
    assert shapes[0] == shapes[1] == shapes[2]


def _shape_of(record_id: UUID) -> list[dict[str, Any]]:
    """Both records with what hangs on them, without ids, times, actor, edge and request."""
    successor = Record.objects.get(replaces=record_id)
    ids = [record_id, successor.id]
    sources = Citation.objects.filter(record_id__in=ids).values_list("source_id", flat=True)
    shapes: list[dict[str, Any]] = []
    for rows in (
        Record.objects.filter(id__in=ids).order_by("known_from"),
        RecordVersion.objects.filter(record_id__in=ids).order_by("recorded_at", "number"),
        Citation.objects.filter(record_id__in=ids).order_by("recorded_at"),
        Source.objects.filter(id__in=sources).order_by("recorded_at"),
    ):
        shapes += [_bare(row) for row in rows.values()]
    assert len(shapes) == 2 + 3 + 2 + 2
    return shapes


def _bare(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without what says who, when and where; of ids whether there is one."""
    return {
        name: value is not None if isinstance(value, UUID) else value
        for name, value in row.items()
        if not name.startswith(("recorded_", "known_", "valid_", "occurred_"))
        and name not in {"request_id", "log_offset", "origin_type"}
    }


def test_hindsight_1951_a_retracted_fact_is_gone_with_the_next_call(
    agent: Actor, reviewer: Actor
) -> None:
    record = a_record(agent)
    report = a_report(agent, record)
    retract(reviewer, record)
    assert listed(agent, status=RecordStatus.CURRENT) == []
    ready = list_reports(actor=fresh(agent), queue=Queue.READY, after=None, limit=20)
    assert ready.rows == ()
    assert measure_queue(agent, Queue.READY).count == 0
    assert measure_queue(agent, Queue.OPEN).count == 1
    assert Report.objects.get(id=report.id).target_closed_at is not None


def test_remnic_1579_what_was_retracted_does_not_come_back(agent: Actor, reviewer: Actor) -> None:
    said = RecordDraftFactory.create(origin=Origin("dataset", None, f"{MARKER}-1"))
    key = a_key()
    first = assert_records(actor=fresh(agent), drafts=[said], key=key).records[0]
    retract(reviewer, first)
    new_key = replace(said, idempotency_key=UUID(int=7))
    ways = {
        "the same source id": partial(assert_records, drafts=[new_key]),
        "the file again": partial(assert_records, drafts=[replace(said, idempotency_key=None)]),
        "the key of the record": partial(assert_records, drafts=[said]),
        "the key of the call": partial(assert_records, drafts=[said], key=key),
    }
    for name, way in ways.items():
        actor = fresh(agent)
        receipt = way(actor=actor)
        assert (receipt.records[0].id, receipt.records[0].status) == (first.id, "retracted"), name
        assert receipt.is_replay, name
        assert audit_of(actor) == [Entry("record.assert", "allowed", "", 0)], name
    assert listed(agent, status=RecordStatus.CURRENT) == []
    meant = replace(said, idempotency_key=None, origin=None)
    again = assert_records(actor=fresh(reviewer), drafts=[meant]).records[0]
    assert (again.is_replay, again.status) == (False, "current")
    assert listed(agent, status=RecordStatus.CURRENT) == [again.id]


def test_graphiti_1728_one_correction_touches_one_fact(agent: Actor, reviewer: Actor) -> None:
    for _ in range(50):
        some_records(agent, 20, predicate="borders", object="Lake", subject="Burundi")
    report = a_report(agent, proposed_object=f"{MARKER} Gitega")
    before = content()["memory_record"]
    promote(reviewer, report)
    after = content()["memory_record"]
    assert len(before) == 1_001
    assert len(set(before) - set(after)) == 1
    assert len(set(after) - set(before)) == 2  # the one that was changed, and its replacement


@pytest.mark.django_db(transaction=True)
def test_graphiti_450_the_hundredth_correction_costs_what_the_tenth_does(agent: Actor) -> None:
    bulk_reports(agent, start=0, stop=2_500)  # indexes are worth their while from here on
    settle()
    record: Any = a_record(agent)
    statements, buffers = [], []
    for _ in range(100):
        with watched() as sent:
            record = correct(agent, record)
        statements.append(len(sent))
        buffers.append(_buffers_of_reads(sent.sent))
    assert len(set(statements)) == 1
    first, last = max(buffers[:10]), max(buffers[90:])
    assert last <= max(1.2 * first, first + 1)  # one page more is the least that can be told


def _buffers_of_reads(sent: list[tuple[str, Any]]) -> int:
    """Pages that the reads of a call touch when they are sent once more."""
    touched = 0
    with connection.cursor() as cursor:
        for sql, params in sent:
            if sql.startswith("SELECT"):
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                plan = cursor.fetchone()[0][0]["Plan"]
                touched += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return touched


def test_mem0_4896_arrival_never_decides(agent: Actor, operator: Actor) -> None:
    first, second = (a_record(agent, subject="Burundi", predicate="borders") for _ in range(2))
    assert listed(agent, status=RecordStatus.CURRENT) == [second.id, first.id]
    mark_predicate(actor=fresh(operator), name="has_capital")
    kept = a_record(agent, subject="Burundi")
    before = content()
    with pytest.raises(RecordConflict):
        a_record(agent, subject="Burundi")
    assert content() == before
    assert get_record(actor=fresh(agent), record_id=kept.id).is_current


#: verb x state of the record and of the report -> state of the record afterwards, or the refusal
EDGES: dict[tuple[str, str, str], str | type[Exception]] = {
    ("correct", "current", "open"): "superseded",
    ("correct", "superseded", "open"): RecordConflict,
    ("correct", "retracted", "open"): RecordConflict,
    ("retract", "current", "open"): "retracted",
    ("retract", "superseded", "open"): RecordConflict,
    ("retract", "retracted", "open"): RecordConflict,
    ("promote", "current", "open"): "retracted",
    ("promote", "superseded", "open"): RecordConflict,
    ("promote", "retracted", "open"): RecordConflict,
    ("promote", "retracted", "promoted"): ReportAlreadyPromoted,
    ("correct", "retracted", "promoted"): RecordConflict,
    ("retract", "retracted", "promoted"): RecordConflict,
    ("report", "current", "open"): "current",
    ("report", "superseded", "open"): "superseded",
    ("report", "retracted", "promoted"): "retracted",
}


@pytest.mark.parametrize(("verb", "record_state", "report_state"), EDGES)
def test_openhuman_1539_states_have_legal_edges(
    agent: Actor, verb: str, record_state: str, report_state: str
) -> None:
    record = a_record(agent)
    report = a_report(agent, record)
    if report_state == "promoted":
        promote(agent, report)
    elif record_state == "superseded":
        correct(agent, record)
    elif record_state == "retracted":
        retract(agent, record)
    row = Record.objects.get(id=record.id)
    assert row.status == record_state
    now: Any = replace(record, version=row.version)
    act: Any = {
        "correct": lambda: correct(agent, now),
        "retract": lambda: retract(agent, now),
        "promote": lambda: promote(agent, replace(report, record_version=row.version)),
        "report": lambda: a_report(agent, record),
    }[verb]
    expected = EDGES[verb, record_state, report_state]
    if isinstance(expected, str):
        act()
        assert Record.objects.get(id=record.id).status == expected
        return
    before = content()
    with pytest.raises(expected):
        act()
    assert content() == before


def test_opik_6421_shown_counts_equal_the_rows(agent: Actor, reviewer: Actor) -> None:
    for step in range(6):
        record = a_record(agent)
        reports = [a_report(agent, record) for _ in range(step)]
        if step % 3 == 0:
            retract(agent, record)
        elif step % 3 == 1:
            promote(reviewer, reports[0])
        for queue in Queue:
            page = list_reports(actor=fresh(agent), queue=queue, after=None, limit=100)
            assert measure_queue(agent, queue).count == len(page.rows)


def test_tencentdb_1236_of_two_editors_one_succeeds(agent: Actor, reviewer: Actor) -> None:
    record = a_record(agent)
    winner = correct(reviewer, record, object="Gitega", statement="It is Gitega.")
    with pytest.raises(RecordConflict):
        correct(agent, record, object="Ngozi", statement="It is Ngozi.")
    assert Record.objects.get(replaces=record.id).id == winner.id


def test_letta_3366_an_expected_refusal_is_no_error_in_the_log(
    agent: Actor, log_reader: LogReader
) -> None:
    record = a_record(agent)
    retract(agent, record)
    log_reader.lines.clear()
    with pytest.raises(RecordConflict):
        retract(agent, record)
    assert log_reader.lines == []


def test_daimon_599_no_text_reaches_the_log_or_the_audit(
    agent: Actor, reviewer: Actor, log_reader: LogReader
) -> None:
    record = a_record(agent, data_subject=f"{MARKER} herder")
    report = a_report(
        agent, record, proposed_object=f"{MARKER} Gitega", reporter_subject=f"{MARKER} rider"
    )
    promote(reviewer, report)
    with pytest.raises(ReportAlreadyPromoted):
        promote(reviewer, report)
    listed(agent, text=MARKER, subject=f"{MARKER}", data_subject=f"{MARKER} herder")
    with pytest.raises(Exception, match="violates"):
        a_record(agent, object=MARKER * 1_000)
    assert leaks_in(audit_log()) == []
    assert leaks_in("\n".join(log_reader.lines)) == []
    assert audit_log().count("feedback.promote") == 2


def test_cognee_3520_a_filter_narrows_and_never_widens(agent: Actor, outsider: Actor) -> None:
    own = [a_record(agent, subject=f"{MARKER} {number}").id for number in range(3)]
    foreign = a_record(outsider, subject=f"{MARKER} 9", data_subject="a herder")
    whole = set(listed(agent))
    assert whole == set(own)
    for narrow in (
        {"subject": f"{MARKER} 9"},
        {"subject": f"{MARKER} 1"},
        {"data_subject": "a herder"},
        {"data_subject": str(foreign.id)},
        {"predicate": "has_capital"},
        {"trust": Trust.ASSERTED},
        {"text": MARKER},
    ):
        assert set(listed(agent, **narrow)) <= whole
    a_report(outsider, foreign)
    page = list_reports(
        actor=fresh(agent), queue=Queue.ALL, record_id=foreign.id, after=None, limit=20
    )
    assert page.rows == ()
