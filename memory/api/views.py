"""The views of `/v1/records` and `/v1/citations`: one class a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.api import examples, serializers
from memory.api.answers import EvidenceAnswer, HistoryAnswer
from memory.api.meanings import MEANINGS
from memory.errors import IdempotencyConflict, IdempotencyInProgress, NotFound, RecordConflict
from memory.http.record_input import draft_of
from memory.http.views import ListedRows, OperationView, ReadView
from memory.operations.assert_records import AssertionReceipt, assert_records
from memory.operations.correct_records import Correction, CorrectionReceipt, correct_records
from memory.operations.retract_records import RetractionDraft, RetractionReceipt, retract_records
from memory.queries.citations import resolve_citations
from memory.queries.records import RecordDetail, RecordFilter, get_record, list_records
from memory.queries.versions import get_history
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest

_CHANGE_ERRORS = (NotFound, RecordConflict, IdempotencyConflict, IdempotencyInProgress)


class AssertRecordsView(OperationView):
    """Assert 1 to 20 records, all or nothing; a key or source id seen before answers its record."""

    operation_name = Operation.RECORD_ASSERT
    input_serializer = serializers.AssertRecordsInput
    output_serializer = serializers.AssertionOutput
    takes_key = True
    errors = (RecordConflict, IdempotencyConflict, IdempotencyInProgress)
    field_meanings = MEANINGS
    request_example, answer_example = examples.ASSERT, examples.ASSERTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> AssertionReceipt:
        """Assert the drafts."""
        drafts = [draft_of(record) for record in values["records"]]
        return assert_records(actor=actor, drafts=drafts, key=key)


class CorrectRecordsView(OperationView):
    """Correct 1 to 20 records of the versions seen: each is superseded by a new one."""

    operation_name = Operation.RECORD_CORRECT
    input_serializer = serializers.CorrectRecordsInput
    output_serializer = serializers.CorrectionOutput
    takes_key = True
    errors = _CHANGE_ERRORS
    field_meanings = MEANINGS
    request_example, answer_example = examples.CORRECT, examples.CORRECTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> CorrectionReceipt:
        """Correct each."""
        corrections = [
            Correction(record_id=record.pop("id"), **record) for record in values["records"]
        ]
        return correct_records(actor=actor, corrections=corrections, key=key)


class RetractRecordsView(OperationView):
    """Retract 1 to 20 records of the versions seen; nothing replaces them."""

    operation_name = Operation.RECORD_RETRACT
    input_serializer = serializers.RetractRecordsInput
    output_serializer = serializers.RetractionsOutput
    takes_key = True
    errors = _CHANGE_ERRORS
    field_meanings = MEANINGS
    request_example, answer_example = examples.RETRACT, examples.RETRACTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> RetractionReceipt:
        """Retract each."""
        retractions = [
            RetractionDraft(record_id=record["id"], expected_version=record["expected_version"])
            for record in values["records"]
        ]
        return retract_records(actor=actor, retractions=retractions, key=key)


class ListRecordsView(ReadView):
    """List records, newest first."""

    operation_name = Operation.RECORD_LIST
    input_serializer = serializers.ListRecordsInput
    output_serializer = serializers.RecordPageOutput
    field_meanings = MEANINGS
    request_example, answer_example = examples.LIST, examples.LISTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ListedRows:
        """Read one page."""
        cursors = self.cursors(actor, values)
        narrow = RecordFilter(
            status=values["status"],
            predicate=values["predicate"],
            subject=values["subject"],
            data_subject=values["data_subject_id"],
            text=values["text"],
        )
        after = cursors.read(values["after"])
        page = list_records(actor=actor, narrow=narrow, after=after, limit=values["limit"])
        return ListedRows(page.rows, cursors.sign(page.next))


class GetRecordView(ReadView):
    """Get one record, whole."""

    operation_name = Operation.RECORD_GET
    input_serializer = serializers.GetRecordInput
    output_serializer = serializers.RecordDetailOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    request_example, answer_example = examples.GET, examples.GOT

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> RecordDetail:
        """Read it."""
        return get_record(actor=actor, record_id=values["id"])


class GetHistoryView(ReadView):
    """Get the states that a record has been in, newest first."""

    operation_name = Operation.RECORD_HISTORY
    input_serializer = serializers.GetHistoryInput
    output_serializer = serializers.HistoryOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    request_example, answer_example = examples.HISTORY, examples.HISTORY_GOT

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> HistoryAnswer:
        """Read one page of them."""
        cursors = self.cursors(actor, values)
        after = cursors.read(values["after"]) or cursors.read(values["before"], "before")
        history = get_history(
            actor=actor, record_id=values["id"], after=after, limit=values["limit"]
        )
        return HistoryAnswer(
            history.record, history.versions.rows, cursors.sign(history.versions.next)
        )


class ResolveCitationsView(ReadView):
    """Resolve what a record rests on: the quotes, and the messages around them."""

    operation_name = Operation.CITATION_RESOLVE
    input_serializer = serializers.ResolveCitationsInput
    output_serializer = serializers.EvidenceOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    request_example, answer_example = examples.RESOLVE, examples.RESOLVED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> EvidenceAnswer:
        """Read one page of them."""
        cursors = self.cursors(actor, values)
        after = cursors.read(values["after"])
        evidence = resolve_citations(
            actor=actor, record_id=values["id"], after=after, limit=values["limit"]
        )
        return EvidenceAnswer(
            evidence.record, evidence.citations.rows, cursors.sign(evidence.citations.next)
        )
