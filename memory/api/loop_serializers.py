"""Inputs and outputs of observations, contexts, consolidations and claims (`contract.md` 3, 4)."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from memory.http.fields import (
    CanonicalUUID,
    Choice,
    Constant,
    StrictBoolean,
    StrictInteger,
    StrictNumber,
    Text,
    Timestamp,
    TrustLevel,
)
from memory.http.loop import (
    INSTRUCTIONS,
    ClaimStanding,
    HexDigest,
    LoopId,
    Prefix,
    Visibility,
    refused_project,
)
from memory.http.record_input import SourceInput
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer
from memory.http.strict_field import refuse
from memory.operations.consolidate_records import CONSOLIDATED_CONFIDENCE
from memory.vocabulary import (
    CLAIMS_PER_CALL,
    OBJECT_BYTES,
    PREDICATE_BYTES,
    PREDICATE_PATTERN,
    RECALLED,
    SOURCES_PER_CLAIM,
    SUBJECT_BYTES,
    WORKER_CHARACTERS,
    MessageRole,
    RecordKind,
    Relation,
    SourceKind,
)

MESSAGES_PER_TURN = 64
MESSAGE_BYTES = 65_536
TURN_BYTES = 262_144
EVIDENCE_CHARACTERS = 32_000
STATEMENT_CHARACTERS = 4_000
CONTEXT_CHARACTERS = 16_000

#: Kinds of the evidence form; turns and curated sources come by other doors.
EVIDENCE_KINDS = tuple(kind for kind in SourceKind if kind not in ("turn", "curated"))
#: Roles that a sender may give a message; `document` stands for imported evidence.
TURN_ROLES = tuple(role for role in MessageRole if role != "document")


class TurnMessageInput(InputSerializer):
    """One message of a turn."""

    role = Choice(TURN_ROLES)
    content = Text(max_bytes=MESSAGE_BYTES)
    occurred_at = Timestamp(required=False)
    group_ordinal = StrictInteger(minimum=0, maximum=MESSAGES_PER_TURN - 1, required=False)


class TurnInput(InputSerializer):
    """A turn of a conversation."""

    messages = ListOf(TurnMessageInput(), minimum=1, maximum=MESSAGES_PER_TURN)
    idempotency_key = CanonicalUUID()
    data_subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    occurred_at = Timestamp(required=False)

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """The size of the whole, and the numbers of its steps."""
        messages = values["messages"]
        if sum(len(message["content"].encode()) for message in messages) > TURN_BYTES:
            refuse(f"{path}messages", f"must hold at most {TURN_BYTES} bytes of content together.")
        groups = [message["group_ordinal"] for message in messages]
        has_tool = any(message["role"] is MessageRole.TOOL for message in messages)
        if all(group is None for group in groups) and not has_tool:
            return
        for place, group in enumerate(groups):
            before = groups[place - 1] if place else None
            if group is None:
                refuse(f"{path}messages[{place}].group_ordinal", "is required on every message.")
            if group not in ((0,) if before is None else (before, before + 1)):
                refuse(
                    f"{path}messages[{place}].group_ordinal",
                    "must begin at 0 and stay or go up by one.",
                )


class EvidenceInput(InputSerializer):
    """One observation."""

    subject_id = Text(max_bytes=SUBJECT_BYTES)
    kind = Choice(EVIDENCE_KINDS)
    content = Text(max_characters=EVIDENCE_CHARACTERS)
    source = SourceInput()  # type: ignore[assignment]  # DRF has that name too
    trust = TrustLevel(required=False)
    occurred_at = Timestamp(required=False)
    agent_id = Text(max_characters=WORKER_CHARACTERS, required=False)
    run_id = Text(max_characters=WORKER_CHARACTERS, required=False)
    context_token = LoopId(Prefix.CONTEXT, required=False)
    visibility = Choice(Visibility, default=Visibility.ORGANIZATION)
    project_id = refused_project()
    workspace_id = refused_project()

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """Whoever saw it in a pack says so with the pack's token."""
        if values["source"]["type"] == RECALLED:
            refuse(f"{path}source.type", "must not be recalled: send the context_token instead.")


