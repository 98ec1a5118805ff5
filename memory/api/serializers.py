"""Inputs and outputs of `/v1/records` and `/v1/citations` (`contract.md` 1)."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from memory.http.fields import (
    CanonicalUUID,
    Choice,
    Constant,
    Cursor,
    StrictBoolean,
    StrictInteger,
    StrictNumber,
    Text,
    Timestamp,
    TrustLevel,
    page_limit,
)
from memory.http.record_input import RecordInput
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer, refuse_repeats
from memory.http.strict_field import refuse
from memory.vocabulary import (
    OBJECT_BYTES,
    PREDICATE_BYTES,
    PREDICATE_PATTERN,
    RECORDS_PER_CALL,
    STATEMENT_BYTES,
    SUBJECT_BYTES,
    ActorKind,
    Edge,
    MessageRole,
    RecordChange,
    RecordKind,
    RecordStatus,
    Relation,
    SourceKind,
)

TEXT_CHARACTERS = 256
CITATIONS_PER_PAGE = 32
CITATIONS_DEFAULT = 8


class AssertRecordsInput(InputSerializer):
    """Records to be asserted, all or nothing."""

    records = ListOf(RecordInput(), minimum=1, maximum=RECORDS_PER_CALL)

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """Each record once."""
        refuse_repeats(values["records"], "idempotency_key", f"{path}records")


class CorrectionInput(InputSerializer):
    """What one record should say instead."""

    id = CanonicalUUID()
    expected_version = CanonicalUUID()
    object = Text(max_bytes=OBJECT_BYTES)
    statement = Text(max_bytes=STATEMENT_BYTES)
    valid_from = Timestamp(required=False)
    confidence = StrictNumber(above=0, maximum=1, required=False)


class ChangeRecordsInput(InputSerializer):
    """What corrections and retractions have in common."""

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """Each record once."""
        refuse_repeats(values["records"], "id", f"{path}records")


class CorrectRecordsInput(ChangeRecordsInput):
    """Records to be corrected, all or nothing."""

    records = ListOf(CorrectionInput(), minimum=1, maximum=RECORDS_PER_CALL)


class RetractionInput(InputSerializer):
    """A record to be believed no more."""

    id = CanonicalUUID()
    expected_version = CanonicalUUID()


class RetractRecordsInput(ChangeRecordsInput):
    """Records to be retracted, all or nothing."""

    records = ListOf(RetractionInput(), minimum=1, maximum=RECORDS_PER_CALL)


class ListRecordsInput(InputSerializer):
    """Filters of a list of records; all that are given hold together."""

    status = Choice(RecordStatus, required=False)
    predicate = Text(max_bytes=PREDICATE_BYTES, pattern=PREDICATE_PATTERN, required=False)
    subject = Text(max_bytes=SUBJECT_BYTES, required=False)
    data_subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    text = Text(max_characters=TEXT_CHARACTERS, required=False)
    limit = page_limit()
    after = Cursor(required=False)


class GetRecordInput(InputSerializer):
    """One record."""

    id = CanonicalUUID()


class GetHistoryInput(InputSerializer):
    """One record's history; `before` is another name for `after`."""

    id = CanonicalUUID()
    limit = page_limit()
    after = Cursor(required=False)
    before = Cursor(required=False)

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """One name for the cursor, not both."""
        if values["after"] is not None and values["before"] is not None:
            refuse(f"{path}before", "must not stand beside after.")


class ResolveCitationsInput(InputSerializer):
    """One record's evidence."""

    id = CanonicalUUID()
    limit = page_limit(CITATIONS_PER_PAGE, CITATIONS_DEFAULT)
    after = Cursor(required=False)


class AssertedRecordOutput(OutputSerializer):
    """A record that an assertion made, or had made before."""

    id = CanonicalUUID()
    version = CanonicalUUID()
    source_observation_id = CanonicalUUID(source="source_id")
    replayed = StrictBoolean(source="is_replay")
    status = Choice(RecordStatus)


class AssertionOutput(OutputSerializer):
    """One row a record, in their order."""

    records = ListOf(AssertedRecordOutput())
    replayed = StrictBoolean(source="is_replay")


class CorrectedRecordOutput(OutputSerializer):
    """The closed record with its closing version, and the one in its place."""

    original_id = CanonicalUUID()
    original_version = CanonicalUUID()
    id = CanonicalUUID()
    version = CanonicalUUID()
    source_observation_id = CanonicalUUID(source="source_id")


class CorrectionOutput(OutputSerializer):
    """One row a record, in their order."""

    records = ListOf(CorrectedRecordOutput())
    replayed = StrictBoolean(source="is_replay")


class RetractedRecordOutput(OutputSerializer):
    """A retracted record with its closing version, and what closed it."""

    id = CanonicalUUID()
    version = CanonicalUUID()
    operation_id = CanonicalUUID()
    principal_id = CanonicalUUID()
    retracted_at = Timestamp()


class RetractionsOutput(OutputSerializer):
    """One row a record, in their order."""

    records = ListOf(RetractedRecordOutput())
    replayed = StrictBoolean(source="is_replay")


class RecordRowOutput(OutputSerializer):
    """A record in a list."""

    id = CanonicalUUID()
    version = CanonicalUUID()
    subject_entity_id = Constant(value=None)
    object_entity_id = Constant(value=None)
    subject = Text()
    predicate = Text()
    object = Text()
    statement_preview = Text()
    statement_bytes = StrictInteger(minimum=1)
    preview_truncated = StrictBoolean(source="is_preview_truncated")
    kind = Choice(RecordKind)
    confidence = StrictNumber()
    trust = TrustLevel()
    disputed = StrictBoolean(source="is_disputed")
    data_subject_id = Text(source="data_subject", nullable=True)
    source_role = Choice(MessageRole)
    recorded_at = Timestamp()
    status = Choice(RecordStatus)


