"""Recall: the records that answer a question, whole, with the words that they rest on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from feedback.ranking import components
from memory import policies
from memory.queries.citations import context_span
from memory.retrieval import Search, find_candidates
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import MessageRole, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.retrieval import Candidate

RECALLED_ROWS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, about whom, and as of when; `as_known_at` asks for what was believed then."""

    text: str
    data_subject: str | None = None
    include_shared: bool = False
    as_of: datetime | None = None
    as_known_at: datetime | None = None
    max_characters: int
    source_roles: Sequence[MessageRole]
    has_facts: bool = True  # whether the caller wants any


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """The first supporting citation of a fact, with what stands around it."""

    source_id: UUID
    ordinal: int
    quote: str
    byte_start: int
    byte_end: int
    context: str
    context_start: int
    is_context_complete: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """A record that shares a word with the question."""

    record: Candidate
    evidence: Quotation

    @property
    def characters(self) -> int:
        """How long everything is that a caller would read of it, in code points."""
        record, evidence = self.record, self.evidence
        texts = (record.subject, record.predicate, record.object, record.statement)
        return sum(map(len, (*texts, evidence.quote, evidence.context)))


@dataclass(frozen=True, slots=True)
class Recollection:
    """The facts that fit, best first, and what the question reached."""

    facts: tuple[Fact, ...]
    terms: int
    is_anything_known: bool  # whether a record shares a word, whatever of it comes back
    is_truncated: bool

    @property
    def characters(self) -> int:
        """How long the facts are together."""
        return sum(fact.characters for fact in self.facts)

    @property
    def facts_per_subject(self) -> Counter[str]:
        """How many facts are about each subject."""
        return Counter(fact.record.subject for fact in self.facts)

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.facts)


@audited_read(Operation.RECALL)
def recall(*, actor: Actor, question: Question) -> Recollection:
    """The records that answer a question, by their score with neutral utility.

    A fact comes whole or not at all. Three statements: two of `find_candidates`, one for citations
    (memory_citation_record_idx). Rule: `contract.md` 3.3.
    """
    policies.can_read(actor).require()
    as_of = question.as_of or current_scope().opened_at
    found = find_candidates(
        actor,
        Search(
            text=question.text,
            data_subject=question.data_subject,
            include_shared=question.include_shared,
            as_of=as_of,
            known_at=question.as_known_at,
            source_roles=question.source_roles,
            limit=RECALLED_ROWS,
        ),
    )
    rows = found.rows if question.has_facts else ()
    ranked = sorted(rows, key=lambda row: _rank(row, as_of))
    quotations = _quotations_of(actor, [row.id for row in ranked])
    facts, left = [], question.max_characters
    for row in ranked:
        fact = Fact(row, quotations[row.id])
        if fact.characters <= left:
            facts.append(fact)
            left -= fact.characters
    is_truncated = len(facts) < len(ranked)
    return Recollection(tuple(facts), found.used, bool(found.rows), is_truncated)


def _rank(row: Candidate, as_of: datetime) -> tuple[float, float, int, UUID]:
    parts = components(
        relevance=row.relevance,
        trust=row.trust,
        known_from=row.known_from,
        as_of=as_of,
        is_disputed=row.is_disputed,
        confidence=row.confidence,
    )
    return (-parts.score, -parts.relevance, -row.supporting_citations, row.id)


_QUOTATIONS: Final = """
SELECT r.id, c.source_id, c.ordinal, c.quote, c.byte_start, c.byte_end, m.content
FROM unnest(%(records)s::uuid[]) AS r(id), LATERAL (
  SELECT * FROM memory_citation c
  WHERE c.project_id = %(project)s AND c.record_id = r.id AND c.relation = 'supports'
  ORDER BY c.recorded_at, c.id LIMIT 1) AS c
JOIN memory_message m ON m.project_id = %(project)s AND m.source_id = c.source_id
  AND m.ordinal = c.ordinal
"""


def _quotations_of(actor: Actor, record_ids: Sequence[UUID]) -> dict[UUID, Quotation]:
    """The first supporting citation of each record. At most one statement."""
    if not record_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_QUOTATIONS, {"project": actor.project_id, "records": list(record_ids)})
        return {record_id: _quotation(*citation) for record_id, *citation in cursor}


def _quotation(
    source_id: UUID, ordinal: int, quote: str, byte_start: int, byte_end: int, content: str
) -> Quotation:
    raw = content.encode()
    start, end = context_span(raw, byte_start, byte_end)
    return Quotation(
        source_id=source_id,
        ordinal=ordinal,
        quote=quote,
        byte_start=byte_start,
        byte_end=byte_end,
        context=raw[start:end].decode(),
        context_start=start,
        is_context_complete=(start, end) == (0, len(raw)),
    )
