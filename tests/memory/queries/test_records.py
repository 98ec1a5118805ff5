"""Lists of records, one record, its history and its evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.operations.promote_report import promote_report
from memory.errors import Denied, NotFound
from memory.models import Record
from memory.operations.correct_records import Correction, correct_records
from memory.operations.mark_predicate import mark_predicate
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.paging import Seek
from memory.queries import versions
from memory.queries.citations import resolve_citations
from memory.queries.records import RecordFilter, get_record, list_records
from memory.queries.versions import get_history
from memory.vocabulary import RecordKind, RecordStatus, Trust
from tests.factories import MARKER, a_record, a_report, fresh, some_records
from tests.observed import Entry, audit_of, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db


def listed(actor: Actor, **narrow: Any) -> list[UUID]:
    page = list_records(actor=fresh(actor), narrow=RecordFilter(**narrow), after=None, limit=100)
    return [row.id for row in page.rows]


def correct(actor: Actor, record: AssertedRecord) -> Any:
    correction = Correction(
        record_id=record.id,
        expected_version=record.version,
        object=f"{MARKER} Gitega",
        statement=f"It moved, {MARKER}.",
    )
    return correct_records(actor=fresh(actor), corrections=[correction]).records[0]


def retract(actor: Actor, record: AssertedRecord) -> Any:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    return retract_records(actor=fresh(actor), retractions=[draft]).records[0]


# --- Lists ---------------------------------------------------------------------------------------


def test_a_row_says_what_the_record_says(agent: Actor, reader: Actor) -> None:
    record = a_record(
        agent,
        subject="Burundi",
        object="Bujumbura",
        statement="The capital of Burundi is Bujumbura.",
        data_subject="a herder",
        confidence=0.5,
        kind=RecordKind.DECISION,
    )
    (row,) = list_records(actor=reader, narrow=RecordFilter(), after=None, limit=20).rows
    assert (row.id, row.version, row.status) == (record.id, record.version, "current")
    assert (row.subject, row.predicate, row.object) == ("Burundi", "has_capital", "Bujumbura")
    assert (row.statement_preview, row.statement_bytes, row.is_preview_truncated) == (
        "The capital of Burundi is Bujumbura.",
        36,
        False,
    )
    assert (row.kind, row.confidence, row.trust) == ("decision", 0.5, Trust.ASSERTED)
    assert (row.data_subject, row.source_role, row.is_disputed) == ("a herder", "user", False)
    assert row.recorded_at == row.known_from


@pytest.mark.parametrize("character", ["a", "é", "🦓"])
@pytest.mark.parametrize(("length", "is_cut"), [(512, False), (513, True)])
def test_previews_are_cut_between_characters(
    agent: Actor, character: str, length: int, *, is_cut: bool
) -> None:
    a_record(agent, statement=character * length)
    (row,) = list_records(actor=agent, narrow=RecordFilter(), after=None, limit=1).rows
    assert row.statement_preview == character * 512
    assert row.statement_bytes == len((character * length).encode())
    assert row.is_preview_truncated is is_cut


def test_each_condition_narrows_and_all_hold_together(agent: Actor) -> None:
    burundi = a_record(agent, subject="Burundi", data_subject="a herder")
    chad = a_record(agent, subject="Chad", kind=RecordKind.DECISION)
    borders = a_record(agent, subject="Burundi", predicate="borders", statement="Lakes and hills.")
    retract(agent, chad)
    assert listed(agent) == [borders.id, chad.id, burundi.id]
    assert listed(agent, subject="Burundi") == [borders.id, burundi.id]
    assert listed(agent, subject="burundi") == []
    assert listed(agent, predicate="has_capital") == [chad.id, burundi.id]
    assert listed(agent, status=RecordStatus.RETRACTED) == [chad.id]
    assert listed(agent, predicate="has_capital", status=RecordStatus.CURRENT) == [burundi.id]
    assert listed(agent, data_subject="a herder") == [burundi.id]
    assert listed(agent, data_subject="nobody") == []
    assert listed(agent, kind=RecordKind.DECISION) == [chad.id]
    assert listed(agent, trust=Trust.ASSERTED) == [borders.id, chad.id, burundi.id]
    assert listed(agent, trust=Trust.VERIFIED) == []
    assert listed(agent, subject="Burundi", predicate="borders") == [borders.id]
    assert listed(agent, subject="Burundi", status=RecordStatus.RETRACTED) == []
    assert listed(agent, text="lake") == [borders.id]
    assert listed(agent, text="HILLS lake") == [borders.id]
    assert listed(agent, text="lake desert") == []
    assert listed(agent, text="lake", subject="Chad") == []


def test_a_text_of_stop_words_alone_asks_for_nothing(agent: Actor) -> None:
    record = a_record(agent)
    assert listed(agent, text="the of") == [record.id]


@pytest.mark.parametrize("text", ["'", "lake & !hills", "\\", "a:*b | (", "<->", "%_"])
def test_a_text_is_words_and_never_a_query(agent: Actor, text: str) -> None:
    a_record(agent, statement="Lakes and hills.")
    listed(agent, text=text)


def test_a_corrected_record_is_replaced_in_the_list_of_current_ones(agent: Actor) -> None:
    record = a_record(agent)
    row = correct(agent, record)
    assert listed(agent, status=RecordStatus.CURRENT) == [row.id]
    assert listed(agent, status=RecordStatus.SUPERSEDED) == [record.id]


@pytest.mark.parametrize("limit", [1, 7, 20, 100])
def test_pages_fit_together_though_records_of_a_call_share_an_instant(
    agent: Actor, limit: int
) -> None:
    made = [row.id for _ in range(2) for row in some_records(agent, 20)]
    walked: list[UUID] = []
    after: Seek | None = None
    while True:
        page = list_records(actor=fresh(agent), narrow=RecordFilter(), after=after, limit=limit)
        walked += [row.id for row in page.rows]
        if page.next is None:
            break
        after = page.next
    assert len(walked) == len(set(walked)) == len(made)
    assert walked == listed(agent)


def test_a_page_without_an_index_ends_with_its_scan(
    agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 5)
    wanted = a_record(agent, kind=RecordKind.DECISION)
    for _ in range(12):
        a_record(agent)
    pages: list[list[UUID]] = []
    after: Seek | None = None
    while not pages or after is not None:
        narrow = RecordFilter(kind=RecordKind.DECISION)
        page = list_records(actor=fresh(agent), narrow=narrow, after=after, limit=20)
        pages.append([row.id for row in page.rows])
        after = page.next
    assert pages == [[], [], [wanted.id]]


def test_places_are_compared_as_rows(agent: Actor) -> None:
    a_record(agent)
    page = list_records(actor=fresh(agent), narrow=RecordFilter(), after=None, limit=1)
    with watched() as statements:
        list_records(actor=agent, narrow=RecordFilter(), after=Seek.of(page.rows[0]), limit=20)
    sent = next(sql for sql, _ in statements.sent if 'FROM "memory_record"' in sql)
    assert '("memory_record"."recorded_at", "memory_record"."id") < (' in sent
    assert " OR " not in sent


def test_a_page_without_an_index_reads_one_scan_in_the_place_of_the_table(agent: Actor) -> None:
    wanted = [a_record(agent, kind=RecordKind.DECISION).id for _ in range(3)]
    narrow = RecordFilter(kind=RecordKind.DECISION)
    page = list_records(actor=fresh(agent), narrow=narrow, after=None, limit=1)
    assert [row.id for row in page.rows] == wanted[:-2:-1]
    with watched() as statements:
        list_records(actor=agent, narrow=narrow, after=page.next, limit=1)
    (sent,) = (sql for sql, _ in statements.sent if 'FROM "memory_record"' in sql)
    before, scan, after = re.split(r'FROM \((SELECT .*)\) "memory_record" ', sent)
    order = 'ORDER BY "memory_record"."recorded_at" DESC, "memory_record"."id" DESC'
    assert 'FROM "memory_record"' not in before + after
    assert f'ROW_NUMBER() OVER ({order}) AS "scan_row" FROM "memory_record" WHERE' in scan
    assert '("memory_record"."recorded_at", "memory_record"."id") < (' in scan
    assert scan.endswith(f"{order} LIMIT 2000")
    assert '"kind" =' not in scan
    assert after.startswith('WHERE (("memory_record"."kind" = %s) OR "scan_row" = %s) ORDER BY')
    assert after.endswith(" LIMIT 2")


# --- One record ----------------------------------------------------------------------------------


def test_a_current_record_is_shown_whole(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    record = a_record(agent, subject="Burundi", statement="é" * 600)
    for _ in range(2):
        a_report(agent, record)
    shown = get_record(actor=agent, record_id=record.id)
    assert (shown.id, shown.version, shown.version_number) == (record.id, record.version, 1)
    assert (shown.scope, shown.subject, shown.statement) == ("demo", "Burundi", "é" * 600)
    assert (shown.citations, shown.open_reports, shown.is_single_valued) == (1, 2, True)
    assert (shown.recorded_by, shown.recorded_by_kind, shown.recorded_via) == (
        agent.id,
        "credential",
        "api",
    )
    assert shown.valid.until is shown.known.until is None
    assert (shown.replaces, shown.replaced_by, shown.retraction) == (None, None, None)
    assert shown.is_current
    assert audit_of(agent) == [Entry("record.get", "allowed", "", 1)]


def test_a_retracted_record_says_by_whom_and_in_which_operation(
    agent: Actor, reviewer: Actor
) -> None:
    record = a_record(agent)
    row = retract(reviewer, record)
    shown = get_record(actor=agent, record_id=record.id)
    assert shown.retraction is not None
    assert (shown.status, shown.version, shown.known.until) == (
        "retracted",
        row.version,
        row.retracted_at,
    )
    told = shown.retraction
    assert (told.operation_id, told.principal_id, told.principal_kind, told.retracted_at) == (
        row.operation_id,
        reviewer.id,
        "user",
        row.retracted_at,
    )
    assert told.replacement_record_id is told.replacement_source_id is None


def test_a_corrected_record_names_its_replacement_and_that_the_record_it_replaced(
    agent: Actor,
) -> None:
    record = a_record(agent)
    row = correct(agent, record)
    old = get_record(actor=fresh(agent), record_id=record.id)
    new = get_record(actor=fresh(agent), record_id=row.id)
    assert old.retraction is not None
    assert old.replaced_by == old.retraction.replacement_record_id == new.id
    assert old.retraction.replacement_source_id == row.source_id
    assert new.replaces == old.id
    assert new.known.start == old.known.until


def test_a_promoted_correction_is_credited_to_the_promoter(agent: Actor, reviewer: Actor) -> None:
    report = a_report(agent, proposed_object="Gitega")
    receipt = promote_report(
        actor=reviewer, report_id=report.id, expected_version=report.record_version
    )
    assert receipt.replacement_record_id is not None
    shown = get_record(actor=agent, record_id=receipt.replacement_record_id)
    assert (shown.recorded_by, shown.recorded_via) == (reviewer.id, "console")


# --- History and evidence ------------------------------------------------------------------------


def test_a_history_lists_states_newest_first_and_what_ended_them(agent: Actor) -> None:
    record = a_record(agent)
    row = correct(agent, record)
    history = get_history(actor=agent, record_id=record.id, after=None, limit=20)
    closing, first = history.versions.rows
    assert (closing.id, closing.number, closing.change, closing.status) == (
        row.original_version,
        2,
        "record.correct",
        "superseded",
    )
    assert (first.id, first.number, first.change, first.status) == (
        record.version,
        1,
        "record.assert",
        "current",
    )
    assert first.known.until == closing.known.until == history.record.known.until
    assert (first.ended_by_source_id, closing.ended_by_source_id) == (row.source_id, None)
    assert audit_of(agent) == [Entry("record.history", "allowed", "", 2)]


def test_a_history_comes_in_pages(agent: Actor) -> None:
    record = a_record(agent)
    retract(agent, record)
    first = get_history(actor=fresh(agent), record_id=record.id, after=None, limit=1).versions
    second = get_history(
        actor=fresh(agent), record_id=record.id, after=first.next, limit=1
    ).versions
    assert [row.number for row in (*first.rows, *second.rows)] == [2, 1]
    assert second.next is None


def test_a_state_is_found_by_its_number(agent: Actor) -> None:
    record = a_record(agent)
    assert versions.get_version(agent, record.id, 1).id == record.version
    with pytest.raises(NotFound):
        versions.get_version(agent, record.id, 2)


def test_a_state_is_found_by_its_token_and_record(agent: Actor) -> None:
    record, other = some_records(agent, 2)
    found = versions.find_version(agent, record.id, record.version)
    assert found is not None
    assert found.number == 1
    assert versions.find_version(agent, other.id, record.version) is None


# --- Who may -------------------------------------------------------------------------------------


def _reads(record_id: UUID) -> dict[str, Any]:
    return {
        "record.list": lambda by: list_records(
            actor=by, narrow=RecordFilter(), after=None, limit=1
        ),
        "record.get": lambda by: get_record(actor=by, record_id=record_id),
        "record.history": lambda by: get_history(
            actor=by, record_id=record_id, after=None, limit=1
        ),
        "citation.resolve": lambda by: resolve_citations(
            actor=by, record_id=record_id, after=None, limit=1
        ),
    }


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "agent", "agent_ro"])
def test_who_may_read_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    record = a_record(agent)
    for operation, read in _reads(record.id).items():
        actor: Actor = fresh(request.getfixturevalue(persona))
        assert read(actor).magnitude == 1
        assert audit_of(actor) == [Entry(operation, "allowed", "", 1)]


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_record(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    record = a_record(agent)
    for record_id in (record.id, uuid4()):
        for operation, read in _reads(record_id).items():
            actor: Actor = fresh(request.getfixturevalue(persona))
            with refused(actor, Denied, operation):
                read(actor)


@pytest.mark.parametrize("persona", ["outsider", "agent"])
def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    record_id = a_record(agent).id if persona == "outsider" else uuid4()
    for operation, read in _reads(record_id).items():
        actor: Actor = fresh(request.getfixturevalue(persona))
        if operation == "record.list":
            assert record_id not in {row.id for row in read(actor).rows}
        else:
            with refused(actor, NotFound, operation):
                read(actor)


def test_filters_never_leave_the_project(agent: Actor, outsider: Actor) -> None:
    a_record(agent, subject="Burundi", data_subject="a herder")
    for narrow in (
        {},
        {"subject": "Burundi"},
        {"data_subject": "a herder"},
        {"predicate": "has_capital"},
        {"status": RecordStatus.CURRENT},
        {"text": "meets"},
    ):
        assert listed(outsider, **narrow) == []
    assert Record.objects.count() == 1
