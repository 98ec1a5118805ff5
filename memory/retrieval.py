"""Authorised candidates for a task or a question, ranked by how well their statements match it.

Query likelihood with term presence (`retrieval.md`, after Zhai and Lafferty, 2001). For the
distinct lexemes of the text, over the current records of the scope: `df` pairs of one lexeme and
records, `H` all pairs, `m` lexemes that match at all, `dl` lexemes of a statement:

    likelihood = sum over matched lexemes of ln(1 + 3 H / df)  -  m ln(1 + dl / 50)

The scope is one person, nobody, or both. It is hashed into the terms of the postings, so those of
other people and projects are never read and move no score, and comparisons of uuid and bigint keep
their index under row security. Another index can take the place of this one behind
`find_candidates`. At most `POSTINGS_PER_TERM` postings of a word are read, by ascending record: up
to there the ranking is exact, whichever postings `memory.queries.looks` leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from math import log
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection

from memory.queries.lexemes import find_lexemes
from memory.queries.looks import Look, Way, cheapest_look
from memory.queries.record_filters import sql_of
from memory.scope import current_scope
from memory.vocabulary import Relation, Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.queries.lexemes import Lexeme
    from memory.queries.record_filters import RecordCondition
    from memory.vocabulary import MessageRole

LEXEMES_PER_SEARCH: Final = 16
POSTINGS_PER_TERM: Final = 100_000
CANDIDATES_SCORED: Final = 2_000
_Row = tuple[Any, ...]
_FLOOR: Final = log(1 + 2000 / 50)  # what a lexeme costs the longest usual statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for, among whose records, and when it has to hold.

    `known_at` is None for what is believed now; a time asks for what was believed then.
    """

    text: str
    data_subject: str | None
    include_shared: bool
    as_of: datetime
    limit: int
    known_at: datetime | None = None
    source_roles: Sequence[MessageRole] | None = None
    condition: RecordCondition | None = None


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A source that a record cites, and how it bears on the record."""

    source_id: UUID
    relation: Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A record that shares a word with the search. `relevance` is 1 for the best one."""

    id: UUID
    version: UUID
    subject: str
    predicate: str
    object: str
    statement: str
    kind: str
    confidence: float
    trust: Trust
    is_disputed: bool
    observer_name: str | None
    source_role: str
    valid_from: datetime
    valid_until: datetime | None
    known_from: datetime
    cited: tuple[CitedSource, ...]
    relevance: float

    @property
    def supporting_citations(self) -> int:
        """How many citations support it; breaks ties."""
        return sum(source.relation is Relation.SUPPORTS for source in self.cited)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a search found, best match first, and what it was made of."""

    rows: tuple[Candidate, ...]
    lexemes: tuple[str, ...]

    @property
    def used(self) -> int:
        """How many distinct lexemes were looked for."""
        return min(len(self.lexemes), LEXEMES_PER_SEARCH)

    @property
    def dropped(self) -> int:
        """How many were left out, the commonest first."""
        return len(self.lexemes) - self.used


# Scores come from the key of the postings alone; records are looked up from the best one on, until
# enough of them are eligible. Every cut is by score and then id, so equal searches find the same;
# weights are whole numbers, so that the order of adding does not matter. Times come without their
# zone, which the driver reads five times as fast.
_POSTED: Final = """
WITH posted AS (
  SELECT p.record_id, sum(search.weight) AS weight, min(p.term_count) AS term_count
  FROM unnest(%(terms)s::bigint[], %(weights)s::int4[]) AS search(term, weight),
    unnest(%(states)s::boolean[]) AS state(is_current), LATERAL (
      SELECT record_id, term_count FROM memory_posting p
      WHERE p.project_id = %(project)s AND p.term = search.term
        AND p.is_current = state.is_current
      ORDER BY record_id LIMIT %(postings)s) AS p
  GROUP BY p.record_id
)
"""
_IN_FULL: Final = """
, scored AS MATERIALIZED (
  SELECT record_id, weight / 1e8::float8
    - %(matched)s * ln(1 + term_count / 50.0::float8) AS likelihood
  FROM posted
  ORDER BY likelihood DESC, record_id LIMIT %(scored)s
)
"""
_OF_RARE: Final = """
, common AS (
  SELECT p.record_id, sum(search.weight) AS weight
  FROM unnest(%(common_terms)s::bigint[], %(common_weights)s::int4[]) AS search(term, weight),
    unnest(%(states)s::boolean[]) AS state(is_current), LATERAL (
      SELECT record_id FROM memory_posting p
      WHERE p.project_id = %(project)s AND p.term = search.term
        AND p.is_current = state.is_current {how}) AS p
  WHERE p.record_id IN (SELECT record_id FROM posted)
  GROUP BY p.record_id
), scored AS MATERIALIZED (
  SELECT record_id, (posted.weight + coalesce(common.weight, 0)) / 1e8::float8
    - %(matched)s * ln(1 + posted.term_count / 50.0::float8) AS likelihood
  FROM posted LEFT JOIN common USING (record_id)
  ORDER BY likelihood DESC, record_id LIMIT %(scored)s
)
"""
_SCORED: Final = {
    Way.IN_FULL: _IN_FULL,
    Way.READ: _OF_RARE.format(how="ORDER BY record_id LIMIT %(postings)s"),
    Way.SOUGHT: _OF_RARE.format(how="AND p.record_id = ANY (ARRAY(SELECT record_id FROM posted))"),
}
_ELIGIBLE: Final = """
, eligible AS MATERIALIZED (
  SELECT scored.likelihood, r.*
  FROM (SELECT * FROM scored ORDER BY likelihood DESC, record_id) AS scored, LATERAL (
    SELECT * FROM memory_record r
    WHERE r.project_id = %(project)s AND r.id = scored.record_id
      AND (r.status = 'current' OR %(known_at)s::timestamptz IS NOT NULL)
      AND (%(known_at)s::timestamptz IS NULL OR r.known_from <= %(known_at)s::timestamptz
        AND (r.known_until IS NULL OR r.known_until > %(known_at)s::timestamptz))
      AND r.valid_from <= %(as_of)s AND (r.valid_until IS NULL OR r.valid_until > %(as_of)s)
      AND (%(roles)s::text[] IS NULL OR r.source_role = ANY (%(roles)s::text[]))
      AND {condition}
    OFFSET 0) AS r
  LIMIT %(limit)s
)
SELECT likelihood, id, version, subject, predicate, object, statement, kind, confidence, trust,
  is_disputed, observer_name, source_role, valid_from AT TIME ZONE 'UTC',
  valid_until AT TIME ZONE 'UTC', known_from AT TIME ZONE 'UTC', sources, relations
