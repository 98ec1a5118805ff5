"""Retrieve: the records that match a query, as RCP hits are made of (`protocols.md` 1.7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection

from feedback.packing import tokens_of
from feedback.queries.outcomes import NO_VOTES, count_votes
from feedback.ranking import Components, components
from memory import policies
from memory.retrieval import Search, find_candidates
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation, Relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.queries.record_filters import RecordCondition
    from memory.retrieval import Candidate, Candidates

CITATIONS_PER_HIT: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HitPlace:
    """Where a page of hits ended: what hits are ordered by."""

    score: float
    relevance: float
    supporting: int
    record_id: UUID

    @property
    def key(self) -> tuple[float, float, int, UUID]:
        """Ascending in reading order: best first, ids break ties."""
        return (-self.score, -self.relevance, -self.supporting, self.record_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """What is looked for. `as_of` and `after` come from a cursor: the first page's instant."""

    text: str
    limit: int
    candidates: int
    data_subject: str | None = None
    include_shared: bool = False
    condition: RecordCondition | None = None
    min_score: float | None = None
    token_budget: int | None = None
    as_of: datetime | None = None
    after: HitPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCitation:
    """A cited span and where its source comes from."""

    source_id: UUID
    relation: Relation
    quote: str
    byte_start: int
    byte_end: int
    origin_ref: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRow:
    """A record that matches, with its score and what it rests on."""

    record: Candidate
    components: Components
    score: float
    version_number: int
    recorded_at: datetime
    citations: tuple[HitCitation, ...]

    @property
    def tokens(self) -> int:
        """What its statement costs."""
        return tokens_of(len(self.record.statement.encode()))

    @property
    def place(self) -> HitPlace:
        """Where it stands in the order of hits."""
        return HitPlace(
            score=self.score,
            relevance=self.components.relevance,
            supporting=self.record.supporting_citations,
            record_id=self.record.id,
        )


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A page of hits, and whether more follow."""

    hits: tuple[HitRow, ...]
    candidates: int
    as_of: datetime
    is_more: bool

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class _Scored:
    record: Candidate
    components: Components
    score: float

    @property
    def key(self) -> tuple[float, float, int, UUID]:
        return (
            -self.score,
            -self.components.relevance,
            -self.record.supporting_citations,
            self.record.id,
        )


@audited_read(Operation.RETRIEVE)
def retrieve(*, actor: Actor, request: RetrieveRequest) -> Retrieved:
    """One page of hits, best first; candidates and score are those of a compile.

    Nothing is stored. Four statements: two of `find_candidates`, the votes, what the page's records
    rest on (memory_citation_record_idx).
    """
    policies.can_read(actor).require()
    as_of = request.as_of or current_scope().opened_at
    found = find_candidates(
        actor,
        Search(
            text=request.text,
            data_subject=request.data_subject,
            include_shared=request.include_shared,
            as_of=as_of,
            limit=request.candidates,
            condition=request.condition,
        ),
    )
    scored = _scored(actor, found, as_of)
    if request.min_score is not None:
        scored = [hit for hit in scored if hit.score >= request.min_score]
    if request.after is not None:
        scored = [hit for hit in scored if hit.key > request.after.key]
    page = _within_budget(scored[: request.limit], request.token_budget)
    hits = _with_citations(actor, page)
    return Retrieved(hits, len(found.rows), as_of, len(page) < len(scored))


def _scored(actor: Actor, found: Candidates, as_of: datetime) -> list[_Scored]:
    digest = current_scope().digests.digest("lexemes", *found.lexemes)
    votes = count_votes(actor, [row.id for row in found.rows], lexemes_digest=digest)
    scored = []
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
        scored.append(_Scored(row, parts, parts.score))
    return sorted(scored, key=lambda hit: hit.key)


def _within_budget(page: list[_Scored], most: int | None) -> list[_Scored]:
    """Hits by rank until the next statement would pass the budget."""
    if most is None:
        return page
    used = 0
    for place, hit in enumerate(page):
        used += tokens_of(len(hit.record.statement.encode()))
        if used > most:
            return page[:place]
    return page


_DETAILS: Final = """
SELECT r.id, r.version_number, r.recorded_at, (
  SELECT json_agg(json_build_array(c.source_id, c.relation, c.quote, c.byte_start, c.byte_end,
    s.origin_ref) ORDER BY c.relation <> 'supports', c.recorded_at, c.id)
  FROM (
    SELECT * FROM memory_citation c WHERE c.project_id = %(project)s AND c.record_id = r.id
    ORDER BY c.relation <> 'supports', c.recorded_at, c.id LIMIT %(citations)s) AS c
  JOIN memory_source s ON s.project_id = %(project)s AND s.id = c.source_id)
FROM memory_record r WHERE r.project_id = %(project)s AND r.id = ANY (%(records)s::uuid[])
"""


def _with_citations(actor: Actor, page: Sequence[_Scored]) -> tuple[HitRow, ...]:
    if not page:
        return ()
    with connection.cursor() as cursor:
        cursor.execute(
            _DETAILS,
            {
                "project": actor.project_id,
                "citations": CITATIONS_PER_HIT,
                "records": [hit.record.id for hit in page],
            },
        )
        details = {record_id: rest for record_id, *rest in cursor}
    return tuple(_hit(hit, *details[hit.record.id]) for hit in page)


def _hit(
    hit: _Scored, version_number: int, recorded_at: datetime, cited: list[list[Any]] | None
) -> HitRow:
    return HitRow(
        record=hit.record,
        components=hit.components,
        score=hit.score,
        version_number=version_number,
        recorded_at=recorded_at,
        citations=tuple(
            HitCitation(
                source_id=UUID(source),
                relation=Relation(relation),
                quote=quote,
                byte_start=start,
                byte_end=end,
                origin_ref=ref,
            )
            for source, relation, quote, start, end, ref in cited or ()
        ),
    )