class AssembleContextInput(InputSerializer):
    """Whose turns, and how much of them."""

    data_subject_id = Text(max_bytes=SUBJECT_BYTES)
    max_characters = StrictInteger(
        minimum=1, maximum=CONTEXT_CHARACTERS, default=CONTEXT_CHARACTERS
    )


class ClaimSourceInput(InputSerializer):
    """A source that a claim cites."""

    observation_id = LoopId(Prefix.OBSERVATION)
    relation = Choice(Relation)
    quote = Text(max_characters=EVIDENCE_CHARACTERS, required=False)


class ClaimInput(InputSerializer):
    """What follows from evidence."""

    kind = Choice(RecordKind)
    statement = Text(max_characters=STATEMENT_CHARACTERS)
    sources = ListOf(ClaimSourceInput(), minimum=1, maximum=SOURCES_PER_CLAIM)
    confidence = StrictNumber(above=0, maximum=1, default=CONSOLIDATED_CONFIDENCE)
    valid_from = Timestamp(required=False)
    valid_to = Timestamp(required=False)
    trust = TrustLevel(required=False)
    subject = Text(max_bytes=SUBJECT_BYTES, required=False)
    predicate = Text(max_bytes=PREDICATE_BYTES, pattern=PREDICATE_PATTERN, required=False)
    object = Text(max_bytes=OBJECT_BYTES, required=False)
    observer_id = Text(max_characters=WORKER_CHARACTERS, required=False)
    visibility = Choice(Visibility, default=Visibility.ORGANIZATION)
    project_id = refused_project()
    workspace_id = refused_project()

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """Something supports it, nothing is cited twice, predicate and object go together."""
        cited = [(source["observation_id"], source["relation"]) for source in values["sources"]]
        for place, pair in enumerate(cited):
            if pair in cited[:place]:
                refuse(f"{path}sources[{place}]", "must not stand twice with one relation.")
        if all(relation is not Relation.SUPPORTS for _, relation in cited):
            refuse(f"{path}sources", "must hold at least one that supports the claim.")
        for name, other in (("predicate", "object"), ("object", "predicate")):
            if values[name] is None and values[other] is not None:
                refuse(f"{path}{name}", f"is required beside {other}.")


class ConsolidateInput(InputSerializer):
    """Claims about one person, all or nothing."""

    subject_id = Text(max_bytes=SUBJECT_BYTES)
    claims = ListOf(ClaimInput(), minimum=1, maximum=CLAIMS_PER_CALL)
    project_id = refused_project()
    workspace_id = refused_project()


class TurnOutput(OutputSerializer):
    """A stored turn."""

    id = CanonicalUUID()
    scope = Text()
    log_offset = StrictInteger(minimum=0)
    replayed = StrictBoolean(source="is_replay")


class ObservationOutput(OutputSerializer):
    """A stored observation."""

    observation_id = LoopId(Prefix.OBSERVATION)
    subject_id = Text()
    project_id = Constant(value=None)
    workspace_id = Constant(value=None)
    agent_id = Text(nullable=True)
    run_id = Text(nullable=True)
    kind = Choice(EVIDENCE_KINDS)
    trust = TrustLevel()
    visibility = Constant(value=Visibility.ORGANIZATION.value)
    content_hash = HexDigest()
    occurred_at = Timestamp(nullable=True)
    ingested_at = Timestamp()


class WatermarkOutput(OutputSerializer):
    """Where the log stands. Nothing waits for a model, so all that is stored is formed."""

    scope = Text()
    stored = StrictInteger(minimum=0, nullable=True)
    formed = StrictInteger(minimum=0, nullable=True, source="stored")
    parked = StrictInteger(minimum=0)


