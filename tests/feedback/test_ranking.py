"""Scores and utility: the seed's table, rounding, bounds; numbers alone."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.ranking import Components, components, utility_of
from memory.vocabulary import Trust

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHARES = [field.name for field in fields(Components)]

micro_shares = st.integers(0, 1_000_000).map(lambda millionths: millionths / 1_000_000)
some_components = st.builds(Components, **dict.fromkeys(SHARES, micro_shares))
counts = st.integers(0, 10_000)


def made_of(**said: Any) -> Components:
    values: dict[str, Any] = {
        "relevance": 1.0,
        "trust": Trust.VERIFIED,
        "known_from": NOW,
        "as_of": NOW,
        "is_disputed": False,
        "confidence": 0.9,
        **said,
    }
    return components(**values)


# --- The score -----------------------------------------------------------------------------------


def test_the_seed_s_table() -> None:
    """Seed "Close the loop": the same claim before and after three useful outcomes."""
    before, after = made_of(), made_of(utility=1.0)
    assert asdict(before) == {
        "relevance": 1.0,
        "trust": 0.666667,
        "recency": 1.0,
        "utility": 0.5,
        "conflict": 1.0,
        "confidence": 0.9,
    }
    assert (before.score, after.score) == (0.795, 0.84)


@pytest.mark.parametrize(
    ("share", "weight"),
    [
        ("relevance", 0.45),
        ("trust", 0.2),
        ("recency", 0.15),
        ("utility", 0.1),
        ("conflict", 0.1),
    ],
)
def test_each_component_weighs_what_the_formula_says(share: str, weight: float) -> None:
    nothing = Components(**dict.fromkeys(SHARES, 0.0) | {"confidence": 1.0})
    assert replace(nothing, **{share: 1.0}).score == weight
    assert replace(nothing, **{share: 1.0, "confidence": 0.5}).score == weight / 2


def test_scores_are_rounded_half_up_at_the_sixth_decimal() -> None:
    """0.1 times 0.000005 lies half way between two millionths, as binary numbers just below it."""
    nothing = Components(**dict.fromkeys(SHARES, 0.0) | {"confidence": 1.0})
    assert replace(nothing, utility=0.000005).score == 0.000001
    assert replace(nothing, utility=0.000004).score == 0.0
    assert replace(nothing, trust=0.333333, confidence=0.9).score == 0.06  # 0.05999994
    assert replace(nothing, utility=0.35, confidence=0.0001).score == 0.000004  # 0.0000035


def test_components_are_rounded_half_up_before_they_are_weighed() -> None:
    parts = made_of(relevance=0.1234565, utility=0.6666666666, confidence=0.0000005)
    assert (parts.relevance, parts.utility, parts.confidence) == (0.123457, 0.666667, 0.000001)
    assert [made_of(trust=trust).trust for trust in Trust] == [0.0, 0.333333, 0.666667, 1.0]


@given(some_components)
def test_a_score_is_the_exact_sum_rounded_and_within_bounds(parts: Components) -> None:
    exact = Decimal(str(parts.confidence)) * (
        Decimal("0.45") * Decimal(str(parts.relevance))
        + Decimal("0.2") * Decimal(str(parts.trust))
        + Decimal("0.15") * Decimal(str(parts.recency))
        + Decimal("0.1") * Decimal(str(parts.utility))
        + Decimal("0.1") * Decimal(str(parts.conflict))
    )
    assert 0 <= parts.score <= 1
    assert -Decimal("0.0000005") < exact - Decimal(str(parts.score)) <= Decimal("0.0000005")
    assert parts.score == round(parts.score, 6)


@given(some_components, st.sampled_from(SHARES), micro_shares)
def test_a_better_component_never_lowers_a_score(
    parts: Components, share: str, value: float
) -> None:
    other = replace(parts, **{share: value})
    worse, better = sorted((parts, other), key=lambda one: float(getattr(one, share)))
    assert worse.score <= better.score


@given(some_components, micro_shares)
def test_utility_moves_a_score_by_at_most_a_tenth_of_its_confidence(
    parts: Components, utility: float
) -> None:
    """From neutral to either end it is half of that (`assurance.md` 8, case 36)."""
    moved = replace(parts, utility=utility).score - replace(parts, utility=0.5).score
    assert abs(moved) <= 0.05 * parts.confidence + 0.000001


def test_a_disputed_record_has_conflict_zero() -> None:
    assert (made_of().conflict, made_of(is_disputed=True).conflict) == (1.0, 0.0)


# --- Recency -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "recency"),
    [
        (timedelta(0), 1.0),
        (timedelta(hours=23, minutes=59), 1.0),
        (timedelta(days=1), 0.992328),
        (timedelta(days=1, hours=23), 0.992328),
        (timedelta(days=90), 0.5),
        (timedelta(days=180), 0.25),
        (timedelta(days=36_500), 0.0),
        (timedelta(microseconds=-1), 1.0),
        (timedelta(days=-400), 1.0),
    ],
)
def test_recency_halves_every_ninety_whole_days(age: timedelta, recency: float) -> None:
    assert made_of(known_from=NOW - age).recency == recency


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_recency_is_a_share_for_any_two_times(known_from: datetime, as_of: datetime) -> None:
    assert 0 <= made_of(known_from=known_from, as_of=as_of).recency <= 1


# --- Utility -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("positive", "negative", "utility"),
    [
        (0, 0, 0.5),
        (1, 0, 0.5),
        (0, 1, 0.5),
        (2, 0, 0.5),
        (1, 1, 0.5),
        (0, 2, 0.5),
        (3, 0, 1.0),
        (2, 1, 2 / 3),
        (1, 2, 1 / 3),
        (0, 3, 0.0),
        (2, 2, 0.5),
        (3, 1, 0.75),
        (100, 0, 1.0),
        (99, 1, 0.99),
    ],
)
def test_utility_is_neutral_below_three_outcomes_and_their_balance_from_then_on(
    positive: int, negative: int, utility: float
) -> None:
    assert utility_of(positive, negative, 1, minimum_actors=1) == pytest.approx(utility)


def test_utility_is_neutral_below_the_least_number_of_actors() -> None:
    assert [utility_of(3, 0, actors, minimum_actors=2) for actors in (0, 1, 2, 3)] == [
        0.5,
        0.5,
        1.0,
        1.0,
    ]
    assert utility_of(1, 1, 9, minimum_actors=2) == 0.5


@given(counts, counts)
def test_utility_is_a_share_and_praise_and_blame_are_opposites(
    positive: int, negative: int
) -> None:
    utility = utility_of(positive, negative, 1, minimum_actors=1)
    assert 0 <= utility <= 1
    assert utility + utility_of(negative, positive, 1, minimum_actors=1) == pytest.approx(1)


@given(counts, counts)
def test_one_more_praise_never_lowers_utility(positive: int, negative: int) -> None:
    if positive + negative >= 3:
        before = utility_of(positive, negative, 1, minimum_actors=1)
        assert utility_of(positive + 1, negative, 1, minimum_actors=1) >= before - 1e-12
