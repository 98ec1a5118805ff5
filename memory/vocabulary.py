"""The words of Errata as types: enumerations, byte limits, operation names, roles and edges."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from django.db.models import IntegerChoices, TextChoices

PRODUCT: Final = "errata"  # as the server of a protocol calls itself
VERSION: Final = "0.1.0"
NAME_CHARACTERS: Final = 120
NOTE_BYTES: Final = 16_384
STATEMENT_BYTES: Final = 16_384
OBJECT_BYTES: Final = 1_024
SUBJECT_BYTES: Final = 1_024
PREDICATE_BYTES: Final = 128
PREVIEW_CHARACTERS: Final = 512  # of a statement, in lists
PREVIEW_BYTES: Final = 4 * PREVIEW_CHARACTERS
PREDICATE_PATTERN: Final = r"[a-z][a-z0-9_]*"
STATES: Final = "states"  # the predicate of a claim that names none; never single-valued
PROJECT_NAME_PATTERN: Final = r"[a-z0-9][a-z0-9-]{0,62}"
SOURCE_TYPE_CHARACTERS: Final = 120
SOURCE_REF_CHARACTERS: Final = 200
SOURCE_ID_CHARACTERS: Final = 200
WORKER_CHARACTERS: Final = 200  # names of agents, runs and observers
RECORDS_PER_CALL: Final = 20
MOST_QUORUM: Final = 10
MOST_ACTORS: Final = 1_000  # that a project may ask for before outcomes count
PAGE_LIMIT: Final = 100
PAGE_DEFAULT: Final = 20
CLAIMS_PER_CALL: Final = 50
SOURCES_PER_CLAIM: Final = 20
RECALLED: Final = "recalled"  # origin type of what was seen in a pack; it supports no record
SCANNED_ROWS: Final = 2_000  # what a page with an unindexed filter reads at most


class RecordKind(TextChoices):
    """What sort of belief a record is (`contract.md` 1.1)."""

    SEMANTIC_FACT = "semantic_fact"
    EPISODIC_EVENT = "episodic_event"
    PREFERENCE = "preference"
    PROCEDURAL = "procedural"
    DECISION = "decision"
    RELATIONSHIP = "relationship"


class RecordStatus(TextChoices):
    """Where a record stands. Legal moves: current to superseded, current to retracted."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class RecordChange(TextChoices):
    """What made a RecordVersion."""

    ASSERT = "record.assert"
    CORRECT = "record.correct"
    RETRACT = "record.retract"


class SourceKind(TextChoices):
    """What sort of evidence a source is (`design.md`, data model)."""

    TURN = "turn"
    CURATED = "curated"
    USER_STATEMENT = "user_statement"
    TOOL_RESULT = "tool_result"
    IMPORTED_SOURCE = "imported_source"
    DECISION = "decision"
    SYSTEM_EVENT = "system_event"


class MessageRole(TextChoices):
    """Who speaks in a message of a source."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    DOCUMENT = "document"


class Trust(IntegerChoices):
    """How far evidence is trusted; the ranking uses level / 3."""

    UNTRUSTED = 0, "untrusted"
    ASSERTED = 1, "asserted"
    VERIFIED = 2, "verified"
    POLICY_APPROVED = 3, "policy_approved"

    @classmethod
    def from_label(cls, label: str) -> Trust:
        """The level of a wire name. Raises KeyError for an unknown one."""
        return {str(level.label): level for level in cls}[label]


class Relation(TextChoices):
    """How a cited span bears on its record."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    QUALIFIES = "qualifies"


class SearchLanguage(TextChoices):
    """How words of statements are folded together in searches."""

    ENGLISH = "english"
    SIMPLE = "simple"


class UtilityScope(TextChoices):
    """Which outcomes count for a compile: all that name the record, or those of an equal task."""

    RECORD = "record"
    TASK = "task"


class Access(TextChoices):
    """What a credential may do."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"


class Role(TextChoices):
    """A person's role in a project; guardian permissions of the same names on Project."""

    READER = "reader"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    OWNER = "owner"


#: What holding a role amounts to. Roles add up; the extra ones are never rows of their own.
INCLUDED_ROLES: Final[dict[Role, frozenset[Role]]] = {
    Role.READER: frozenset({Role.READER}),
    Role.REVIEWER: frozenset({Role.READER, Role.REVIEWER}),
    Role.AUDITOR: frozenset({Role.AUDITOR}),
    Role.OWNER: frozenset({Role.READER, Role.REVIEWER, Role.AUDITOR, Role.OWNER}),
}


class ActorKind(TextChoices):
    """Who acts. Anonymous only in entries about failed authentication."""

    USER = "user"
    CREDENTIAL = "credential"
    ANONYMOUS = "anonymous"


class Edge(TextChoices):
    """Through which door an actor came."""

    API = "api"
    CONSOLE = "console"
    MCP = "mcp"
    RCP = "rcp"
    CLI = "cli"


