"""Inputs and outputs of recalls, compiles, runs and outcomes (`contract.md` 3.3 and 4)."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from feedback.vocabulary import REASON_CHARACTERS, OutcomeKind, Surface
from memory.http.fields import (
    CanonicalUUID,
    Choice,
    Constant,
    Cursor,
    StrictBoolean,
    StrictInteger,
    StrictNumber,
    Text,
    Timestamp,
    TrustLevel,
    page_limit,
)
from memory.http.loop import (
    INSTRUCTIONS,
    ClaimStanding,
    Counts,
    HexDigest,
    LoopId,
    Prefix,
    Refused,
    refused_project,
)
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer
from memory.http.strict_field import refuse
from memory.vocabulary import SUBJECT_BYTES, ActorKind, Edge, MessageRole, RecordKind

QUESTION_BYTES = 8_192
RECALL_CHARACTERS = 16_000
TASK_CHARACTERS = 4_000
FEWEST_TOKENS = 128
MOST_TOKENS = 32_000
MOST_CANDIDATES = 1_000
CANDIDATES_DEFAULT = 200
CLAIM_ID_CHARACTERS = 200
KEY_CHARACTERS = 255


class RecallInput(InputSerializer):
    """A question, and how to answer it."""

    question = Text(max_bytes=QUESTION_BYTES)
    data_subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    include_shared = StrictBoolean(default=False)
    as_of = Timestamp(required=False)
    as_known_at = Timestamp(required=False)
    max_characters = StrictInteger(minimum=1, maximum=RECALL_CHARACTERS, default=RECALL_CHARACTERS)
    source_roles = ListOf(Choice(MessageRole), minimum=1, required=False)
    surfaces = ListOf(Choice(Surface), minimum=1, required=False)
    hops = StrictInteger(minimum=1, maximum=2, default=1)
    themes = StrictBoolean(default=False)

    @override
    def check(self, values: dict[str, Any], path: str) -> None:
        """Each role and surface once."""
        for name in ("source_roles", "surfaces"):
            given = values[name] or []
            for place, value in enumerate(given):
                if value in given[:place]:
                    refuse(f"{path}{name}[{place}]", "must not stand twice.")


class CompileInput(InputSerializer):
    """A task, and the budget for what may help with it."""

    task = Text(max_characters=TASK_CHARACTERS)
    max_tokens = StrictInteger(minimum=FEWEST_TOKENS, maximum=MOST_TOKENS)
    subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    include_shared = StrictBoolean(default=False)
    max_candidates = StrictInteger(minimum=1, maximum=MOST_CANDIDATES, default=CANDIDATES_DEFAULT)
    top_k = StrictInteger(minimum=1, maximum=MOST_CANDIDATES, required=False)
    at = Timestamp(required=False)
    include_checkpoints = StrictBoolean(default=False)
    project_id = refused_project()
    workspace_id = refused_project()
    cross_project = Refused("must be left out: a credential reaches one project.")


class ListRunsInput(InputSerializer):
    """Filters of a list of runs."""

    subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    outcome = Choice(OutcomeKind, required=False)
    limit = page_limit()
    after = Cursor(required=False)


class RecordOutcomeInput(InputSerializer):
    """What became of a pack, or of one claim in it."""

    outcome = Choice(OutcomeKind)
    claim_id = Text(max_characters=CLAIM_ID_CHARACTERS, required=False)
    reason_code = Text(max_characters=REASON_CHARACTERS, required=False)
    client_mutation_id = Text(
        max_characters=KEY_CHARACTERS, pattern=rf"[!-~]{{1,{KEY_CHARACTERS}}}", required=False
    )


class ListOutcomesInput(InputSerializer):
    """Filters of a list of outcomes."""

    context_id = LoopId(Prefix.CONTEXT, required=False)
    claim_id = LoopId(Prefix.CLAIM, required=False)
    outcome = Choice(OutcomeKind, required=False)
    actor_id = CanonicalUUID(required=False)
    limit = page_limit()
    after = Cursor(required=False)


class ControlsOutput(OutputSerializer):
    """How a question was answered."""

    max_characters = StrictInteger(minimum=1)
    max_rows = StrictInteger(minimum=1)
    source_roles = ListOf(Choice(MessageRole))
    hops = StrictInteger(minimum=1)
    surfaces = ListOf(Choice(Surface))
    themes = StrictBoolean()


class QuotationOutput(OutputSerializer):
    """The words that a fact rests on."""

    observation_id = CanonicalUUID(source="source_id")
    source_ordinal = StrictInteger(minimum=0, source="ordinal")
    quote = Text()
    byte_start = StrictInteger(minimum=0)
    byte_end = StrictInteger(minimum=1)
    context = Text()  # type: ignore[assignment]  # an attribute of DRF has that name
    context_start = StrictInteger(minimum=0)
    context_complete = StrictBoolean(source="is_context_complete")


class FactOutput(OutputSerializer):
    """A record that shares a word with the question."""

    fact_id = CanonicalUUID(source="record.id")
    version = CanonicalUUID(source="record.version")
    subject = Text(source="record.subject")
    predicate = Text(source="record.predicate")
    object = Text(source="record.object")
    statement = Text(source="record.statement")
    confidence = StrictNumber(source="record.confidence")
    trust = TrustLevel(source="record.trust")
    valid_from = Timestamp(source="record.valid_from")
    valid_until = Timestamp(nullable=True, source="record.valid_until")
    anchored_on = Text(source="record.subject")
    source_role = Choice(MessageRole, source="record.source_role")
    hops = StrictInteger(minimum=1)
    path = ListOf(Text())
    via = ListOf(Text())
    co_derived_with = ListOf(Text())
    evidence = QuotationOutput()


class ReachOutput(OutputSerializer):
    """What the question reached."""

    terms = StrictInteger(minimum=0)
    anchored = StrictInteger(minimum=0)
    named_nothing_known = StrictBoolean()
    facts_per_anchor = Counts()


class RecollectionOutput(OutputSerializer):
    """The facts that answer a question."""

    controls = ControlsOutput()
    anchors = ListOf(Text())
    facts = ListOf(FactOutput())
    reports = ListOf(Text())
    passages = ListOf(Text())
    truncated = StrictBoolean(source="is_truncated")
    characters = StrictInteger(minimum=0)
    degraded = ListOf(Text())
    reach = ReachOutput()


class ComponentsOutput(OutputSerializer):
    """What a score is made of, each with at most 6 decimals."""

    relevance = StrictNumber()
    trust = StrictNumber()
    recency = StrictNumber()
    utility = StrictNumber()
    conflict = StrictNumber()
    confidence = StrictNumber()


class PackedClaimOutput(OutputSerializer):
    """A claim of a pack that was just compiled."""

    untrusted = Constant(value=True)
    claim_id = LoopId(Prefix.CLAIM, source="record.id")
    record_version = CanonicalUUID(source="record.version")
    claim = Text(source="statement")
    kind = Choice(RecordKind, source="record.kind")
    confidence = StrictNumber(source="record.confidence")
    trust = TrustLevel(source="record.trust")
    status = ClaimStanding(source="standing")
    observer_id = Text(nullable=True, source="record.observer_name")
    valid_from = Timestamp(source="record.valid_from")
    valid_to = Timestamp(nullable=True, source="record.valid_until")
    evidence_ids = ListOf(LoopId(Prefix.OBSERVATION))
    score = StrictNumber()
    score_components = ComponentsOutput(source="components")


class ScopeOutput(OutputSerializer):
    """Whose claims were ranked, and as of when."""

    subject_id = Text(nullable=True, source="data_subject")
    include_shared = StrictBoolean(source="is_shared_included")
    project_id = Constant(value=None)
    project_mode = Constant(value="unscoped")
    broad_access_reason = Constant(value=None)
    as_of = Timestamp()


class BudgetOutput(OutputSerializer):
    """What fitted, and what did not."""

    max_tokens = StrictInteger(minimum=1)
    used_tokens = StrictInteger(minimum=0)
    selected_items = StrictInteger(minimum=0)
    omitted_items = StrictInteger(minimum=0)
    deduplicated_items = StrictInteger(minimum=0)
    unconsolidated_observations = StrictInteger(minimum=0)
    budget_exhausted = StrictBoolean(source="is_budget_exhausted")


class PackedConflictOutput(OutputSerializer):
    """A disputed claim of a pack."""

    claim_id = LoopId(Prefix.CLAIM, source="record.id")
    reason = Constant(value="contradicting_evidence")
    evidence_ids = ListOf(LoopId(Prefix.OBSERVATION), source="contradicting_ids")


class CompiledOutput(OutputSerializer):
    """A context pack."""

    context_id = LoopId(Prefix.CONTEXT, source="context.run_id")
    context_token = LoopId(Prefix.CONTEXT, source="context.run_id")
    query = Text(source="context.request.task")
    scope = ScopeOutput(source="context")
    budget = BudgetOutput(source="context")
    items = ListOf(PackedClaimOutput(), source="context.items")
    conflicts = ListOf(PackedConflictOutput(), source="context.conflicts")
    policy_snapshot = Text(source="context.policy")
    instructions = Constant(value=INSTRUCTIONS)


class RunOutput(OutputSerializer):
    """A compile that was stored."""

    context_id = LoopId(Prefix.CONTEXT, source="run.id")
    task_hash = HexDigest(source="run.task_digest")
    scope = ScopeOutput(source="run")
    budget = BudgetOutput(source="run")
    policy_snapshot = Text(source="run.policy")
    created_at = Timestamp(source="run.recorded_at")
    recorded_by = CanonicalUUID(source="run.recorded_by")
    recorded_by_kind = Choice(ActorKind, source="run.recorded_by_kind")
    recorded_via = Choice(Edge, source="run.recorded_via")
    recorded_at = Timestamp(source="run.recorded_at")
    outcomes = Counts(OutcomeKind, source="run.outcomes")


class DeliveredClaimOutput(OutputSerializer):
    """A claim of a stored pack: rank, version and score as delivered, the rest as it is now."""

    untrusted = Constant(value=True)
    claim_id = LoopId(Prefix.CLAIM, source="record_id")
    record_version = CanonicalUUID()
    current_version = CanonicalUUID()
    claim = Text(source="statement")
    kind = Choice(RecordKind)
    confidence = StrictNumber()
    trust = TrustLevel()
    status = ClaimStanding(source="standing")
    observer_id = Text(nullable=True, source="observer_name")
    valid_from = Timestamp()
    valid_to = Timestamp(nullable=True, source="valid_until")
    evidence_ids = ListOf(LoopId(Prefix.OBSERVATION))
    rank = StrictInteger(minimum=1)
    score = StrictNumber()
    score_components = ComponentsOutput(source="components")


class DeliveredConflictOutput(OutputSerializer):
    """A claim of a stored pack that is disputed now."""

    claim_id = LoopId(Prefix.CLAIM, source="record_id")
    reason = Constant(value="contradicting_evidence")
    evidence_ids = ListOf(LoopId(Prefix.OBSERVATION), source="contradicting_ids")


class RunDetailOutput(RunOutput):
    """A compile with its items."""

    items = ListOf(DeliveredClaimOutput())
    conflicts = ListOf(DeliveredConflictOutput())
    instructions = Constant(value=INSTRUCTIONS)


class RunPageOutput(OutputSerializer):
    """A page of runs."""

    runs = ListOf(RunOutput(), source="rows")
    next = Cursor(omit_none=True)


class OutcomeReceiptOutput(OutputSerializer):
    """An outcome that was recorded."""

    feedback_id = LoopId(Prefix.FEEDBACK, source="id")
    context_id = LoopId(Prefix.CONTEXT, source="run_id")
    claim_id = LoopId(Prefix.CLAIM, source="record_id", nullable=True)
    outcome = Choice(OutcomeKind, source="kind")
    recorded_at = Timestamp()


class OutcomeOutput(OutputSerializer):
    """An outcome in a list."""

    feedback_id = LoopId(Prefix.FEEDBACK, source="id")
    context_id = LoopId(Prefix.CONTEXT, source="run_id")
    claim_id = LoopId(Prefix.CLAIM, source="record_id", nullable=True)
    outcome = Choice(OutcomeKind, source="kind")
    reason_code = Text(nullable=True)
    counts = StrictBoolean(source="is_counted")
    recorded_by = CanonicalUUID()
    recorded_by_kind = Choice(ActorKind)
    recorded_via = Choice(Edge)
    recorded_at = Timestamp()


class OutcomePageOutput(OutputSerializer):
    """A page of outcomes."""

    outcomes = ListOf(OutcomeOutput(), source="rows")
    next = Cursor(omit_none=True)


class VotesOutput(OutputSerializer):
    """The outcomes that count."""

    positive = StrictInteger(minimum=0)
    negative = StrictInteger(minimum=0)
    total = StrictInteger(minimum=0)


class OutcomeSummaryOutput(OutputSerializer):
    """The outcomes about one claim, and what they make of its score."""

    claim_id = LoopId(Prefix.CLAIM, source="record_id")
    outcomes = Counts(OutcomeKind, source="by_kind")
    counted = VotesOutput(source="votes")
    distinct_actors = StrictInteger(minimum=0, source="votes.actors")
    minimum_actors = StrictInteger(minimum=1)
    utility = StrictNumber()
