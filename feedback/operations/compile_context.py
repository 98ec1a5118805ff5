"""Compile a context pack for a task: candidates, ranked with what outcomes taught, that fit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from feedback import policies
from feedback.operations.context_rows import NewItem, NewRun, write_run
from feedback.packing import pack
from feedback.queries.outcomes import NO_VOTES, count_votes
from feedback.ranking import POLICY, Components, components
from memory import audit
from memory.operations.record_rows import ensure_subjects
from memory.queries.claims import Standing
from memory.queries.sources import count_unconsolidated
from memory.retrieval import Search, find_candidates
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import Operation, RecordStatus, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from feedback.packing import Pack
    from memory.actor import Actor
    from memory.retrieval import Candidate, Candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """What a pack is for. `at` decides which records hold, and how recent they are; now if None."""

    task: str
    max_tokens: int
    data_subject: str | None = None
    include_shared: bool = False
    max_candidates: int
    top_k: int | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """A candidate with its score."""

    record: Candidate
    components: Components
    score: float

    @property
    def statement(self) -> str:
        """What the record says."""
        return self.record.statement

    @property
    def standing(self) -> Standing:
        """Current, or it would not be ranked."""
        return Standing(RecordStatus.CURRENT, is_disputed=self.record.is_disputed, is_expired=False)

    @property
    def evidence_ids(self) -> list[UUID]:
        """The sources that it cites, each once, in the order of the citations."""
        return list(dict.fromkeys(source.source_id for source in self.record.cited))

    @property
    def contradicting_ids(self) -> list[UUID]:
        """Those of them that contradict it."""
        cited = self.record.cited
        return [s.source_id for s in cited if s.relation is Relation.CONTRADICTS]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledContext:
    """A stored run, with its items by rank and what was counted on the way."""

    run_id: UUID
    request: ContextRequest
    as_of: datetime
    items: tuple[RankedRecord, ...]
    used_tokens: int
    omitted_items: int
    deduplicated_items: int
    unconsolidated_observations: int
    is_budget_exhausted: bool
    candidates: int
    lexemes_used: int
    lexemes_dropped: int
    policy: str = POLICY

    @property
    def data_subject(self) -> str | None:
        """Whose records were ranked."""
        return self.request.data_subject

    @property
    def is_shared_included(self) -> bool:
        """Whether records about nobody were ranked too."""
        return self.request.include_shared

    @property
    def max_tokens(self) -> int:
        """The budget."""
        return self.request.max_tokens

    @property
    def selected_items(self) -> int:
        """How many items the pack has."""
        return len(self.items)

    @property
    def conflicts(self) -> list[RankedRecord]:
        """The items that are disputed."""
        return [item for item in self.items if item.record.is_disputed]


@operation(Operation.CONTEXT_COMPILE)
def compile_context(
    *,
    actor: Actor,
    request: ContextRequest,
    weigh: Callable[[RankedRecord], int],
    least: Callable[[RankedRecord], int] | None = None,
) -> CompiledContext:
    """Rank what is known for a task, take what fits, and keep the run without the task's text.

    `weigh` gives the tokens of an item in the form in which the edge sends it, `least` a cheap
    lower bound of them. May: whoever reads; a run changes nothing that anybody believes. Refuses:
    Denied. Writes: the run, its items, one audit entry. Rule: `contract.md` 4.2, `design.md`
    Ranking.
    """
    policies.can_compile(actor).require()
    scope = current_scope()
    as_of = request.at or scope.opened_at
    found = find_candidates(
        actor,
        Search(
            text=request.task,
            data_subject=request.data_subject,
            include_shared=request.include_shared,
            as_of=as_of,
            limit=request.max_candidates,
        ),
    )
    lexemes_digest = scope.digests.digest("lexemes", *sorted(found.lexemes))
    packed = pack(
        _ranked(actor, found, as_of, lexemes_digest),
        max_tokens=request.max_tokens,
        top_k=request.top_k,
        weigh=weigh,
        least=least,
    )
    run = _run(actor, request, packed, as_of, lexemes_digest)
    write_run(actor, run, [_item(item) for item in packed.items])
    audit.allowed(actor, audit.Call(Operation.CONTEXT_COMPILE, len(packed.items)))
    return CompiledContext(
        run_id=run.id,
        request=request,
        as_of=as_of,
        items=packed.items,
        used_tokens=run.used_tokens,
        omitted_items=run.omitted_items,
        deduplicated_items=run.deduplicated_items,
        unconsolidated_observations=run.unconsolidated_observations,
        is_budget_exhausted=run.is_budget_exhausted,
        candidates=len(found.rows),
        lexemes_used=found.used,
        lexemes_dropped=found.dropped,
    )


def _ranked(
    actor: Actor, found: Candidates, as_of: datetime, lexemes_digest: bytes
) -> Sequence[RankedRecord]:
    """Best first. Ties: relevance, supporting citations, id (`design.md`)."""
    votes = count_votes(actor, [row.id for row in found.rows], lexemes_digest=lexemes_digest)
    ranked = []
    for row in found.rows:
        parts = components(
            relevance=row.relevance,
            trust=row.trust,
            known_from=row.known_from,
            as_of=as_of,
            utility=votes.get(row.id, NO_VOTES).utility,
            is_disputed=row.is_disputed,
            confidence=row.confidence,
        )
        ranked.append(RankedRecord(row, parts, parts.score))
    ranked.sort(key=_rank)
    return ranked


def _rank(item: RankedRecord) -> tuple[float, float, int, UUID]:
    record = item.record
    return (-item.score, -item.components.relevance, -record.supporting_citations, record.id)


def _run(
    actor: Actor,
    request: ContextRequest,
    packed: Pack[RankedRecord],
    as_of: datetime,
    lexemes_digest: bytes,
) -> NewRun:
    scope = current_scope()
    return NewRun(
        id=uuid4(),
        task_digest=scope.digests.digest("task", request.task),
        lexemes_digest=lexemes_digest,
        data_subject_id=ensure_subjects(actor, [request.data_subject])[request.data_subject],
        is_shared_included=request.include_shared,
        as_of=as_of,
        policy=POLICY,
        max_tokens=request.max_tokens,
        used_tokens=packed.used_tokens,
        omitted_items=packed.omitted_items,
        deduplicated_items=packed.deduplicated_items,
        unconsolidated_observations=count_unconsolidated(actor, request.data_subject),
        is_budget_exhausted=packed.is_exhausted,
        recorded_at=scope.opened_at,
    )


def _item(item: RankedRecord) -> NewItem:
    return NewItem(item.record.id, item.record.version, item.components, item.score)
