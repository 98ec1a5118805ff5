"""What the fields of `/v1/feedback` mean, for the OpenAPI document.

A name means the same wherever it stands; where it does not, the serializer's name precedes it.
"""

from __future__ import annotations

from typing import Final

MEANINGS: Final[dict[str, str]] = {
    "ListReportsInput.record_id": "Only reports about this record.",
    "PromotionOfReportOutput.version": "The version that the promotion made.",
    "PromotionOutput.version": "The new record's version, or the one that closed the record.",
    "TargetOutput.version": "The version of the record that a promotion has to name.",
    "after": "The next of an earlier page, unchanged.",
    "closed_at": "When the record was closed; null while it is current.",
    "closed_reports": "How many other open reports are no longer ready.",
    "expected_version": "The version of the record that the promoter has read.",
    "feedback": "The reports, in the order asked for.",
    "id": "The report.",
    "limit": "How many rows a page holds at most.",
    "next": "Cursor of the next page, absent on the last one.",
    "note": "What is wrong. A correction takes it as the new statement.",
    "object": "What the record says of its subject.",
    "open_only": "Leave out reports that were promoted.",
    "operation": "What the promotion did.",
    "order": "By time of recording and id.",
    "predicate": "How the object belongs to the subject.",
    "promoted_at": "When it was promoted, which is when the record was closed.",
    "promoted_by": "Id of the credential or user who promoted it.",
    "promoted_by_kind": "Whether that is a credential or a user.",
    "promotion": "What a promoted report was turned into.",
    "proposed_object": "What the record should say instead. Promoting then corrects the record; "
    "without it, promoting retracts the record.",
    "ready": "Whether it could be promoted now: open, and its record current.",
    "ready_only": "Only open reports whose record is still current.",
    "record_id": "The record that the report is about.",
    "record_version": "The version of the record when it was reported.",
    "recorded_at": "When it was recorded.",
    "recorded_by": "Id of the credential or user who reported it.",
    "recorded_by_kind": "Whether that is a credential or a user.",
    "recorded_via": "Through which door they came.",
    "replacement_record_id": "The record in its place, after a correction.",
    "replayed": "Whether an earlier call had done this.",
    "reporter_subject_id": "The person whose words the note is; their erasure takes the report.",
    "statement_preview": "The record's statement, at most 512 characters of it.",
    "status": "Where the record stands.",
    "subject": "What the record is about.",
    "target": "The record as it is now.",
}
