"""The views of `/v1/feedback`: one class a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from feedback.api import examples
from feedback.errors import ReportAlreadyPromoted
from feedback.http import serializers
from feedback.http.calls import report_doubt
from feedback.http.meanings import MEANINGS
from feedback.operations.promote_report import PromotionReceipt, promote_report
from feedback.queries.reports import list_reports
from feedback.vocabulary import Queue
from memory.errors import IdempotencyConflict, IdempotencyInProgress, NotFound, RecordConflict
from memory.http.views import ListedRows, OperationView, ReadView
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


class RecordReportView(OperationView):
    """Report a doubt about a record. It changes nothing and waits until somebody promotes it."""

    operation_name = Operation.FEEDBACK_RECORD
    input_serializer = serializers.RecordReportInput
    output_serializer = serializers.ReportReceiptOutput
    takes_key = True
    errors = (NotFound, IdempotencyConflict, IdempotencyInProgress)
    field_meanings = MEANINGS
    request_example, answer_example = examples.RECORD, examples.RECORDED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> serializers.ReportAnswer:
        """Record it; the texts of the answer are those that were sent."""
        return report_doubt(actor, values, key)


class ListReportsView(ReadView):
    """List reports: all, the open ones, or those that could be promoted now."""

    operation_name = Operation.FEEDBACK_LIST
    input_serializer = serializers.ListReportsInput
    output_serializer = serializers.ReportPageOutput
    field_meanings = MEANINGS
    request_example, answer_example = examples.LIST, examples.LISTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ListedRows:
        """Read one page."""
        cursors = self.cursors(actor, values)
        queue = Queue.OPEN if values["open_only"] else Queue.ALL
        page = list_reports(
            actor=actor,
            queue=Queue.READY if values["ready_only"] else queue,
            record_id=values["record_id"],
            order=values["order"],
            after=cursors.read(values["after"]),
            limit=values["limit"],
        )
        return ListedRows(page.rows, cursors.sign(page.next))


class PromoteReportView(OperationView):
    """Promote a report: correct its record when it proposes an object, else retract it."""

    operation_name = Operation.FEEDBACK_PROMOTE
    input_serializer = serializers.PromoteReportInput
    output_serializer = serializers.PromotionOutput
    takes_key = True
    errors = (
        NotFound,
        ReportAlreadyPromoted,
        RecordConflict,
        IdempotencyConflict,
        IdempotencyInProgress,
    )
    field_meanings = MEANINGS
    request_example, answer_example = examples.PROMOTE, examples.PROMOTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> PromotionReceipt:
        """Promote it."""
        return promote_report(
            actor=actor,
            report_id=values["id"],
            expected_version=values["expected_version"],
            key=key,
        )
