"""The first items of a pack, computed from all records of a project: `retrieval.md` word by word.

Nothing of the product's ranking is used, and no posting: lexemes come from the statements, by the
database's parser. Frequencies are whole, so where the product reads a part of a word's postings
the two may differ.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from math import log
from typing import Any, Final
from uuid import UUID

from django.db import connection

_MICRO: Final = Decimal("0.000001")
_RECORDS: Final = """
SELECT id, trust, confidence, is_disputed, known_from,
  valid_from <= %(at)s AND (valid_until IS NULL OR valid_until > %(at)s),
  tsvector_to_array(to_tsvector('errata_english', statement)),
  (SELECT count(*) FROM memory_citation c
   WHERE c.project_id = r.project_id AND c.record_id = r.id AND c.relation = 'supports')
FROM memory_record r
WHERE project_id = %(project)s AND status = 'current' AND data_subject_id IS NULL
"""
_LEXEMES: Final = "SELECT unnest(tsvector_to_array(to_tsvector('errata_english', %s)))"


@dataclass(frozen=True, slots=True)
class _Known:
    id: UUID
    trust: int
    confidence: float
    is_disputed: bool
    known_from: datetime
    holds: bool
    lexemes: list[str]
    supporting: int


class Reference:
    """All records about nobody of a project, as of a time."""

    def __init__(self, project_id: UUID, at: datetime) -> None:
        self._at = at
        with connection.cursor() as cursor:
            cursor.execute(_RECORDS, {"project": project_id, "at": at})
            self._known = [_Known(*row) for row in cursor.fetchall()]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for place, known in enumerate(self._known):
            for lexeme in known.lexemes:
                self._holders[lexeme].append(place)

    def first(self, task: str, *, number: int, candidates: int) -> list[UUID]:
        """Ids of the first items of a task's pack, best first; no outcome counts."""
        with connection.cursor() as cursor:
            cursor.execute(_LEXEMES, [task])
            lexemes = sorted(row[0] for row in cursor.fetchall() if row[0] in self._holders)
        pairs = sum(len(self._holders[lexeme]) for lexeme in lexemes)
        sums: dict[int, float] = defaultdict(float)
        for lexeme in lexemes:
            for place in self._holders[lexeme]:
                sums[place] += log(1 + 3 * pairs / len(self._holders[lexeme]))
        scored = [
            (total - len(lexemes) * log(1 + len(self._known[place].lexemes) / 50), place)
            for place, total in sums.items()
            if self._known[place].holds
        ]
        scored.sort(key=lambda pair: (-round(pair[0], 9), self._known[pair[1]].id))
        floor = len(lexemes) * log(41)
        ranked = [
            self._rank(place, (likelihood + floor) / (scored[0][0] + floor))
            for likelihood, place in scored[:candidates]
        ]
        return [rank[-1] for rank in sorted(ranked)[:number]]

    def _rank(self, place: int, relevance: float) -> tuple[Any, ...]:
        known = self._known[place]
        days = max(0, (self._at - known.known_from).days)
        relevant = _rounded(Decimal(repr(min(1.0, max(0.0, relevance)))))
        total = (
            Decimal("0.45") * relevant
            + Decimal("0.20") * _rounded(Decimal(known.trust) / 3)
            + Decimal("0.15") * _rounded(Decimal(repr(0.5 ** (days / 90))))
            + Decimal("0.10") * Decimal("0.5")
            + Decimal("0.10") * (0 if known.is_disputed else 1)
        )
        score = _rounded(_rounded(Decimal(repr(known.confidence))) * total)
        return -score, -relevant, -known.supporting, known.id


def _rounded(number: Decimal) -> Decimal:
    return number.quantize(_MICRO, ROUND_HALF_UP)
