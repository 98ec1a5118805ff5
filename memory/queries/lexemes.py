"""The lexemes of a text, and how often each occurs among the records of a scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.db import connection

from memory.scope import current_scope

if TYPE_CHECKING:
    from uuid import UUID

    from memory.actor import Actor

_CORRECTED_LEXEMES: Final = 4
_SHORTEST_MISSPELT: Final = 4  # characters; shorter words are like too many others
_PROBED_POSTINGS: Final = 400_000  # of a text with too many lexemes, to find the rarest ones


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A lexeme that occurs: its terms, one for each person of the scope, and its frequency."""

    terms: tuple[int, ...]
    frequency: int


# The first count only tells what occurs, and the rarest lexemes of a long text; those that are used
# are counted again, since a frequency is a weight. A word that occurs nowhere is taken for the most
# similar word of a name, if one is similar enough. Closed records count only for the past.
_LEXEMES: Final = """
WITH given AS (
  SELECT lexeme, count(*) OVER () AS number
  FROM unnest(tsvector_to_array(to_tsvector(%(configuration)s::regconfig, %(text)s))) AS lexeme
), probed AS (
  SELECT lexeme, lexeme AS known, sum(posted.number) AS number
  FROM given, memory_project, unnest(%(subjects)s::uuid[]) AS subject(id),
    unnest(%(states)s::boolean[]) AS state(is_current), LATERAL (
      SELECT count(*) AS number FROM (
        SELECT FROM memory_posting p WHERE p.project_id = %(project)s
          AND p.term = memory_term_v1(digest_key, subject.id, lexeme)
          AND p.is_current = state.is_current
        LIMIT CASE WHEN given.number <= %(used)s THEN 1
          ELSE greatest(200, %(probed)s / given.number) END) AS posting) AS posted
  WHERE memory_project.id = %(project)s
  GROUP BY lexeme
), unknown AS MATERIALIZED (
  SELECT lexeme FROM probed JOIN given USING (lexeme)
  WHERE probed.number = 0 AND given.number <= %(used)s ORDER BY lexeme LIMIT %(corrected)s
), misspelt AS (
  SELECT lexeme, min(word) AS word
  FROM unknown, unnest(tsvector_to_array(to_tsvector('errata_simple', %(text)s))) AS word
  WHERE length(word) >= %(shortest)s
    AND lexeme = ANY (tsvector_to_array(to_tsvector(%(configuration)s::regconfig, word)))
  GROUP BY lexeme
), used AS (
  SELECT lexeme, known FROM (
    SELECT lexeme, known, number FROM probed WHERE number > 0
    UNION ALL
    SELECT lexeme, memory_similar_lexeme_v1(%(configuration)s::regconfig,
      %(subjects)s::uuid[], word), 1 FROM misspelt) AS found
  WHERE known IS NOT NULL ORDER BY number, lexeme LIMIT %(used)s
), hashed AS (
  SELECT lexeme, array_agg(memory_term_v1(digest_key, subject.id, known)) AS terms
  FROM used, memory_project, unnest(%(subjects)s::uuid[]) AS subject(id)
  WHERE memory_project.id = %(project)s GROUP BY lexeme
), counted AS (
  SELECT lexeme, terms, (
    SELECT sum(posted.number) FROM unnest(terms) AS word(term),
      unnest(%(states)s::boolean[]) AS state(is_current), LATERAL (
        SELECT count(*) AS number FROM (
          SELECT FROM memory_posting p WHERE p.project_id = %(project)s AND p.term = word.term
            AND p.is_current = state.is_current LIMIT %(postings)s) AS posting) AS posted
  )::bigint AS frequency
  FROM hashed
)
SELECT lexeme, terms, frequency FROM given LEFT JOIN counted USING (lexeme) ORDER BY lexeme
"""


def find_lexemes(
    actor: Actor,
    text: str,
    *,
    subjects: list[UUID | None],
    states: list[bool],
    used: int,
    postings: int,
) -> dict[str, Lexeme | None]:
    """Every distinct lexeme of the text; None for those that do not occur or are not used.

    The `used` rarest ones are. Frequencies are counted up to `postings` for each term, among the
    records about these subjects in these states: True for current ones, False for closed ones. A
    name may hold a similar word that no posting has: it was cut into words in another way. One
    statement; the key of memory_posting.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _LEXEMES,
            {
                "configuration": current_scope().search_configuration,
                "text": text,
                "project": actor.project_id,
                "subjects": subjects,
                "states": states,
                "used": used,
                "probed": _PROBED_POSTINGS,
                "shortest": _SHORTEST_MISSPELT,
                "corrected": _CORRECTED_LEXEMES,
                "postings": postings,
            },
        )
        return {
            lexeme: Lexeme(tuple(terms), frequency) if frequency else None
            for lexeme, terms, frequency in cursor  # the word of a name may stand in no statement
        }