FROM eligible, LATERAL (
  SELECT array_agg(c.source_id ORDER BY c.recorded_at, c.id) AS sources,
    array_agg(c.relation ORDER BY c.recorded_at, c.id) AS relations
  FROM memory_citation c WHERE c.project_id = %(project)s AND c.record_id = eligible.id) AS cited
ORDER BY likelihood DESC, id
"""


def find_candidates(actor: Actor, search: Search) -> Candidates:
    """The records that share a word with the search and hold at its time, best match first.

    Two statements, one where no word occurs and three where the first look missed something; the
    key of memory_posting, then records by their key.
    """
    lexemes = find_lexemes(
        actor,
        search.text,
        subjects=_subjects(search),
        states=_states(search),
        used=LEXEMES_PER_SEARCH,
        postings=POSTINGS_PER_TERM,
    )
    matched = [lexeme for lexeme in lexemes.values() if lexeme is not None]
    rows = _find_rows(actor, search, matched) if matched else []
    floor = len(matched) * _FLOOR
    best = rows[0][0] + floor if rows else 1.0
    return Candidates(
        tuple(_candidate(row, min(1.0, max(0.0, (row[0] + floor) / best))) for row in rows),
        tuple(lexemes),
    )


def _subjects(search: Search) -> list[UUID | None]:
    """Whose records are searched: the person's, nobody's, or both."""
    if search.data_subject is None:
        return [None]
    person = current_scope().digests.subject_id(search.data_subject)
    return [person, None] if search.include_shared else [person]


def _states(search: Search) -> list[bool]:
    """Whether current records are searched, or closed ones too."""
    return [True] if search.known_at is None else [True, False]


def _roles(search: Search) -> list[str] | None:
    """The roles that records may come from; None for all."""
    return None if search.source_roles is None else [role.value for role in search.source_roles]


def _find_rows(actor: Actor, search: Search, matched: Sequence[Lexeme]) -> list[_Row]:
    """The best records; the second attempt looks at all where the first may have missed some."""
    look = cheapest_look(matched, search.limit)
    rows = _read_rows(actor, search, look)
    is_exact = len(rows) == search.limit and rows[-1][0] > look.reach
    if look.is_whole or is_exact:
        return rows
    return _read_rows(actor, search, look.in_full())


def _read_rows(actor: Actor, search: Search, look: Look) -> list[_Row]:
    terms, weights = look.rare_terms
    common_terms, common_weights = look.common_terms
    condition = sql_of(search.condition)
    with connection.cursor() as cursor:
        cursor.execute(
            _POSTED + _SCORED[look.way] + _ELIGIBLE.format(condition=condition.text),
            {
                **condition.values,
                "project": actor.project_id,
                "matched": len(look.lexemes),
                "terms": terms,
                "weights": weights,
                "common_terms": common_terms,
                "common_weights": common_weights,
                "states": _states(search),
                "postings": POSTINGS_PER_TERM,
                "scored": CANDIDATES_SCORED,
                "known_at": search.known_at,
                "as_of": search.as_of,
                "roles": _roles(search),
                "limit": search.limit,
            },
        )
        rows: list[_Row] = cursor.fetchall()
        return rows


def _candidate(row: _Row, relevance: float) -> Candidate:
    return Candidate(
        id=row[1],
        version=row[2],
        subject=row[3],
        predicate=row[4],
        object=row[5],
        statement=row[6],
        kind=row[7],
        confidence=row[8],
        trust=Trust(row[9]),
        is_disputed=row[10],
        observer_name=row[11],
        source_role=row[12],
        valid_from=row[13].replace(tzinfo=UTC),
        valid_until=None if row[14] is None else row[14].replace(tzinfo=UTC),
        known_from=row[15].replace(tzinfo=UTC),
        cited=tuple(map(CitedSource, row[16] or (), map(Relation, row[17] or ()))),
        relevance=relevance,
    )
