"""Who may open which screen, from actor alone; the edge asks before it looks any id up."""

from __future__ import annotations

from feedback.policies import can_decide_integrity, can_promote, can_report
from memory.policies import Allowed, Answer, Denied, can_change_records, can_read, can_read_audit

__all__ = [
    "Allowed",
    "Answer",
    "Denied",
    "can_change_records",
    "can_decide_integrity",
    "can_promote",
    "can_report",
    "can_see_audit",
    "can_see_integrity",
    "can_see_queue",
    "can_see_records",
    "can_see_runs",
    "can_see_trouble",
]

#: Reports, records, context runs and suspicions are content: readers, reviewers and owners see
#: them, auditors do not.
can_see_queue = can_read
can_see_records = can_read
can_see_runs = can_read
can_see_trouble = can_read
can_see_integrity = can_read

#: The audit log holds no content: auditors and owners.
can_see_audit = can_read_audit
