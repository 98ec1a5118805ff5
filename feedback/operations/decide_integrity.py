"""Decide what a reviewer makes of a suspected record, or take the decision back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from feedback import policies
from feedback.errors import IntegrityDecided
from feedback.models import IntegrityItem
from feedback.operations.record_report import ReportDraft, record_report
from feedback.vocabulary import IntegrityState
from memory import audit
from memory.errors import FieldInvalid, NotFound
from memory.idempotency import claim_request
from memory.transactions import database_time, operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityDecision:
    """No concern, for a reason; or a report about the record, which people judge like any other.

    `seen_state` is the state in which the item was drawn.
    """

    item_id: UUID
    seen_state: IntegrityState
    reason: str | None = None
    report: ReportDraft | None = None


@dataclass(frozen=True, slots=True)
class IntegrityReceipt:
    """How an item stands after a decision."""

    item_id: UUID
    record_id: UUID
    state: IntegrityState
    report_id: UUID | None
    at: datetime
    is_replay: bool = False


@operation(Operation.INTEGRITY_DECIDE)
def decide_integrity(
    *, actor: Actor, decision: IntegrityDecision, key: IdempotencyRequest | None = None
) -> IntegrityReceipt:
    """Say that a suspected record is of no concern, or file a report about it.

    Nothing is hidden or demoted either way. May: reviewer, owner; no credential. Refuses: Denied,
    NotFound, FieldInvalid, IntegrityDecided, what a report refuses, IdempotencyConflict,
    IdempotencyInProgress. Writes: the item, the report, one audit entry each. Rule: `protocols.md`
    1.9, `console.md` S19.
    """
    policies.can_decide_integrity(actor).require()
    if (decision.reason is None) is (decision.report is None):
        raise FieldInvalid("reason", "is required, unless a report is filed.")
    stored = claim_request(actor, key, {"item": str(decision.item_id)})
    item = _lock(actor, decision.item_id)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.INTEGRITY_DECIDE, 0))
        return _receipt(item, is_replay=True)
    if item.state != decision.seen_state or item.state != IntegrityState.OPEN:
        raise IntegrityDecided
    item.state = IntegrityState.NO_CONCERN
    if decision.report is not None:
        if decision.report.record_id != item.record_id:
            raise FieldInvalid("record_id", "must name the suspected record.")
        item.state = IntegrityState.REPORTED
        item.report_id = record_report(actor=actor, draft=decision.report).id
    item.reason = decision.reason
    item.decided_at = database_time()
    item.decided_by_kind, item.decided_by_id = actor.kind, actor.id
    _save(item)
    audit.allowed(actor, audit.Call(Operation.INTEGRITY_DECIDE, 1))
    return _receipt(item)


@operation(Operation.INTEGRITY_REOPEN)
def reopen_integrity(
    *,
    actor: Actor,
    item_id: UUID,
    seen_state: IntegrityState,
    key: IdempotencyRequest | None = None,
) -> IntegrityReceipt:
    """Take a decision back; a report that was filed stays.

    May: reviewer, owner; no credential. Refuses: Denied, NotFound, IntegrityDecided,
    IdempotencyConflict, IdempotencyInProgress. Writes: the item, one audit entry.
    """
    policies.can_decide_integrity(actor).require()
    stored = claim_request(actor, key, {"item": str(item_id)})
    item = _lock(actor, item_id)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.INTEGRITY_REOPEN, 0))
        return _receipt(item, is_replay=True)
    if item.state != seen_state or item.state == IntegrityState.OPEN:
        raise IntegrityDecided
    item.state = IntegrityState.OPEN
    item.recorded_at = database_time()
    item.reason = item.report_id = None
    item.decided_at = item.decided_by_kind = item.decided_by_id = None
    _save(item)
    audit.allowed(actor, audit.Call(Operation.INTEGRITY_REOPEN, 1))
    return _receipt(item)


def _lock(actor: Actor, item_id: UUID) -> IntegrityItem:
    """The item, locked, or NotFound."""
    items = IntegrityItem.objects.visible_to(actor).filter(id=item_id)
    item = items.select_for_update(of=("self",), no_key=True).first()
    if item is None:
        raise NotFound
    return item


def _save(item: IntegrityItem) -> None:
    item.save(
        update_fields=[
            "state",
            "recorded_at",
            "reason",
            "report",
            "decided_at",
            "decided_by_kind",
            "decided_by_id",
        ]
    )


def _receipt(item: IntegrityItem, *, is_replay: bool = False) -> IntegrityReceipt:
    return IntegrityReceipt(
        item_id=item.id,
        record_id=item.record_id,
        state=IntegrityState(item.state),
        report_id=item.report_id,
        at=item.decided_at or item.recorded_at,
        is_replay=is_replay,
    )
