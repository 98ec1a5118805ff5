"""Report a doubt about a record: it changes nothing and waits in the queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from feedback import policies
from feedback.queries import reports
from memory import audit
from memory.errors import RecordConflict
from memory.idempotency import claim_request
from memory.operations.insert_rows import insert_rows
from memory.operations.record_rows import subject_rows
from memory.queries.record_locks import share_record
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDraft:
    """What somebody doubts. Without a proposed object, promoting it will retract the record.

    With an `expected_version` it is a doubt about that version of a record that is still current.
    """

    record_id: UUID
    note: str
    proposed_object: str | None = None
    reporter_subject: str | None = None
    expected_version: UUID | None = None


@dataclass(frozen=True, slots=True)
class ReportReceipt:
    """The report that was recorded, or that an equal call had recorded before."""

    id: UUID
    record_id: UUID
    record_version: UUID
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    is_replay: bool


@operation(Operation.FEEDBACK_RECORD)
def record_report(
    *, actor: Actor, draft: ReportDraft, key: IdempotencyRequest | None = None
) -> ReportReceipt:
    """Say that a record is wrong, without changing it.

    May: reviewer, owner, read_write credential, also over MCP. Refuses: Denied, NotFound,
    IdempotencyConflict, IdempotencyInProgress; RecordConflict where the draft expects a version
    that is not the record's any more. Writes: the report and one audit entry, nothing
    else; a report about a closed record is born with a closed target. Rule: taisce seed, "Report a
    record".
    """
    policies.can_report(actor).require()
    report_id = uuid4()
    stored = claim_request(actor, key, {"report": str(report_id)})
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.FEEDBACK_RECORD, 0))
        row = reports.get_report_for(actor, UUID(stored["report"]))
        return ReportReceipt(
            row.id,
            row.record_id,
            row.record_version,
            row.recorded_by,
            row.recorded_by_kind,
            row.recorded_via,
            row.recorded_at,
            is_replay=True,
        )
    receipt = file_report(actor, draft, report_id)
    audit.allowed(actor, audit.Call(Operation.FEEDBACK_RECORD, 1))
    return receipt


def file_report(actor: Actor, draft: ReportDraft, report_id: UUID) -> ReportReceipt:
    """Write a report for an operation that audits it. Raises NotFound, RecordConflict.

    Two statements: one locks the record for share, one inserts.
    """
    target = share_record(actor, draft.record_id)
    if draft.expected_version is not None and not target.is_current_at(draft.expected_version):
        raise RecordConflict
    person = subject_rows(actor, [draft.reporter_subject] if draft.reporter_subject else [])
    report = {
        "id": report_id,
        "project_id": actor.project_id,
        "record_id": draft.record_id,
        "record_version": target.version,
        "note": draft.note,
        "proposed_object": draft.proposed_object,
        "reporter_subject_id": person[0]["id"] if person else None,
        "reporter_name": draft.reporter_subject,
        "target_subject": target.subject,
        "target_predicate": target.predicate,
        "target_object": target.object,
        "target_preview": target.preview,
        "target_status": target.status,
        "target_version": target.version,
        "target_version_number": target.version_number,
        "target_replaced_by": target.replaced_by,
        "target_closed_at": target.closed_at,
        "recorded_by_kind": actor.kind,
        "recorded_by_id": actor.id,
        "recorded_via": actor.edge,
        "request_id": actor.request_id,
    }
    written = {"memory_subject": person} if person else {}
    ((recorded_at,),) = insert_rows(
        {**written, "feedback_report": [report]}, known=["memory_subject"], returning="recorded_at"
    )
    return ReportReceipt(
        id=report_id,
        record_id=draft.record_id,
        record_version=target.version,
        recorded_by=actor.id,
        recorded_by_kind=actor.kind,
        recorded_via=actor.edge,
        recorded_at=recorded_at,
        is_replay=False,
    )
