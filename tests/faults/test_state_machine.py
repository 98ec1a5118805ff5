"""Any sequence of calls against a model in plain Python: same answers, same queue, same audit.

Rule: `assurance.md` fault test 24. Erasure joins when it exists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from typing_extensions import override

from feedback.operations.promote_report import promote_report
from feedback.operations.record_report import ReportDraft, record_report
from feedback.queries.reports import list_reports
from feedback.vocabulary import Order, Queue
from memory.actor import Actor
from memory.errors import DomainError
from memory.keys import IdempotencyRequest
from memory.models import AuditEntry, Record
from memory.operations.assert_records import assert_records
from memory.operations.correct_records import Correction, correct_records
from memory.operations.issue_credential import issue_credential
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Access
from tests.amounts import PATIENCE, amount
from tests.factories import MARKER, RecordDraftFactory, a_key, a_project, fresh
from tests.invariants import broken_invariants
from tests.personas import client


@dataclass(slots=True)
class KnownRecord:
    """What the model knows of a record."""

    id: UUID
    version: UUID
    status: str = "current"
    origin: str | None = None


@dataclass(slots=True)
class KnownReport:
    """What the model knows of a report."""

    id: UUID
    record: KnownRecord
    proposed: str | None
    promoted: bool = False


@dataclass(slots=True)
class Repeatable:
    """A write that succeeded under a key, to be sent again."""

    call: Any
    arguments: dict[str, Any]
    key: IdempotencyRequest
    answer: Any


@dataclass(slots=True)
class Model:
    """The whole project in plain Python."""

    records: list[KnownRecord] = field(default_factory=list)
    reports: list[KnownReport] = field(default_factory=list)  # in the order of recording
    entries: int = 0
    is_unread: bool = False

    def open(self) -> list[UUID]:
        """The open queue, newest first."""
        return [report.id for report in reversed(self.reports) if not report.promoted]

    def ready(self) -> list[UUID]:
        """The ready queue, oldest first."""
        return [
            report.id
            for report in self.reports
            if not report.promoted and report.record.status == "current"
        ]


class Machine(RuleBasedStateMachine):
    """Sends calls to the product and to the model."""

    records = Bundle("records")
    reports = Bundle("reports")
    sent = Bundle("sent")

    @initialize()
    def begin(self) -> None:
        """Start in a project of one's own."""
        operator = a_project()[1]
        receipt = issue_credential(actor=operator, name="agent", access=Access.READ_WRITE)
        self.actor: Actor = client(operator, receipt, "agent", Access.READ_WRITE)
        self.model = Model()

    # --- Calls -----------------------------------------------------------------------------------

    def send(self, call: Any, *, entries: int = 1, **arguments: Any) -> Any:
        """Make a call; what it returned, or the code of its refusal. Counts the audit entries."""
        try:
            answer = call(actor=fresh(self.actor), **arguments)
        except DomainError as error:
            self.model.entries += 1
            return error.code
        self.model.entries += entries
        return answer

    def close(self, record: KnownRecord, status: str, version: UUID) -> None:
        """A record ended in the model."""
        record.status, record.version = status, version
        self.model.is_unread = True

    @rule(target=records, number=st.integers(0, 3), has_origin=st.booleans())
    def assert_a_record(self, number: int, *, has_origin: bool) -> Any:
        """A new record, or one that its origin names already."""
        name = f"{MARKER}-{number}" if has_origin else None
        said: dict[str, Any] = {}
        if name is not None:
            said = {"subject": name, "object": name, "origin": Origin("dataset", None, name)}
        known = next((r for r in self.model.records if name and r.origin == name), None)
        receipt = self.send(assert_records, drafts=[RecordDraftFactory.create(**said)])
        (row,) = receipt.records
        if known is not None:
            assert (row.id, row.version, row.status) == (known.id, known.version, known.status)
            assert row.is_replay
            return multiple()
        assert not row.is_replay
        record = KnownRecord(row.id, row.version, origin=name)
        self.model.records.append(record)
        return record

    @rule(record=records, is_stale=st.booleans(), target=records)
    def correct(self, record: KnownRecord, *, is_stale: bool) -> Any:
        """Only the current version of a current record can be corrected."""
        correction = Correction(
            record_id=record.id,
            expected_version=uuid4() if is_stale else record.version,
            object=f"{MARKER} corrected",
            statement=f"{MARKER} corrected.",
        )
        answer = self.send(correct_records, corrections=[correction])
        if is_stale or record.status != "current":
            assert answer == "record_conflict"
            return multiple()
        (row,) = answer.records
        self.close(record, "superseded", row.original_version)
        replacement = KnownRecord(row.id, row.version)
        self.model.records.append(replacement)
        return replacement

    @rule(record=records, is_stale=st.booleans())
    def retract(self, record: KnownRecord, *, is_stale: bool) -> None:
        """Only the current version of a current record can be retracted."""
        draft = RetractionDraft(
            record_id=record.id, expected_version=uuid4() if is_stale else record.version
        )
        answer = self.send(retract_records, retractions=[draft])
        if is_stale or record.status != "current":
            assert answer == "record_conflict"
        else:
            self.close(record, "retracted", answer.records[0].version)

    @rule(target=reports, record=records, proposes=st.booleans())
    def report(self, record: KnownRecord, *, proposes: bool) -> KnownReport:
        """Any record can be doubted, in any state."""
        proposed = f"{MARKER} proposed" if proposes else None
        draft = ReportDraft(record_id=record.id, note=f"{MARKER} doubt.", proposed_object=proposed)
        receipt = self.send(record_report, draft=draft)
        assert receipt.record_version == record.version
        known = KnownReport(receipt.id, record, proposed)
        self.model.reports.append(known)
        self.model.is_unread = True
        return known

    @rule(target=records, report=reports, is_stale=st.booleans())
    def promote(self, report: KnownReport, *, is_stale: bool) -> Any:
        """Decided first, then the version; the winner changes the record."""
        record = report.record
        version = uuid4() if is_stale else record.version
        is_legal = not report.promoted and not is_stale and record.status == "current"
        answer = self.send(
            promote_report,
            entries=2,
            report_id=report.id,
            expected_version=version,
        )
        if not is_legal:
            code = "feedback_already_promoted" if report.promoted else "record_conflict"
            assert answer == code
            return multiple()
        report.promoted = self.model.is_unread = True
        closing = Record.objects.values_list("version", flat=True).get(id=record.id)
        siblings = [r for r in self.model.reports if r.record is record and not r.promoted]
        assert answer.closed_reports == len(siblings)
        if report.proposed is None:
            self.close(record, "retracted", closing)
            assert answer.version == closing
            return multiple()
        self.close(record, "superseded", closing)
        replacement = KnownRecord(answer.replacement_record_id, answer.version)
        self.model.records.append(replacement)
        return replacement

    @rule(target=sent, record=records)
    def report_with_a_key(self, record: KnownRecord) -> Repeatable:
        """A report that can be sent again."""
        arguments: dict[str, Any] = {
            "draft": ReportDraft(record_id=record.id, note=f"{MARKER} keyed.")
        }
        key = a_key()
        answer = self.send(record_report, key=key, **arguments)
        self.model.reports.append(KnownReport(answer.id, record, None))
        return Repeatable(record_report, arguments, key, answer)

    @rule(target=sent, record=records)
    def retract_with_a_key(self, record: KnownRecord) -> Any:
        """A retraction that can be sent again; a refused one leaves no key."""
        draft = RetractionDraft(record_id=record.id, expected_version=record.version)
        arguments: dict[str, Any] = {"retractions": [draft]}
        key = a_key()
        answer = self.send(retract_records, key=key, **arguments)
        if record.status != "current":
            assert answer == "record_conflict"
            return multiple()
        self.close(record, "retracted", answer.records[0].version)
        return Repeatable(retract_records, arguments, key, answer)

    @rule(repeated=sent)
    def repeat(self, repeated: Repeatable) -> None:
        """The same call under the same key answers the same and does nothing."""
        answer = self.send(repeated.call, key=repeated.key, **repeated.arguments)
        assert answer.is_replay
        if repeated.call is retract_records:
            assert answer.records == repeated.answer.records
        else:
            assert answer.id == repeated.answer.id

    @rule(repeated=sent, other=records)
    def use_a_key_twice(self, repeated: Repeatable, other: KnownRecord) -> None:
        """Another call under a used key is refused."""
        key = a_key(repeated.key.key, call="another")
        draft = ReportDraft(record_id=other.id, note=f"{MARKER} other.")
        assert self.send(record_report, key=key, draft=draft) == "idempotency_conflict"

    # --- What always holds -----------------------------------------------------------------------

    @precondition(lambda self: self.model.is_unread)
    @rule()
    def list_queues(self) -> None:
        """Both queues hold what the model holds, in its order."""
        self.model.is_unread = False
        for queue, order, expected in (
            (Queue.OPEN, Order.NEWEST, self.model.open()),
            (Queue.READY, Order.OLDEST, self.model.ready()),
        ):
            page = self.send(list_reports, queue=queue, order=order, after=None, limit=100)
            assert [row.id for row in page.rows] == expected

    @invariant()
    def records_are_equal(self) -> None:
        """Every record stands where the model has it."""
        rows = Record.objects.filter(project_id=self.actor.project_id)
        stand = rows.values_list("id", "version", "status")
        assert {id_: (version, status) for id_, version, status in stand} == {
            record.id: (record.version, record.status) for record in self.model.records
        }

    @invariant()
    def every_call_is_audited(self) -> None:
        """As many entries as calls, two for a promotion."""
        entries = AuditEntry.objects.filter(actor_id=self.actor.id)
        assert entries.count() == self.model.entries

    @override
    def teardown(self) -> None:
        """In the end the queues are equal once more, and the invariants of the product hold."""
        self.list_queues()
        self.every_call_is_audited()
        assert broken_invariants() == {}


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE)
@pytest.mark.django_db
def test_the_product_is_what_the_model_says() -> None:
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=amount(quick=50, full=500),
            stateful_step_count=amount(quick=30, full=50),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