class KeyScope(TextChoices):
    """What an idempotency key stands for.

    A whole request, one record of an assertion, one piece of evidence by the id that its origin
    has for it, or one claim of a consolidation by its content.
    """

    REQUEST = "request"
    RECORD = "record"
    SOURCE = "source"
    CLAIM = "claim"


class AuditOutcome(TextChoices):
    """How an audited call ended."""

    ALLOWED = "allowed"
    REFUSED = "refused"


class Operation(StrEnum):
    """Names of audited operations, as on the wire (`contract.md` 0.10, `console.md` 2)."""

    AUTHENTICATE = "authenticate"
    RECORD_ASSERT = "record.assert"
    RECORD_CORRECT = "record.correct"
    RECORD_RETRACT = "record.retract"
    RECORD_LIST = "record.list"
    RECORD_GET = "record.get"
    RECORD_HISTORY = "record.history"
    CITATION_RESOLVE = "citation.resolve"
    RECORD_CONSOLIDATE = "record.consolidate"
    RECORD_EVIDENCE = "record.evidence"
    SOURCE_GET = "source.get"
    OBSERVE = "observe"
    FRESHNESS = "freshness"
    RECALL = "recall"
    CONTEXT_ASSEMBLE = "context.assemble"
    CONTEXT_COMPILE = "context.compile"
    CONTEXT_GET = "context.get"
    CONTEXT_LIST = "context.list"
    CONTEXT_PRUNE = "context.prune"
    OUTCOME_RECORD = "outcome.record"
    OUTCOME_LIST = "outcome.list"
    OUTCOME_SUMMARY = "outcome.summary"
    RETRIEVE = "retrieve"
    SIGNAL_RECORD = "signal.record"
    SIGNAL_LIST = "signal.list"
    SIGNAL_SUMMARY = "signal.summary"
    SIGNAL_PRUNE = "signal.prune"
    INTEGRITY_DECIDE = "integrity.decide"
    INTEGRITY_REOPEN = "integrity.reopen"
    FEEDBACK_RECORD = "feedback.record"
    FEEDBACK_LIST = "feedback.list"
    FEEDBACK_PROMOTE = "feedback.promote"
    AUDIT_LIST = "audit.list"
    PROJECT_CREATE = "project.create"
    PROJECT_CONFIGURE = "project.configure"
    PREDICATE_MARK = "predicate.mark"
    MEMBER_GRANT = "member.grant"
    CREDENTIAL_CREATE = "credential.create"
    CREDENTIAL_REVOKE = "credential.revoke"


#: Operations that change nothing; the audit page can hide them.
READ_OPERATIONS: Final = frozenset(
    {
        Operation.RECORD_LIST,
        Operation.RECORD_GET,
        Operation.RECORD_HISTORY,
        Operation.CITATION_RESOLVE,
        Operation.RECORD_EVIDENCE,
        Operation.SOURCE_GET,
        Operation.FRESHNESS,
        Operation.RECALL,
        Operation.CONTEXT_ASSEMBLE,
        Operation.CONTEXT_COMPILE,  # leaves a run, and changes nothing that anybody believes
        Operation.CONTEXT_GET,
        Operation.CONTEXT_LIST,
        Operation.OUTCOME_LIST,
        Operation.OUTCOME_SUMMARY,
        Operation.RETRIEVE,
        Operation.SIGNAL_LIST,
        Operation.SIGNAL_SUMMARY,
        Operation.FEEDBACK_LIST,
        Operation.AUDIT_LIST,
    }
)

LOOP_INVALID: Final = "validation_error"  # on the wire in upper case

#: The code with which an operation refuses a faulty field (`contract.md` 0.10).
INVALID_CODES: Final[dict[Operation, str]] = {
    Operation.RECORD_ASSERT: "invalid_record_mutation",
    Operation.RECORD_CORRECT: "invalid_record_mutation",
    Operation.RECORD_RETRACT: "invalid_record_mutation",
    Operation.RECORD_LIST: "invalid_record_page",
    Operation.RECORD_GET: "invalid_record_page",
    Operation.RECORD_HISTORY: "invalid_record_page",
    Operation.CITATION_RESOLVE: "invalid_citation",
    Operation.FEEDBACK_RECORD: "invalid_feedback",
    Operation.FEEDBACK_LIST: "invalid_feedback",
    Operation.FEEDBACK_PROMOTE: "invalid_feedback",
    Operation.OBSERVE: "invalid_turn",
    Operation.RECALL: "invalid_recall_controls",
    Operation.CONTEXT_ASSEMBLE: "invalid_context",
    Operation.SIGNAL_LIST: "invalid_signal_page",
    Operation.SIGNAL_SUMMARY: "invalid_signal_page",
    Operation.RECORD_CONSOLIDATE: LOOP_INVALID,
    Operation.CONTEXT_COMPILE: LOOP_INVALID,
    Operation.CONTEXT_LIST: LOOP_INVALID,
    Operation.OUTCOME_RECORD: LOOP_INVALID,
    Operation.OUTCOME_LIST: LOOP_INVALID,
}
