"""Which postings are read, for words as frequent as those of 200,000 made-up statements."""

from __future__ import annotations

from math import log

import pytest

from memory.queries.lexemes import Lexeme
from memory.queries.looks import UNITS, Look, Way, cheapest_look


def look_of(*frequencies: int, limit: int = 200, terms: int = 1) -> Look:
    matched = [Lexeme(tuple(range(terms)), frequency) for frequency in frequencies]
    return cheapest_look(matched, limit)


@pytest.mark.parametrize(
    ("frequencies", "rarest", "way"),
    [
        ((44, 58, 484, 49_039, 60_176), 3, Way.SOUGHT),
        ((23, 5_926, 6_393, 23_219, 28_094), 3, Way.READ),
        ((24, 83, 84, 19_820, 21_249), 5, Way.IN_FULL),  # fewer than asked for have a rare word
        ((10, 20, 30), 3, Way.IN_FULL),
    ],
)
def test_the_cheapest_look_that_is_likely_to_be_enough(
    frequencies: tuple[int, ...], rarest: int, way: Way
) -> None:
    found = look_of(*frequencies)
    assert (found.rarest, found.way) == (rarest, way)


def test_the_order_in_which_words_are_said_does_not_matter() -> None:
    assert look_of(60_176, 44, 484, 49_039, 58) == look_of(44, 58, 484, 49_039, 60_176)


def test_a_word_that_stands_alone_is_read_in_full() -> None:
    assert look_of(60_000).is_whole


def test_more_records_than_rare_words_have_are_found_by_all_words() -> None:
    assert look_of(44, 58, 484, 49_039, 60_176, limit=400).rarest == 3
    assert look_of(44, 58, 484, 49_039, 60_176, limit=500).is_whole


def test_a_term_for_each_person_of_the_scope_is_sought() -> None:
    one, two = (look_of(44, 58, 484, 60_176, terms=terms) for terms in (1, 2))
    assert (one.way, two.way) == (Way.SOUGHT, Way.SOUGHT)
    assert two.cost > one.cost
    assert two.rare_terms[0] == [0, 1, 0, 1, 0, 1]


def test_nothing_without_a_rare_word_reaches_further_than_all_common_ones() -> None:
    found = look_of(44, 58, 484, 49_039, 60_176)
    pairs = 44 + 58 + 484 + 49_039 + 60_176
    common = sum(log(1 + 3 * pairs / frequency) for frequency in (49_039, 60_176))
    assert found.reach == pytest.approx(common - 5 * log(1 + 1 / 50))
    assert found.common_terms == (
        [0, 0],
        [round(UNITS * log(1 + 3 * pairs / frequency)) for frequency in (49_039, 60_176)],
    )
    assert found.in_full().is_whole
    assert found.in_full().common_terms == ([], [])