class FreshnessOutput(WatermarkOutput):
    """The same, and how records are formed."""

    formation = Constant(value="none")


class TurnMessageOutput(OutputSerializer):
    """One message, as it was said."""

    role = Choice(MessageRole)
    content = Text()


class StoredTurnOutput(OutputSerializer):
    """A turn, whole and verbatim."""

    log_offset = StrictInteger(minimum=0)
    occurred_at = Timestamp(nullable=True)
    messages = ListOf(TurnMessageOutput())


class ConversationOutput(OutputSerializer):
    """The newest turns of a person, oldest first."""

    segments = ListOf(Text())
    turns = ListOf(StoredTurnOutput())
    watermark = WatermarkOutput()
    characters = StrictInteger(minimum=0)
    truncated = StrictBoolean(source="is_truncated")


class ConsolidatedClaimOutput(OutputSerializer):
    """A record that a claim made, or had made before, as it is now."""

    claim_id = LoopId(Prefix.CLAIM, source="id")
    record_version = CanonicalUUID(source="version")
    kind = Choice(RecordKind)
    status = ClaimStanding(source="standing")
    trust = TrustLevel()
    visibility = Constant(value=Visibility.ORGANIZATION.value)
    confidence = StrictNumber()
    valid_from = Timestamp()
    valid_to = Timestamp(nullable=True, source="valid_until")
    evidence_ids = ListOf(LoopId(Prefix.OBSERVATION), source="source_ids")


class ConsolidationOutput(OutputSerializer):
    """One row a claim, in their order."""

    subject_id = Text()
    project_id = Constant(value=None)
    workspace_id = Constant(value=None)
    model_used = Constant(value=False)
    claims = ListOf(ConsolidatedClaimOutput(), source="receipt.records")


class EvidenceSourceOutput(OutputSerializer):
    """Where an observation comes from."""

    type = Text()
    ref = Text(nullable=True)
    id = Text(nullable=True)


class EvidenceItemOutput(OutputSerializer):
    """An observation that a claim cites."""

    untrusted = Constant(value=True)
    observation_id = LoopId(Prefix.OBSERVATION, source="source_id")
    kind = Choice(SourceKind)
    content = Text()
    quote = Text()
    content_hash = HexDigest()
    source = EvidenceSourceOutput(source="origin")  # type: ignore[assignment]  # DRF has that name
    trust = TrustLevel()
    visibility = Constant(value=Visibility.ORGANIZATION.value)
    occurred_at = Timestamp(nullable=True)
    ingested_at = Timestamp(source="recorded_at")


class ClaimOutput(OutputSerializer):
    """A claim in any state. Read from a record with its evidence."""

    untrusted = Constant(value=True)
    claim_id = LoopId(Prefix.CLAIM, source="record.id")
    record_version = CanonicalUUID(source="record.version")
    subject_id = Text(source="record.data_subject", nullable=True)
    kind = Choice(RecordKind, source="record.kind")
    claim = Text(source="record.statement")
    confidence = StrictNumber(source="record.confidence")
    trust = TrustLevel(source="record.trust")
    visibility = Constant(value=Visibility.ORGANIZATION.value)
    status = ClaimStanding(source="standing")
    version = StrictInteger(minimum=1, source="record.version_number")
    valid_from = Timestamp(source="record.valid.start")
    valid_to = Timestamp(nullable=True, source="record.valid.until")
    created_at = Timestamp(source="record.recorded_at")


class EvidenceListsOutput(OutputSerializer):
    """What bears on a claim, by how it does."""

    supporting = ListOf(EvidenceItemOutput())
    contradicting = ListOf(EvidenceItemOutput())
    qualifying = ListOf(EvidenceItemOutput())


class ClaimEvidenceOutput(OutputSerializer):
    """A claim and its evidence."""

    claim = ClaimOutput()
    evidence = EvidenceListsOutput()
    instructions = Constant(value=INSTRUCTIONS)
