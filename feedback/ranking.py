"""The score of a candidate, and what outcomes make of it; pure numbers (`design.md`, Ranking)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
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
_MICRO: Final = Decimal("0.000001")
#: What each component counts for, by its name.
WEIGHTS: Final = {
    "relevance": Decimal("0.45"),
    "trust": Decimal("0.20"),
    "recency": Decimal("0.15"),
    "utility": Decimal("0.10"),
    "conflict": Decimal("0.10"),
}


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

        In [0, 1], rounded half up to 6 decimals. Computed in decimals, so that equal components
        give an equal score on every machine.
        """
        total = sum(
            (weight * _decimal(getattr(self, name)) for name, weight in WEIGHTS.items()),
            start=Decimal(0),
        )
        return _rounded(_decimal(self.confidence) * total)


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
        relevance=_rounded(_decimal(relevance)),
        trust=_rounded(_decimal(trust.value / _HIGHEST_TRUST)),
        recency=_rounded(_decimal(0.5 ** (days / _HALF_LIFE_DAYS))),
        utility=_rounded(_decimal(utility)),
        conflict=0.0 if is_disputed else 1.0,
        confidence=_rounded(_decimal(confidence)),
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


def _decimal(number: float) -> Decimal:
    return Decimal(repr(number))


def _rounded(number: Decimal) -> float:
    return float(number.quantize(_MICRO, rounding=ROUND_HALF_UP))
