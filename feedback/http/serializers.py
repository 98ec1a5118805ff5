"""Inputs and outputs of `/v1/feedback` (`contract.md` 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedback.vocabulary import Order
from memory.http.fields import (
    CanonicalUUID,
    Choice,
    Cursor,
    StrictBoolean,
    StrictInteger,
    Text,
    Timestamp,
    page_limit,
)
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer
from memory.vocabulary import (
    NOTE_BYTES,
    OBJECT_BYTES,
    SUBJECT_BYTES,
    ActorKind,
    Edge,
    RecordChange,
    RecordStatus,
)

if TYPE_CHECKING:
    from feedback.operations.record_report import ReportReceipt

PROMOTED_INTO = (RecordChange.CORRECT, RecordChange.RETRACT)


class RecordReportInput(InputSerializer):
    """A doubt about a record."""

    record_id = CanonicalUUID()
    note = Text(max_bytes=NOTE_BYTES)
    proposed_object = Text(max_bytes=OBJECT_BYTES, required=False)
    reporter_subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)


class ListReportsInput(InputSerializer):
    """Filters and order of a list of reports."""

    record_id = CanonicalUUID(required=False)
    open_only = StrictBoolean(default=False)
    ready_only = StrictBoolean(default=False)
    order = Choice(Order, default=Order.NEWEST)
    limit = page_limit()
    after = Cursor(required=False)


class PromoteReportInput(InputSerializer):
    """The report, and the version of its record that the promoter saw."""

    id = CanonicalUUID()
    expected_version = CanonicalUUID()


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """What was recorded, and the texts as they were sent."""

    receipt: ReportReceipt
    note: str
    proposed_object: str | None


class ReportReceiptOutput(OutputSerializer):
    """The report that was recorded."""

    id = CanonicalUUID(source="receipt.id")
    record_id = CanonicalUUID(source="receipt.record_id")
    record_version = CanonicalUUID(source="receipt.record_version")
    note = Text()
    proposed_object = Text(omit_none=True)
    recorded_by = CanonicalUUID(source="receipt.recorded_by")
    recorded_by_kind = Choice(ActorKind, source="receipt.recorded_by_kind")
    recorded_via = Choice(Edge, source="receipt.recorded_via")
    recorded_at = Timestamp(source="receipt.recorded_at")
    replayed = StrictBoolean(source="receipt.is_replay")


class TargetOutput(OutputSerializer):
    """The record that a report is about, as it is now."""

    status = Choice(RecordStatus)
    version = CanonicalUUID()
    closed_at = Timestamp(nullable=True)
    subject = Text()
    predicate = Text()
    object = Text()
    statement_preview = Text()


class PromotionOfReportOutput(OutputSerializer):
    """What a promoted report was turned into."""

    operation = Choice(PROMOTED_INTO, source="change")
    expected_version = CanonicalUUID()
    version = CanonicalUUID()


class ReportOutput(OutputSerializer):
    """A report in a list; promotion fields and proposed_object only where there is one."""

    id = CanonicalUUID()
    record_id = CanonicalUUID()
    record_version = CanonicalUUID()
    note = Text()
    proposed_object = Text(omit_none=True)
    reporter_subject_id = Text(source="reporter_subject", nullable=True)
    recorded_by = CanonicalUUID()
    recorded_by_kind = Choice(ActorKind)
    recorded_via = Choice(Edge)
    recorded_at = Timestamp()
    ready = StrictBoolean(source="is_ready")
    target = TargetOutput()
    promoted_by = CanonicalUUID(omit_none=True)
    promoted_by_kind = Choice(ActorKind, omit_none=True)
    promoted_at = Timestamp(omit_none=True)
    replacement_record_id = CanonicalUUID(omit_none=True)
    promotion = PromotionOfReportOutput(omit_none=True)


class ReportPageOutput(OutputSerializer):
    """A page of reports."""

    feedback = ListOf(ReportOutput(), source="rows")
    next = Cursor(omit_none=True)


class PromotionOutput(OutputSerializer):
    """What a promotion did."""

    id = CanonicalUUID(source="report_id")
    record_id = CanonicalUUID()
    operation = Choice(PROMOTED_INTO, source="change")
    replacement_record_id = CanonicalUUID(omit_none=True)
    version = CanonicalUUID()
    promoted_at = Timestamp()
    closed_reports = StrictInteger(minimum=0)
    replayed = StrictBoolean(source="is_replay")
