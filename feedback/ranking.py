"""The score of a candidate, and what outcomes make of it; pure numbers (`design.md`, Ranking)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import floor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

    from memory.vocabulary import Trust

#: The formula that scores were computed by; each run says which.
POLICY: Final = "errata-rank-1"
NEUTRAL_UTILITY: Final = 0.5
COUNTED_OUTCOMES_NEEDED: Final = 3
_HALF_LIFE_DAYS: Final = 90
_HIGHEST_TRUST: Final = 3
_MILLION: Final = 1_000_000
#: Closer to the middle between two millionths, decimal digits decide: binary ones may err.
_NEAR: Final = 1e-6
#: What each component counts for, in hundredths, by its name.
WEIGHTS: Final = {"relevance": 45, "trust": 20, "recency": 15, "utility": 10, "conflict": 10}


@dataclass(frozen=True, slots=True)
class Components:
    """What a score is made of; each in [0, 1] with at most 6 decimals."""

    relevance: float
    trust: float
    recency: float
    utility: float
    conflict: float
    confidence: float

    @property
    def score(self) -> float:
        """confidence * (0.45 relevance + 0.20 trust + 0.15 recency + 0.10 utility + 0.10 conflict).

        In [0, 1], rounded half up to 6 decimals. Computed in whole millionths, so that equal
        components give an equal score on every machine.
        """
        hundredths = (
            WEIGHTS["relevance"] * _millionths(self.relevance)
            + WEIGHTS["trust"] * _millionths(self.trust)
            + WEIGHTS["recency"] * _millionths(self.recency)
            + WEIGHTS["utility"] * _millionths(self.utility)
            + WEIGHTS["conflict"] * _millionths(self.conflict)
        )
        product = _millionths(self.confidence) * hundredths
        return (product + 50 * _MILLION) // (100 * _MILLION) / _MILLION


def components(
    *,
    relevance: float,
    trust: Trust,
    known_from: datetime,
    as_of: datetime,
    utility: float = NEUTRAL_UTILITY,
    is_disputed: bool,
    confidence: float,
) -> Components:
    """The components of a record known since `known_from` for a search as of `as_of`.

    Recency halves every 90 whole days; a record from after `as_of` is as recent as can be.
    """
    days = max(0, (as_of - known_from).days)
    return Components(
        relevance=_rounded(relevance),
        trust=_rounded(trust.value / _HIGHEST_TRUST),
        recency=_rounded(0.5 ** (days / _HALF_LIFE_DAYS)),
        utility=_rounded(utility),
        conflict=0.0 if is_disputed else 1.0,
        confidence=_rounded(confidence),
    )


def utility_of(positive: int, negative: int, actors: int, *, minimum_actors: int) -> float:
    """The utility of counted outcomes: (net + 1) / 2 with net = (positive - negative) / total.

    Neutral below three outcomes, or below the project's least number of distinct actors (seed
    "Close the loop"; `contract.md` 4.3).
    """
    total = positive + negative
    if total < COUNTED_OUTCOMES_NEEDED or actors < minimum_actors:
        return NEUTRAL_UTILITY
    return ((positive - negative) / total + 1) / 2


def _rounded(number: float) -> float:
    """A number with 6 decimals, rounded half up."""
    return _millionths(number) / _MILLION


def _millionths(number: float) -> int:
    """How many millionths a number has, rounded half up as its shortest decimal digits are."""
    scaled = number * _MILLION
    whole = floor(scaled)
    rest = scaled - whole
    if abs(rest - 0.5) > _NEAR:
        return whole + (rest > 0.5)
    return int((Decimal(repr(number)) * _MILLION).quantize(Decimal(1), ROUND_HALF_UP))
