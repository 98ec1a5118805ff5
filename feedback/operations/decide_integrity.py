"""Decide what a reviewer makes of a suspected record, or take the decision back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from django.db import connection

from feedback import policies
from feedback.errors import IntegrityDecided
from feedback.models import IntegrityItem
from feedback.operations.record_report import ReportDraft, file_report
from feedback.queries.integrity import find_standing
from feedback.vocabulary import IntegrityState
from memory import audit
from memory.errors import FieldInvalid, NotFound, RecordConflict
from memory.idempotency import claim_request, stored_requests
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from feedback.operations.record_report import ReportReceipt
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What a report says of the suspected record; `expected_version` as a `ReportDraft` has it."""

    note: str
    proposed_object: str | None = None
    expected_version: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityDecision:
    """No concern, for a reason; or a report about the record, which people judge like any other.

    `seen_state` is the state in which the item was drawn.
    """

    item_id: UUID
    seen_state: IntegrityState
    reason: str | None = None
    report: Doubt | None = None


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
    report = decision.report
    version = report.expected_version if report else None
    _refuse_early(actor, decision.item_id, decision.seen_state, key, version=version)
    stored = claim_request(actor, key, {"item": str(decision.item_id)})
    item, at = _lock(actor, decision.item_id)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.INTEGRITY_DECIDE, 0))
        return _receipt(item, is_replay=True)
    if item.state != decision.seen_state or item.state != IntegrityState.OPEN:
        raise IntegrityDecided
    calls = [audit.Call(Operation.INTEGRITY_DECIDE, 1)]
    if report is None:
        item.state, item.decided_at = IntegrityState.NO_CONCERN, at
    else:
        filed = _file(actor, item, report)
        item.state, item.report_id = IntegrityState.REPORTED, filed.id
        item.decided_at = filed.recorded_at
        calls.insert(0, audit.Call(Operation.FEEDBACK_RECORD, 1))
    item.reason = decision.reason
    item.decided_by_kind, item.decided_by_id = actor.kind, actor.id
    _save(item)
    audit.allowed(actor, *calls)
    return _receipt(item)


def _file(actor: Actor, item: IntegrityItem, doubt: Doubt) -> ReportReceipt:
    """An ordinary report about the suspected record."""
    policies.can_report(actor).require()
    draft = ReportDraft(
        record_id=item.record_id,
        note=doubt.note,
        proposed_object=doubt.proposed_object,
        expected_version=doubt.expected_version,
    )
    return file_report(actor, draft, uuid4())


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
    _refuse_early(actor, item_id, seen_state, key, is_reopening=True)
    stored = claim_request(actor, key, {"item": str(item_id)})
    item, at = _lock(actor, item_id)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.INTEGRITY_REOPEN, 0))
        return _receipt(item, is_replay=True)
    if item.state != seen_state or item.state == IntegrityState.OPEN:
        raise IntegrityDecided
    item.state = IntegrityState.OPEN
    item.recorded_at = at
    item.reason = item.report_id = None
    item.decided_at = item.decided_by_kind = item.decided_by_id = None
    _save(item)
    audit.allowed(actor, audit.Call(Operation.INTEGRITY_REOPEN, 1))
    return _receipt(item)


def _refuse_early(
    actor: Actor,
    item_id: UUID,
    seen_state: IntegrityState,
    key: IdempotencyRequest | None,
    *,
    version: UUID | None = None,
    is_reopening: bool = False,
) -> None:
    """The cheap answer to a form that was drawn too long ago: nothing is claimed or locked for it.

    Of a repetition and of an item that is gone it says nothing. It is looked at again under the
    lock. One statement.
    """
    earlier = None if key is None else stored_requests(actor, key)
    standing = find_standing(actor, item_id, earlier)
    if standing is None or standing.is_repeated:
        return
    if standing.state is not seen_state or (standing.state is IntegrityState.OPEN) is is_reopening:
        raise IntegrityDecided
    if version is not None and not standing.is_current_at(version):
        raise RecordConflict


# The clock is read for the row that leaves the part above it, so after that was locked.
_LOCK: Final = """
WITH locked AS MATERIALIZED (
  SELECT * FROM feedback_integrityitem WHERE project_id = %s AND id = %s FOR NO KEY UPDATE
)
SELECT clock_timestamp(), locked.* FROM locked
"""


def _lock(actor: Actor, item_id: UUID) -> tuple[IntegrityItem, datetime]:
    """The item, locked, and the database's time then; or NotFound. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [actor.project_id, item_id])
        row = cursor.fetchone()
        names = [column.name for column in cursor.description or ()]
    if row is None:
        raise NotFound
    columns = dict(zip(names[1:], row[1:], strict=True))
    fields = [field.attname for field in IntegrityItem._meta.concrete_fields]
    values = [columns[field] for field in fields]
    return IntegrityItem.from_db(connection.alias, fields, values), row[0]


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
