"""Which postings a search reads: the cheapest look that is likely to find all of the best records.

Common words decide little. Where rare words have enough records, these are found by the rare ones
alone, and common words only add to them (MaxScore: Turtle and Flood, 1995). What was found shows
whether a record without a rare word could be better; then all postings are read after all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import accumulate
from math import log
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.queries.lexemes import Lexeme

UNITS: Final = 10**8  # of a weight; 16 lexemes of 100,000 postings keep it below 2**31
FEWEST_POSTINGS: Final = 5_000  # less is read in full as quickly
_SPARE: Final = 1.25  # of the records that are asked for; some hold two rare words, or no longer
_USUAL_LENGTH: Final = 16  # lexemes of a statement
_COMMONEST_SHARE: Final = 1 / 3  # of all records, that have the commonest word of a search
# What it takes, in postings that are read in full, of 0.6 microseconds each: a record of the rare
# words, one of all postings of a common word, and one that is sought by its key. Measured with
# 200,000 records on PostgreSQL 18.
_RECORD_AMONG_READ, _READ_POSTING = 2.0, 0.3
_RECORD_AMONG_SOUGHT, _SOUGHT_POSTING = 1.0, 2.2
_WORTHWHILE: Final = 0.75  # of the cost of reading all, which follows where the guess was wrong


class Way(Enum):
    """How the postings of common words are looked at."""

    IN_FULL = auto()  # no word counts as common
    READ = auto()  # all, for the records that are found among them
    SOUGHT = auto()  # those of the records that rare words found, by their key


@dataclass(frozen=True, slots=True)
class Look:
    """The lexemes of a search, the rarest first, and their weights in units of 1e-8.

    Records come from the first `rarest` of them; the others add to those.
    """

    lexemes: Sequence[Lexeme]
    weights: Sequence[int]
    rarest: int
    way: Way

    @property
    def is_whole(self) -> bool:
        """Whether all records that share a word with the search are looked at."""
        return self.way is Way.IN_FULL

    @property
    def reach(self) -> float:
        """Best likelihood of a record that is not looked at; a statement has a lexeme at least."""
        others = sum(self.weights[self.rarest :]) / UNITS
        return others - len(self.lexemes) * log(1 + 1 / 50)

    @property
    def cost(self) -> float:
        """What it takes, in postings that are read in full."""
        rare = sum(lexeme.frequency for lexeme in self.lexemes[: self.rarest])
        common = self.lexemes[self.rarest :]
        if self.way is Way.IN_FULL:
            return rare
        if self.way is Way.READ:
            postings = sum(lexeme.frequency for lexeme in common)
            return _RECORD_AMONG_READ * rare + _READ_POSTING * postings
        terms = sum(len(lexeme.terms) for lexeme in common)
        return _RECORD_AMONG_SOUGHT * rare + _SOUGHT_POSTING * rare * terms

    @property
    def rare_terms(self) -> tuple[list[int], list[int]]:
        """The terms that records come from, each with its weight."""
        return self._terms(slice(self.rarest))

    @property
    def common_terms(self) -> tuple[list[int], list[int]]:
        """The terms that add to records, each with its weight."""
        return self._terms(slice(self.rarest, None))

    def in_full(self) -> Look:
        """The look that misses nothing."""
        return replace(self, rarest=len(self.lexemes), way=Way.IN_FULL)

    def _terms(self, part: slice) -> tuple[list[int], list[int]]:
        pairs = [
            (term, weight)
            for lexeme, weight in zip(self.lexemes[part], self.weights[part], strict=True)
            for term in lexeme.terms
        ]
        return [term for term, _ in pairs], [weight for _, weight in pairs]


def cheapest_look(matched: Sequence[Lexeme], limit: int) -> Look:
    """The look for the `limit` best records that is likely to be enough for the least cost."""
    pairs = sum(lexeme.frequency for lexeme in matched)
    lexemes = sorted(matched, key=lambda lexeme: lexeme.frequency)
    weights = [round(UNITS * log(1 + 3 * pairs / lexeme.frequency)) for lexeme in lexemes]
    whole = Look(lexemes, weights, len(lexemes), Way.IN_FULL)
    if pairs <= FEWEST_POSTINGS:
        return whole
    look = min(_likely_looks(whole, limit), key=lambda look: look.cost, default=whole)
    return look if look.cost < whole.cost * _WORTHWHILE else whole


def _likely_looks(whole: Look, limit: int) -> Iterator[Look]:
    """The looks at rare words alone whose worst record is likely to be out of the others' reach."""
    worst = _likely_worst(whole, round(limit * _SPARE))
    for rarest in range(1, len(whole.lexemes)):
        for way in (Way.READ, Way.SOUGHT):
            look = replace(whole, rarest=rarest, way=way)
            if look.reach < worst:
                yield look


def _likely_worst(whole: Look, number: int) -> float:
    """What the likelihood of the best `number` records is at least, if words stand independently.

    As many have one of the rarest words, and of those as many have some of the next ones too.
    """
    frequencies = [lexeme.frequency for lexeme in whole.lexemes]
    records = frequencies[-1] / _COMMONEST_SHARE
    worst = 0
    for place, found in enumerate(accumulate(frequencies)):
        left, weight = float(found), whole.weights[place]
        for frequency, added in zip(
            frequencies[place + 1 :], whole.weights[place + 1 :], strict=True
        ):
            if left * frequency >= number * records:
                left *= frequency / records
                weight += added
        if left >= number:
            worst = max(worst, weight)
    return worst / UNITS - len(frequencies) * log(1 + _USUAL_LENGTH / 50)
