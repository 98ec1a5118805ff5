"""The views of `/v1/observations`, freshness, contexts, consolidations and claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.api import loop_examples as examples
from memory.api import loop_serializers as serializers
from memory.api.loop_meanings import MEANINGS
from memory.api.turns import TURN_KEY, compared_turn, turn_of
from memory.errors import (
    Denied,
    IdempotencyConflict,
    IdempotencyInProgress,
    NotFound,
    RecordConflict,
)
from memory.http.error_table import Dialect
from memory.http.errors import InvalidBody
from memory.http.loop import Prefix, id_behind
from memory.http.views import OperationView, ReadView
from memory.operations.append_source import (
    MessageDraft,
    SourceDraft,
    SourceReceipt,
    append_source,
    role_of_evidence,
)
from memory.operations.consolidate_records import (
    ClaimDraft,
    ClaimSource,
    ConsolidationReceipt,
    consolidate_records,
)
from memory.operations.record_rows import Origin
from memory.queries.evidence import RecordEvidence, get_evidence
from memory.queries.sources import Conversation, Watermark, assemble_context, get_watermark
from memory.vocabulary import Operation, SourceKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from memory.actor import Actor
    from memory.http.serializers import InputSerializer, OutputSerializer
    from memory.keys import IdempotencyRequest
    from memory.queries.sources import Turn
    from memory.vocabulary import Trust

_TURN_NAMES = frozenset({"messages"})
_EVIDENCE_NAMES = frozenset({"kind", "content", "source"})


@dataclass(frozen=True, slots=True)
class ObservationAnswer:
    """A stored observation, with what was sent of it."""

    observation_id: UUID
    subject_id: str
    agent_id: str | None
    run_id: str | None
    kind: SourceKind
    trust: Trust
    content_hash: bytes
    occurred_at: datetime | None
    ingested_at: datetime
    is_replay: bool


class ObserveView(OperationView):
    """Append evidence to the log: a turn of a conversation, or one observation.

    The names of the body decide: `messages` makes it a turn, `kind`, `content` or `source` an
    observation. A turn is stored and forms no record by itself. An observation answers in the
    family of the context routes.
    """

    operation_name = Operation.OBSERVE
    input_serializer = serializers.TurnInput
    output_serializer: type[OutputSerializer] = serializers.TurnOutput
    other_form = (serializers.EvidenceInput, serializers.ObservationOutput)
    takes_key = True
    success_status = 201
    errors = (Denied, NotFound, IdempotencyConflict, IdempotencyInProgress)
    field_meanings = MEANINGS
    request_example, answer_example = examples.TURN, examples.STORED_TURN
    other_request_example = examples.OBSERVATION
    other_answer_example = examples.STORED_OBSERVATION

    @override
    def form_of(self, body: dict[str, Any]) -> type[InputSerializer]:
        """The form that the names of the body decide."""
        is_turn, is_evidence = (
            bool(names & body.keys()) for names in (_TURN_NAMES, _EVIDENCE_NAMES)
        )
        if is_turn is is_evidence:
            raise InvalidBody(
                'The body must have "messages", or "kind", "content" and "source", not both.'
            )
        if is_turn:
            self.body_key = TURN_KEY
            return serializers.TurnInput
        self.dialect = Dialect.LOOP
        self.output_serializer = serializers.ObservationOutput
        return serializers.EvidenceInput

    @override
    def compared(self, body: dict[str, Any]) -> dict[str, Any]:
        """Times of a turn are not compared."""
        return compared_turn(body) if "messages" in body else super().compared(body)

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> SourceReceipt | ObservationAnswer:
        """Append it."""
        if "messages" in values:
            return append_source(actor=actor, draft=turn_of(values), key=key)
        receipt = append_source(actor=actor, draft=_observation(values), key=key)
        return ObservationAnswer(
            observation_id=receipt.id,
            subject_id=values["subject_id"],
            agent_id=values["agent_id"],
            run_id=values["run_id"],
            kind=values["kind"],
            trust=receipt.trust,
            content_hash=receipt.content_hash,
            occurred_at=receipt.occurred_at,
            ingested_at=receipt.recorded_at,
            is_replay=receipt.is_replay,
        )


def _observation(values: dict[str, Any]) -> SourceDraft:
    source = values["source"]
    return SourceDraft(
        kind=values["kind"],
        messages=(MessageDraft(role_of_evidence(values["kind"]), values["content"]),),
        origin=Origin(source["type"], source["ref"], source["id"]),
        data_subject=values["subject_id"],
        trust=values["trust"],
        occurred_at=values["occurred_at"],
        agent_name=values["agent_id"],
        run_name=values["run_id"],
        recalled_from=values["context_token"],
    )


class FreshnessView(ReadView):
    """Say where the log of the project stands."""

    http_method_names = ("get",)
    operation_name = Operation.FRESHNESS
    output_serializer = serializers.FreshnessOutput
    field_meanings = MEANINGS
    answer_example = examples.FRESHNESS

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> Watermark:
        """Read it."""
        return get_watermark(actor=actor)


@dataclass(frozen=True, slots=True)
class ConversationAnswer:
    """The turns of a person; segments of other kinds do not exist here."""

    turns: Sequence[Turn]
    watermark: Watermark
    characters: int
    is_truncated: bool
    segments: tuple[str, ...] = ()


class AssembleContextView(ReadView):
    """Give the newest turns of a person, whole and verbatim, oldest first, at most 200."""

    operation_name = Operation.CONTEXT_ASSEMBLE
    input_serializer = serializers.AssembleContextInput
    output_serializer = serializers.ConversationOutput
    field_meanings = MEANINGS
    request_example, answer_example = examples.ASSEMBLE, examples.ASSEMBLED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ConversationAnswer:
        """Read them."""
        found: Conversation = assemble_context(
            actor=actor,
            data_subject=values["data_subject_id"],
            max_characters=values["max_characters"],
        )
        return ConversationAnswer(
            found.turns, found.watermark, found.characters, found.is_truncated
        )


@dataclass(frozen=True, slots=True)
class ConsolidationAnswer:
    """What a consolidation did, and about whom."""

    subject_id: str
    receipt: ConsolidationReceipt

    @property
    def is_replay(self) -> bool:
        """Whether an earlier call had done all of it."""
        return self.receipt.is_replay


class ConsolidateView(OperationView):
    """Believe what follows from evidence about one person: 1 to 50 claims, all or nothing.

    No model is asked and nothing is merged by what it says. A claim that the same actor has made
    before from the same sources answers that record in whatever state it is.
    """

    dialect = Dialect.LOOP
    operation_name = Operation.RECORD_CONSOLIDATE
    input_serializer = serializers.ConsolidateInput
    output_serializer = serializers.ConsolidationOutput
    takes_key = True
    success_status = 201
    errors = (NotFound, RecordConflict, IdempotencyConflict, IdempotencyInProgress)
    field_meanings = MEANINGS
    request_example, answer_example = examples.CONSOLIDATE, examples.CONSOLIDATED
    meta_example = examples.CONSOLIDATED_META

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ConsolidationAnswer:
        """Consolidate the drafts."""
        receipt = consolidate_records(
            actor=actor,
            data_subject=values["subject_id"],
            drafts=[_draft_of(claim) for claim in values["claims"]],
            key=key,
        )
        return ConsolidationAnswer(values["subject_id"], receipt)

    @override
    def meta_of(self, result: ConsolidationAnswer) -> dict[str, Any]:
        """Also how many claims had been made before, and that no model was asked."""
        return super().meta_of(result) | {
            "canonical_replays": result.receipt.canonical_replays,
            "model": "disabled",
        }


def _draft_of(claim: dict[str, Any]) -> ClaimDraft:
    return ClaimDraft(
        kind=claim["kind"],
        statement=claim["statement"],
        sources=tuple(
            ClaimSource(source["observation_id"], source["relation"], source["quote"])
            for source in claim["sources"]
        ),
        confidence=claim["confidence"],
        valid_from=claim["valid_from"],
        valid_until=claim["valid_to"],
        trust=claim["trust"],
        subject=claim["subject"],
        predicate=claim["predicate"],
        object=claim["object"],
        observer_name=claim["observer_id"],
    )


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """A claim and its evidence; both are read from one record."""

    claim: RecordEvidence
    evidence: RecordEvidence


class GetEvidenceView(ReadView):
    """Get a claim in any state with the observations that it cites."""

    dialect = Dialect.LOOP
    http_method_names = ("get",)
    operation_name = Operation.RECORD_EVIDENCE
    output_serializer = serializers.ClaimEvidenceOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    answer_example = examples.EVIDENCE

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ClaimEvidence:
        """Read it."""
        record_id = id_behind(Prefix.CLAIM, self.kwargs["claim_id"])
        found = get_evidence(actor=actor, record_id=record_id)
        return ClaimEvidence(found, found)
