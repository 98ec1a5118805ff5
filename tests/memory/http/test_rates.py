"""Rates by a clock that the test turns; the budget of audited refusals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.http import rates
from memory.http.rates import AUDITED_A_MINUTE, AuditBudget, Rate


class Clock:
    """A steady clock that stands still until told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rate(clock: Clock) -> Rate:
    return Rate(clock)


@pytest.mark.parametrize(
    ("per_minute", "burst"), [(120_000, 2000), (30_000, 500), (300, 5), (60, 1)]
)
def test_a_burst_is_one_seconds_share(rate: Rate, per_minute: int, burst: int) -> None:
    answers = [rate.take("key", per_minute) for _ in range(burst + 1)]

    assert answers == [0] * burst + [1]


def test_a_slow_rate_lets_one_through_and_says_when_to_come_back(rate: Rate, clock: Clock) -> None:
    assert rate.take("key", 6) == 0
    assert rate.take("key", 6) == 10
    clock.now += 4
    assert rate.take("key", 6) == 6
    clock.now += 6
    assert rate.take("key", 6) == 0


def test_over_a_minute_no_more_than_the_rate_and_one_burst_passes(rate: Rate, clock: Clock) -> None:
    passed = 0
    for _ in range(6000):
        clock.now += 0.01
        passed += rate.take("key", 300) == 0

    assert passed == 304 or passed == 305


def test_what_was_refused_costs_nothing(rate: Rate, clock: Clock) -> None:
    for _ in range(1000):
        rate.take("key", 300)
    clock.now += 1

    assert [rate.take("key", 300) for _ in range(6)] == [0, 0, 0, 0, 0, 1]


def test_keys_do_not_share(rate: Rate) -> None:
    assert rate.take("one", 60) == 0
    assert rate.take("one", 60) == 1
    assert rate.take("two", 60) == 0


def test_zero_switches_a_rate_off(rate: Rate) -> None:
    assert [rate.take("key", 0) for _ in range(1000)] == [0] * 1000


def test_memory_is_bounded_and_quiet_keys_go_first(rate: Rate, clock: Clock) -> None:
    for number in range(rates._KEYS):
        rate.take(number, 60)
    clock.now += 2
    rate.take("loud", 60)

    assert len(rate._paid_back) == 1
    assert rate.take("loud", 60) == 1


def test_memory_is_bounded_even_when_every_key_is_loud(rate: Rate) -> None:
    for number in range(3 * rates._KEYS):
        rate.take(number, 60)

    assert len(rate._paid_back) <= rates._KEYS
    assert rate.take(3 * rates._KEYS - 1, 60) == 1


def test_threads_together_get_no_more_than_one(rate: Rate) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: rate.take("key", 30_000), range(2000)))

    assert answers.count(0) == 500


def test_sixty_refusals_a_minute_are_audited_and_the_others_counted(clock: Clock) -> None:
    budget = AuditBudget(clock)

    assert [budget.admit("a") for _ in range(AUDITED_A_MINUTE)] == [0] * 60
    assert [budget.admit("a") for _ in range(7)] == [None] * 7
    assert [budget.admit("b") for _ in range(2)] == [None] * 2
    clock.now += 59.9
    assert budget.admit("a") is None
    clock.now += 0.1
    assert budget.admit("a") == 8
    assert budget.admit("a") == 0
    assert budget.admit("b") == 2


def test_the_minute_slides(clock: Clock) -> None:
    budget = AuditBudget(clock)
    written = 0
    for _ in range(600):
        clock.now += 0.5
        written += budget.admit("a") is not None

    assert written == 300
