"""Packing: equal statements once, then the cut, then whole items while they fit."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.packing import Pack, pack, tokens_of


@dataclass(frozen=True)
class Item:
    """Something that may be packed, and what it costs."""

    statement: str
    tokens: int
    number: int = 0


def packed(*items: Item, max_tokens: int = 100, top_k: int | None = None) -> Pack[Item]:
    return pack(items, max_tokens=max_tokens, top_k=top_k, weigh=lambda item: item.tokens)


A, B, C, D = (Item(name, tokens) for name, tokens in zip("abcd", (40, 50, 20, 10), strict=True))

some_items = st.lists(
    st.builds(Item, st.sampled_from("abcdefgh"), st.integers(1, 40), st.integers()), max_size=20
)


def test_items_stand_by_rank_with_what_they_cost() -> None:
    assert packed(A, C, D) == Pack((A, C, D), 70, 0, 0, is_exhausted=False)


def test_nothing_makes_an_empty_pack() -> None:
    assert packed() == Pack((), 0, 0, 0, is_exhausted=False)


def test_a_budget_that_is_used_up_to_the_last_token_is_not_exhausted() -> None:
    assert packed(A, B, D) == Pack((A, B, D), 100, 0, 0, is_exhausted=False)


def test_an_item_that_does_not_fit_is_left_out_whole_and_the_next_is_tried() -> None:
    assert packed(A, B, C, D) == Pack((A, B, D), 100, 1, 0, is_exhausted=True)
    assert packed(A, B, C, max_tokens=39) == Pack((C,), 20, 2, 0, is_exhausted=True)
    assert packed(A, B, max_tokens=1) == Pack((), 0, 2, 0, is_exhausted=True)


def test_of_equal_statements_the_best_ranked_stays() -> None:
    twin, longer = Item("a", 5, number=1), Item("a", 99, number=2)
    assert packed(A, twin, C, longer) == Pack((A, C), 60, 0, 2, is_exhausted=False)


def test_a_statement_that_did_not_fit_is_not_tried_again_by_its_twin() -> None:
    cheap = Item("b", 1, number=1)
    assert packed(A, B, cheap, max_tokens=50) == Pack((A,), 40, 1, 1, is_exhausted=True)


def test_statements_are_equal_byte_by_byte() -> None:
    composed, decomposed, upper = Item("\u00e9", 1), Item("e\u0301", 1), Item("É", 1)
    assert packed(composed, decomposed, upper).deduplicated_items == 0


def test_the_cut_comes_after_equal_statements_and_before_the_budget() -> None:
    twin = Item("a", 1, number=1)
    assert packed(A, twin, B, C, D, top_k=2) == Pack((A, B), 90, 2, 1, is_exhausted=False)
    assert packed(A, B, C, D, top_k=3) == Pack((A, B), 90, 2, 0, is_exhausted=True)
    assert packed(A, B, top_k=1_000).omitted_items == 0


@pytest.mark.parametrize(
    ("size", "tokens"), [(0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (299, 100), (300, 100), (301, 101)]
)
def test_three_bytes_are_a_token_rounded_up(size: int, tokens: int) -> None:
    assert tokens_of(size) == tokens == ceil(size / 3)


@given(some_items, st.integers(1, 200), st.none() | st.integers(1, 10))
def test_a_pack_keeps_every_promise(items: list[Item], max_tokens: int, top_k: int | None) -> None:
    made = packed(*items, max_tokens=max_tokens, top_k=top_k)
    ranks = [items.index(item) for item in made.items]
    first = {item.statement: place for place, item in reversed(list(enumerate(items)))}

    assert made.used_tokens == sum(item.tokens for item in made.items) <= max_tokens
    assert ranks == sorted(ranks)
    assert len({item.statement for item in made.items}) == len(made.items)
    assert all(first[item.statement] == rank for item, rank in zip(made.items, ranks, strict=True))
    assert top_k is None or len(made.items) <= top_k
    assert len(made.items) + made.omitted_items + made.deduplicated_items == len(items)
    distinct = len(items) - made.deduplicated_items
    offered = distinct if top_k is None else min(distinct, top_k)
    assert made.is_exhausted == (len(made.items) < offered)


@given(some_items, st.integers(1, 200))
def test_what_was_left_out_does_not_fit_where_it_stood(items: list[Item], max_tokens: int) -> None:
    made = packed(*items, max_tokens=max_tokens)
    used, seen = 0, set[str]()
    for item in items:
        if item.statement in seen:
            continue
        seen.add(item.statement)
        if item in made.items:
            used += item.tokens
        else:
            assert used + item.tokens > max_tokens
