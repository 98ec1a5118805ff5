"""Models of projects, records and their evidence, idempotency and audit."""

from memory.models.access import (
    Credential,
    Member,
    MemberGroup,
    Predicate,
    Project,
    User,
)
from memory.models.audit import AuditEntry
from memory.models.idempotency import IdempotencyKey
from memory.models.records import Citation, Posting, Record, RecordVersion
from memory.models.sources import Message, Source, Subject

__all__ = [
    "AuditEntry",
    "Citation",
    "Credential",
    "IdempotencyKey",
    "Member",
    "MemberGroup",
    "Message",
    "Posting",
    "Predicate",
    "Project",
    "Record",
    "RecordVersion",
    "Source",
    "Subject",
    "User",
]
