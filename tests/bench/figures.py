"""Figures of one cell, and what several repeats of it say together. Pure: no clock, no database."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import TYPE_CHECKING

from tests.bench.clients import CannotMeasure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.clients import Work


@dataclass(frozen=True, slots=True)
class Figures:
    """Calls a second while all clients were busy, and how long a call took, in milliseconds."""

    calls: int
    rate: float
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Medians over the repeats; a spread is the width of all repeats to their median."""

    repeats: tuple[Figures, ...]
    rate: float
    p50: float
    p95: float
    rate_spread: float
    p50_spread: float


def figures_of(works: Sequence[Work]) -> Figures:
    """The figures of a cell from what its clients did. Raises CannotMeasure for too few calls."""
    began = max(work.began for work in works)
    ended = min(work.ended for work in works)
    lengths = sorted(
        length
        for work in works
        for end, length in zip(work.ends, work.lengths, strict=True)
        if began < end <= ended
    )
    if len(lengths) < len(works):
        raise CannotMeasure("The clients of a cell were hardly ever busy together.")
    return Figures(
        calls=len(lengths),
        rate=len(lengths) / (ended - began),
        p50=quantile(lengths, 0.50) * 1000,
        p95=quantile(lengths, 0.95) * 1000,
    )


def summary_of(repeats: Sequence[Figures]) -> Summary:
    """What the repeats of a cell say together."""
    rates = [figures.rate for figures in repeats]
    p50s = [figures.p50 for figures in repeats]
    return Summary(
        repeats=tuple(repeats),
        rate=median(rates),
        p50=median(p50s),
        p95=median(figures.p95 for figures in repeats),
        rate_spread=_spread(rates),
        p50_spread=_spread(p50s),
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """The number that so large a share of ordered numbers does not exceed."""
    return ordered[max(0, ceil(len(ordered) * share) - 1)]


def _spread(numbers: Sequence[float]) -> float:
    return (max(numbers) - min(numbers)) / median(numbers)