class RecordPageOutput(OutputSerializer):
    """A page of records."""

    records = ListOf(RecordRowOutput(), source="rows")
    next = Cursor(omit_none=True)


class IntervalOutput(OutputSerializer):
    """From inclusive, until exclusive."""

    start = Timestamp(source="start")
    until = Timestamp(nullable=True)
    from_inclusive = Constant(value=True)
    until_inclusive = Constant(value=False)

    @override
    def get_fields(self) -> dict[str, Any]:
        """The fields by wire name; `from` is no name that Python lets a class have."""
        fields = super().get_fields()
        return {"from": fields.pop("start"), **fields}


class RetractionOutput(OutputSerializer):
    """What closed a record."""

    operation_id = CanonicalUUID()
    principal_id = CanonicalUUID()
    retracted_at = Timestamp()
    replacement_record_id = CanonicalUUID(omit_none=True)
    replacement_source_observation_id = CanonicalUUID(
        source="replacement_source_id", omit_none=True
    )


class RecordDetailOutput(OutputSerializer):
    """One record, whole."""

    id = CanonicalUUID()
    version = CanonicalUUID()
    version_number = StrictInteger(minimum=1)
    scope = Text()
    subject_entity_id = Constant(value=None)
    object_entity_id = Constant(value=None)
    subject = Text()
    predicate = Text()
    object = Text()
    statement = Text()
    kind = Choice(RecordKind)
    confidence = StrictNumber()
    trust = TrustLevel()
    disputed = StrictBoolean(source="is_disputed")
    data_subject_id = Text(source="data_subject", nullable=True)
    source_role = Choice(MessageRole)
    status = Choice(RecordStatus)
    valid = IntervalOutput()
    known = IntervalOutput()
    replaces = CanonicalUUID(nullable=True)
    replaced_by = CanonicalUUID(nullable=True)
    single_valued = StrictBoolean(source="is_single_valued")
    citations = StrictInteger(minimum=0)
    open_reports = StrictInteger(minimum=0)
    retraction = RetractionOutput(omit_none=True)
    recorded_by = CanonicalUUID()
    recorded_by_kind = Choice(ActorKind)
    recorded_via = Choice(Edge)
    recorded_at = Timestamp()


class StateOutput(OutputSerializer):
    """One state of a record, without its token."""

    version_number = StrictInteger(minimum=1, source="number")
    change = Choice(RecordChange)
    status = Choice(RecordStatus)
    valid = IntervalOutput()
    known = IntervalOutput()
    request_id = Text()
    recorded_by = CanonicalUUID()
    recorded_by_kind = Choice(ActorKind)
    recorded_via = Choice(Edge)
    recorded_at = Timestamp()


class VersionOutput(StateOutput):
    """One state of a record."""

    version = CanonicalUUID(source="id")


class PreviousOutput(StateOutput):
    """A state that something ended."""

    history_id = CanonicalUUID(source="id")
    ended_by_observation_id = CanonicalUUID(source="ended_by_source_id", nullable=True)


class CurrentOutput(OutputSerializer):
    """The intervals of a record as they stand."""

    valid = IntervalOutput()
    known = IntervalOutput()


class HistoryOutput(OutputSerializer):
    """A record, and a page of the states that it has been in."""

    id = CanonicalUUID(source="record.id")
    version = CanonicalUUID(source="record.version")
    current = CurrentOutput(source="record")
    retraction = RetractionOutput(source="record.retraction", omit_none=True)
    previous = ListOf(PreviousOutput())
    versions = ListOf(VersionOutput())
    next = Cursor(omit_none=True)


class CitationOutput(OutputSerializer):
    """One cited span and what stands around it."""

    source_observation_id = CanonicalUUID(source="source_id")
    source_ordinal = StrictInteger(minimum=0, source="ordinal")
    log_offset = StrictInteger(minimum=0)
    relation = Choice(Relation)
    role = Choice(MessageRole)
    source_kind = Choice(SourceKind)
    source_type = Text(source="origin_type")
    source_ref = Text(source="origin_ref", nullable=True)
    source_trust = TrustLevel()
    authored_by = CanonicalUUID()
    occurred_at = Timestamp(nullable=True)
    quote = Text()
    byte_start = StrictInteger(minimum=0)
    byte_end = StrictInteger(minimum=1)
    extractor_version = Constant(value="curated/v1")
    context = Text()  # type: ignore[assignment]  # an attribute of DRF has that name
    context_byte_start = StrictInteger(minimum=0)
    context_byte_end = StrictInteger(minimum=1)
    context_complete = StrictBoolean(source="is_context_complete")


class EvidenceOutput(OutputSerializer):
    """A record, and a page of what it rests on."""

    id = CanonicalUUID(source="record.id")
    version = CanonicalUUID(source="record.version")
    scope = Text(source="record.scope")
    subject_entity_id = Constant(value=None)
    object_entity_id = Constant(value=None)
    subject = Text(source="record.subject")
    predicate = Text(source="record.predicate")
    object = Text(source="record.object")
    statement = Text(source="record.statement")
    confidence = StrictNumber(source="record.confidence")
    trust = TrustLevel(source="record.trust")
    source_role = Choice(MessageRole, source="record.source_role")
    recorded_at = Timestamp(source="record.recorded_at")
    valid = IntervalOutput(source="record.valid")
    known = IntervalOutput(source="record.known")
    status = Choice(RecordStatus, source="record.status")
    retraction = RetractionOutput(source="record.retraction", omit_none=True)
    replaced_by = CanonicalUUID(source="record.replaced_by", omit_none=True)
    evidence = ListOf(CitationOutput())
    next = Cursor(omit_none=True)
