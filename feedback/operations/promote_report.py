"""Promote a report: the decision that turns a doubt into a change, exactly once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from django.db import connection

from feedback import policies
from feedback.errors import ReportAlreadyPromoted
from feedback.queries import reports
from memory import audit
from memory.errors import IdempotencyConflict, NotFound
from memory.idempotency import claim_request, stored_requests
from memory.operations.correct_records import (
    Correction,
    plan_correction,
    replace_records,
    require_version,
)
from memory.operations.record_rows import Closing, write_records
from memory.queries.record_locks import lock_record, time_of_change
from memory.transactions import operation
from memory.vocabulary import Operation, RecordChange, RecordStatus

if TYPE_CHECKING:
    from feedback.queries.reports import ReportRow
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest
    from memory.queries.record_locks import LockedRecord


@dataclass(frozen=True, slots=True)
class PromotionReceipt:
    """What a promotion did (`contract.md` 2.3)."""

    report_id: UUID
    record_id: UUID
    change: RecordChange
    replacement_record_id: UUID | None
    version: UUID
    promoted_at: datetime
    closed_reports: int
    is_replay: bool = False


def _refuse_promoted(
    *,
    actor: Actor,
    report_id: UUID,
    expected_version: UUID,  # noqa: ARG001 - called with the arguments of `promote_report`
    key: IdempotencyRequest | None = None,
) -> None:
    """The cheap answer: no transaction and no lock, so the losers of a race do not queue.

    A call with a key may be a replay; what tells it from one is known inside the transaction.
    """
    policies.can_promote(actor).require()
    if key is None and reports.is_promoted(actor, report_id):
        raise ReportAlreadyPromoted


@operation(Operation.FEEDBACK_PROMOTE, first=_refuse_promoted)
def promote_report(
    *,
    actor: Actor,
    report_id: UUID,
    expected_version: UUID,
    key: IdempotencyRequest | None = None,
) -> PromotionReceipt:
    """Turn an open report into a correction or a retraction of its record, exactly once.

    May: reviewer, owner, read_write credential; never over MCP. Refuses: Denied, NotFound,
    ReportAlreadyPromoted, RecordConflict (the report stays open), IdempotencyConflict,
    IdempotencyInProgress. Writes: the promotion, one change of the record credited to the promoter,
    the siblings' target_closed_at, two audit entries. Rule: taisce seed, "Promote a report".
    """
    policies.can_promote(actor).require()
    # Nothing is claimed for a call that will be refused. Both are asked at once: whoever promoted
    # under this key wrote key and promotion together.
    if key is not None and reports.is_promoted_unless(
        actor, report_id, stored_requests(actor, key)
    ):
        raise ReportAlreadyPromoted
    stored = claim_request(actor, key, {"report": str(report_id)})
    report = reports.get_report_for(actor, report_id)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.FEEDBACK_PROMOTE, 0))
        return _replayed(actor, report)
    if report.is_promoted:
        raise ReportAlreadyPromoted
    record = lock_record(actor, report.record_id)
    # A promotion closes its record. So only behind a closed one may this race have been lost.
    if record.status != RecordStatus.CURRENT and reports.is_promoted(actor, report_id):
        raise ReportAlreadyPromoted
    require_version(record, expected_version)
    receipt = _apply(actor, report, record, expected_version, time_of_change([record]))
    audit.allowed(
        actor,
        audit.Call(Operation.FEEDBACK_PROMOTE, 1),
        audit.Call(Operation(receipt.change), 1),
    )
    return receipt


def _apply(
    actor: Actor, report: ReportRow, record: LockedRecord, expected_version: UUID, at: datetime
) -> PromotionReceipt:
    """Correct to the proposed object with the note as statement, or retract; mark the report."""
    replacement_id = None
    if report.proposed_object is None:
        change, version = RecordChange.RETRACT, uuid4()
        stamped = write_records(actor, closings=[Closing(record, version)], at=at)
    else:
        change, row = RecordChange.CORRECT, plan_correction(record.id)
        correction = Correction(
            record_id=record.id,
            expected_version=expected_version,
            object=report.proposed_object,
            statement=report.note,
        )
        stamped = replace_records(actor, [(record, correction, row)], at)
        version, replacement_id = row.version, row.id
    receipt = PromotionReceipt(
        report_id=report.id,
        record_id=record.id,
        change=change,
        replacement_record_id=replacement_id,
        version=version,
        promoted_at=at,
        closed_reports=stamped - 1,  # its own target was stamped too
    )
    _mark(actor, receipt, expected_version)
    return receipt


_MARK: Final = """
UPDATE feedback_report
SET promoted_at = %s, promoted_by_kind = %s, promoted_by_id = %s, promoted_via = %s,
  promotion_request_id = %s, promotion_change = %s, promotion_expected_version = %s,
  promotion_version = %s, replacement_record_id = %s
WHERE project_id = %s AND id = %s
"""


def _mark(actor: Actor, receipt: PromotionReceipt, expected_version: UUID) -> None:
    """Write the promotion into its report; NotFound if it was erased since it was read."""
    values = [
        *(receipt.promoted_at, actor.kind.value, actor.id, actor.edge.value, actor.request_id),
        *(receipt.change.value, expected_version, receipt.version, receipt.replacement_record_id),
        *(actor.project_id, receipt.report_id),
    ]
    with connection.cursor() as cursor:
        cursor.execute(_MARK, values)
        if not cursor.rowcount:
            raise NotFound


def _replayed(actor: Actor, report: ReportRow) -> PromotionReceipt:
    promotion = report.promotion
    if promotion is None:
        raise IdempotencyConflict
    return PromotionReceipt(
        report_id=report.id,
        record_id=report.record_id,
        change=RecordChange(promotion.change),
        replacement_record_id=promotion.replacement_record_id,
        version=promotion.version,
        promoted_at=promotion.promoted_at,
        closed_reports=reports.count_closed_with(actor, report, promotion.promoted_at),
        is_replay=True,
    )
