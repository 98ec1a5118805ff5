"""The goals of `assurance.md` 6.3 that a bench can judge, and the judgement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tests.bench.contests import (
    BARE,
    CONNECTIONS,
    CORRECT,
    EMPTY,
    LIST,
    PRODUCT,
    REFUSED,
    REPORT,
    RETRACT,
    SQL,
    Cell,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.bench.figures import Summary

DISTURBED_SPREAD: Final = 0.15
ONE, EIGHT = CONNECTIONS


class Measure(StrEnum):
    """What a goal limits."""

    RATE = "rate / floor at least"
    DELAY = "p50 at most floor + ms"


class Verdict(StrEnum):
    """What came of a goal."""

    TARGET = "target met"
    REQUIRED = "required met"
    MISSED = "MISSED"
    DISTURBED = "disturbed"


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit that review requires, and the one that further work aims at."""

    number: str
    measure: Measure
    required: float
    target: float

    def is_met(self, found: float, limit: float) -> bool:
        """Whether a number keeps a limit."""
        return found >= limit if self.measure is Measure.RATE else found <= limit


@dataclass(frozen=True, slots=True)
class Comparison:
    """The product and one floor, side by side."""

    contest: str
    connections: int
    floor: str
    product: str = PRODUCT
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison with its numbers."""

    comparison: Comparison
    product: Summary
    floor: Summary
    verdict: Verdict | None

    @property
    def ratio(self) -> float:
        """The product's rate to the floor's."""
        return self.product.rate / self.floor.rate

    @property
    def delay(self) -> float:
        """What the product's p50 is above the floor's, in milliseconds."""
        return self.product.p50 - self.floor.p50


P3_RATE: Final = Goal("P3", Measure.RATE, 0.40, 0.55)
P3_DELAY: Final = Goal("P3", Measure.DELAY, 1.5, 0.7)
P4_RATE: Final = Goal("P4", Measure.RATE, 0.10, 0.22)
P4_DELAY: Final = Goal("P4", Measure.DELAY, 4.0, 1.6)
P6: Final = Goal("P6", Measure.RATE, 2.0, 4.0)
P7: Final = Goal("P7", Measure.RATE, 0.10, 0.20)
P8: Final = Goal("P8", Measure.RATE, 0.15, 0.20)

COMPARISONS: Final = (
    Comparison(LIST, EIGHT, BARE, goal=P3_RATE),
    Comparison(LIST, ONE, BARE, goal=P3_DELAY),
    Comparison(LIST, EIGHT, EMPTY, goal=P8),
    Comparison(LIST, ONE, EMPTY),
    Comparison(LIST, EIGHT, SQL),
    Comparison(LIST, ONE, SQL),
    Comparison(REPORT, EIGHT, SQL, goal=P7),
    Comparison(REPORT, ONE, SQL),
    Comparison(RETRACT, EIGHT, SQL, goal=P4_RATE),
    Comparison(RETRACT, ONE, SQL, goal=P4_DELAY),
    Comparison(CORRECT, EIGHT, SQL, goal=P4_RATE),
    Comparison(CORRECT, ONE, SQL, goal=P4_DELAY),
    Comparison(RETRACT, EIGHT, PRODUCT, product=REFUSED, goal=P6),
    Comparison(RETRACT, ONE, PRODUCT, product=REFUSED),
)


def judge(summaries: Mapping[Cell, Summary]) -> list[Judged]:
    """Every comparison with its numbers and, where it has a goal, its verdict."""
    return [_judged(comparison, summaries) for comparison in COMPARISONS]


def _judged(comparison: Comparison, summaries: Mapping[Cell, Summary]) -> Judged:
    contest, connections = comparison.contest, comparison.connections
    product = summaries[Cell(contest, comparison.product, connections)]
    floor = summaries[Cell(contest, comparison.floor, connections)]
    found = Judged(comparison, product, floor, None)
    if comparison.goal is None:
        return found
    return Judged(comparison, product, floor, _verdict(comparison.goal, found))


def _verdict(goal: Goal, judged: Judged) -> Verdict:
    is_rate = goal.measure is Measure.RATE
    spread = judged.floor.rate_spread if is_rate else judged.floor.p50_spread
    if spread > DISTURBED_SPREAD:
        return Verdict.DISTURBED
    found = judged.ratio if is_rate else judged.delay
    if goal.is_met(found, goal.target):
        return Verdict.TARGET
    return Verdict.REQUIRED if goal.is_met(found, goal.required) else Verdict.MISSED
