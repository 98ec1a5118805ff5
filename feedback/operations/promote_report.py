"""Promote a report: the decision that turns a doubt into a change, exactly once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from feedback import policies
from feedback.errors import ReportAlreadyPromoted
from feedback.models import Report
from feedback.queries import reports
from memory import audit
from memory.errors import IdempotencyConflict
from memory.idempotency import claim_request
from memory.operations.correct_records import (
    Correction,
    plan_correction,
    replace_records,
    require_version,
)
from memory.operations.record_rows import Closing, write_records
from memory.queries.record_locks import lock_record
from memory.transactions import operation
from memory.vocabulary import Operation, RecordChange

if TYPE_CHECKING:
    from feedback.queries.reports import ReportRow
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest
    from memory.models import Record


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


@operation(Operation.FEEDBACK_PROMOTE)
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
    stored = claim_request(actor, key, {"report": str(report_id)})
    report = reports.get_report_for(actor, report_id)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.FEEDBACK_PROMOTE, 0))
        return _replayed(actor, report)
    if report.is_promoted:  # the cheap answer: no lock, so the losers of a race do not queue
        raise ReportAlreadyPromoted
    record = lock_record(actor, report.record_id)
    fresh = reports.read_again(actor, report_id)  # under the lock: a race may have been lost
    if fresh.is_promoted:
        raise ReportAlreadyPromoted
    require_version(record, expected_version)
    at = max(fresh.at, record.known_from)
    receipt = _apply(actor, report, record, expected_version, at)
    audit.allowed(
        actor,
        audit.Call(Operation.FEEDBACK_PROMOTE, 1),
        audit.Call(Operation(receipt.change), 1),
    )
    return receipt


def _apply(
    actor: Actor, report: ReportRow, record: Record, expected_version: UUID, at: datetime
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
    Report.objects.visible_to(actor).filter(id=report.id).update(
        promoted_at=at,
        promoted_by_kind=actor.kind,
        promoted_by_id=actor.id,
        promoted_via=actor.edge,
        promotion_request_id=actor.request_id,
        promotion_change=change,
        promotion_expected_version=expected_version,
        promotion_version=version,
        replacement_record_id=replacement_id,
    )
    return PromotionReceipt(
        report_id=report.id,
        record_id=record.id,
        change=change,
        replacement_record_id=replacement_id,
        version=version,
        promoted_at=at,
        closed_reports=stamped - 1,  # its own target was stamped too
    )


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
