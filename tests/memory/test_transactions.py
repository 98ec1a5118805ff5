"""One transaction a call: it names its project, is retried where that helps, and is audited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from feedback.queries.reports import ReportRow, list_reports
from feedback.vocabulary import Queue
from memory import audit
from memory.errors import NotFound, RecordConflict, Unavailable
from memory.models import AuditEntry, Record
from memory.operations.assert_records import assert_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.records import RecordFilter, get_record, list_records
from memory.scope import current_scope
from memory.transactions import database_time, operation, project_scope
from memory.vocabulary import Operation
from tests.factories import RecordDraftFactory, a_record, a_report, fresh, some_records
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of
from tests.racing import behind, refusals
from tests.statements import Execute, Held, watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.paging import Page

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(slots=True)
class Provoking:
    """Makes the database itself raise an error, the first times that a text is sent."""

    text: str
    sqlstate: str
    times: int
    raised: int = 0

    def __call__(self, execute: Execute, sql: str, params: Any, *how: Any) -> Any:
        """Send what raises, in place of the statement."""
        if self.text in sql and self.raised < self.times:
            self.raised += 1
            raising = f"DO $$ BEGIN RAISE 'provoked' USING ERRCODE = '{self.sqlstate}'; END $$"
            return execute(raising, None, *how)
        return execute(sql, params, *how)


def setting() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('errata.project', true)")
        return str(cursor.fetchone()[0])


def test_the_project_is_named_to_the_database_for_one_transaction(operator: Actor) -> None:
    with project_scope(operator.project_id) as scope:
        assert setting() == str(operator.project_id)
        assert current_scope() is scope
        assert (scope.project_id, scope.name) == (operator.project_id, "demo")
    assert setting() in {"", "None"}
    with pytest.raises(RuntimeError, match="project_scope"):
        current_scope()


def test_a_scope_within_a_scope_joins_it(operator: Actor, outsider: Actor) -> None:
    with project_scope(operator.project_id) as outer:
        with project_scope(operator.project_id) as inner:
            assert inner is outer
        with (
            pytest.raises(RuntimeError, match="one project"),
            project_scope(outsider.project_id),
        ):
            pass


def test_a_project_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound), project_scope(uuid4()):
        pass


def test_the_time_is_the_database_s_and_never_runs_back(operator: Actor) -> None:  # noqa: ARG001
    first = database_time()
    assert database_time() > first
    ahead = replace_year(first)
    assert database_time(not_before=[first, ahead]) == ahead


def replace_year(at: Any) -> Any:
    return at.replace(year=at.year + 1)


def test_an_operation_called_by_another_is_part_of_it(agent: Actor) -> None:
    @operation(Operation.RECORD_RETRACT)
    def outer(*, actor: Actor) -> None:
        assert_records(actor=actor, drafts=[RecordDraftFactory.create()])
        raise RecordConflict

    with pytest.raises(RecordConflict):
        outer(actor=agent)
    assert not Record.objects.exists()
    assert audit_of(agent) == [Entry("record.retract", "refused", "record_conflict", 0)]


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
@pytest.mark.parametrize("text", ["memory_citation", "memory_auditentry"])
def test_deadlocks_and_serialization_failures_are_retried_three_times(
    agent: Actor, sqlstate: str, text: str
) -> None:
    provoking = Provoking(f'INSERT INTO "{text}"', sqlstate, times=3)
    with connection.execute_wrapper(provoking):
        assert_records(actor=agent, drafts=[RecordDraftFactory.create()])
    assert provoking.raised == 3
    assert Record.objects.count() == 1
    assert audit_of(agent) == [Entry("record.assert", "allowed", "", 1)]
    assert_invariants()


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_a_deadlock_that_lasts_is_unavailable(agent: Actor, sqlstate: str) -> None:
    provoking = Provoking('INSERT INTO "memory_citation"', sqlstate, times=9)
    with connection.execute_wrapper(provoking), pytest.raises(Unavailable):
        assert_records(actor=agent, drafts=[RecordDraftFactory.create()])
    assert provoking.raised == 4
    assert not Record.objects.exists()
    assert audit_of(agent) == [Entry("record.assert", "refused", "unavailable", 0)]


@pytest.mark.parametrize(
    "sqlstate", ["55P03", "57014", "25006", "57P01", "53100", "53300", "08006", "58030"]
)
def test_a_busy_database_is_unavailable_at_once(agent: Actor, sqlstate: str) -> None:
    provoking = Provoking('INSERT INTO "memory_citation"', sqlstate, times=9)
    with connection.execute_wrapper(provoking), pytest.raises(Unavailable):
        assert_records(actor=agent, drafts=[RecordDraftFactory.create()])
    assert provoking.raised == 1
    assert not Record.objects.exists()
    assert audit_of(agent) == [Entry("record.assert", "refused", "unavailable", 0)]


def test_a_fault_of_ours_is_no_refusal(agent: Actor) -> None:
    provoking = Provoking('INSERT INTO "memory_citation"', "XX000", times=9)
    with connection.execute_wrapper(provoking), pytest.raises(DatabaseError):
        assert_records(actor=agent, drafts=[RecordDraftFactory.create()])
    assert audit_of(agent) == []
    assert not Record.objects.exists()


def test_a_record_locked_elsewhere_is_unavailable_after_the_lock_time_out(agent: Actor) -> None:
    record = a_record(agent)
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    first_call, second_call = (
        partial(retract_records, actor=fresh(agent), retractions=[draft]) for _ in range(2)
    )
    held = Held("FOR NO KEY UPDATE")
    with behind(held, first_call) as first, pytest.raises(Unavailable):
        second_call()
    assert refusals(first) == []
    assert_invariants()


# --- Audited reads -------------------------------------------------------------------------------


def test_a_read_is_audited_with_its_number_of_rows(agent: Actor, reader: Actor) -> None:
    record = some_records(agent, 3)[0]
    list_records(actor=reader, narrow=RecordFilter(), after=None, limit=2)
    get_record(actor=agent, record_id=record.id)
    assert audit_of(reader) == [Entry("record.list", "allowed", "", 2)]
    assert audit_of(agent) == [Entry("record.get", "allowed", "", 1)]
    assert set(AuditEntry.objects.filter(is_read=True).values_list("operation", flat=True)) == {
        "record.list",
        "record.get",
    }


def test_a_read_within_a_transaction_is_part_of_it(agent: Actor) -> None:
    record = a_record(agent)
    reading = fresh(agent)
    with project_scope(agent.project_id):
        get_record(actor=reading, record_id=record.id)
        assert audit_of(reading) == [Entry("record.get", "allowed", "", 1)]


def test_a_read_that_cannot_be_audited_does_not_happen(agent: Actor) -> None:
    record = a_record(agent)
    read = partial(get_record, actor=fresh(agent), record_id=record.id)
    provoking = Provoking('INSERT INTO "memory_auditentry"', "53100", times=9)
    with connection.execute_wrapper(provoking), pytest.raises(Unavailable):
        read()
    assert read().id == record.id


def test_a_refusal_that_cannot_be_audited_is_unavailable(agent: Actor) -> None:
    provoking = Provoking('INSERT INTO "memory_auditentry"', "53100", times=9)
    with connection.execute_wrapper(provoking), pytest.raises(Unavailable):
        get_record(actor=agent, record_id=uuid4())


def test_a_refused_read_is_audited(agent: Actor) -> None:
    with pytest.raises(NotFound) as raised:
        get_record(actor=agent, record_id=uuid4())
    assert raised.value.is_audited
    assert audit_of(agent) == [Entry("record.get", "refused", "not_found", 0)]


def test_entries_of_one_transaction_bear_its_number(agent: Actor) -> None:
    with project_scope(agent.project_id):
        audit.allowed(
            agent, audit.Call(Operation.RECORD_GET, 1), audit.Call(Operation.RECORD_LIST, 2)
        )
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()::text::bigint")
            (number,) = cursor.fetchone()
    entries = AuditEntry.objects.filter(request_id=agent.request_id)
    assert set(entries.values_list("transaction_id", flat=True)) == {number}


# --- Reads of one statement ----------------------------------------------------------------------


def one_report(actor: Actor) -> Page[ReportRow]:
    return list_reports(actor=actor, queue=Queue.OPEN, after=None, limit=1)


def test_a_read_of_one_statement_counts_the_rows_that_it_shows(agent: Actor, reader: Actor) -> None:
    first, second = a_report(agent), a_report(agent)
    with watched() as statements:
        page = one_report(reader)
    assert [row.id for row in page.rows] == [second.id] != [first.id]
    assert page.next is not None
    assert len(statements) == 1
    assert audit_of(reader) == [Entry("feedback.list", "allowed", "", 1)]
    assert AuditEntry.objects.get(request_id=reader.request_id).is_read


def test_a_read_of_one_statement_names_its_project_for_that_statement(reader: Actor) -> None:
    page = f"SELECT current_setting('errata.project') WHERE {audit.PROJECT} IS NOT NULL"
    rows = audit.read(reader, audit.Call(Operation.FEEDBACK_LIST, 5), page, [])
    assert rows == [(str(reader.project_id),)]
    assert setting() in {"", "None"}


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_a_read_of_one_statement_is_retried(agent: Actor, reader: Actor, sqlstate: str) -> None:
    report = a_report(agent)
    provoking = Provoking('INSERT INTO "memory_auditentry"', sqlstate, times=3)
    with connection.execute_wrapper(provoking):
        assert [row.id for row in one_report(reader).rows] == [report.id]
    assert provoking.raised == 3
    assert audit_of(reader) == [Entry("feedback.list", "allowed", "", 1)]


def test_a_read_of_one_statement_that_fails_is_refused_and_audited(reader: Actor) -> None:
    provoking = Provoking("WITH project", "57014", times=1)
    with connection.execute_wrapper(provoking), pytest.raises(Unavailable):
        one_report(reader)
    assert audit_of(reader) == [Entry("feedback.list", "refused", "unavailable", 0)]


def test_a_read_of_one_statement_that_cannot_be_audited_does_not_happen(
    agent: Actor, reader: Actor
) -> None:
    a_report(agent)
    with connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE memory_auditentry ADD CONSTRAINT refused CHECK (false) NOT VALID"
        )
    try:
        with pytest.raises(DatabaseError):
            one_report(reader)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE memory_auditentry DROP CONSTRAINT refused")
    assert audit_of(reader) == []


def test_a_read_of_one_statement_within_a_transaction_is_part_of_it(
    agent: Actor, reader: Actor
) -> None:
    a_report(agent)
    with project_scope(reader.project_id):
        assert one_report(reader).magnitude == 1
        assert audit_of(reader) == [Entry("feedback.list", "allowed", "", 1)]
        transaction.set_rollback(True)
    assert audit_of(reader) == []
