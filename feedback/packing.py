"""Ranked items into a budget of tokens; pure (`contract.md` 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BYTES_PER_TOKEN: Final = 3


class Stating(Protocol):
    """Something with a statement that may be packed."""

    @property
    def statement(self) -> str:
        """What it says."""


Item = TypeVar("Item", bound=Stating)


@dataclass(frozen=True, slots=True)
class Pack(Generic[Item]):
    """The items that were taken, by rank, with what each costs, and what became of the others."""

    items: tuple[Item, ...]
    used_tokens: int
    omitted_items: int
    deduplicated_items: int
    is_exhausted: bool


def tokens_of(size: int) -> int:
    """What `size` bytes of compact UTF-8 JSON cost: a third of a token each, rounded up."""
    return ceil(size / _BYTES_PER_TOKEN)


def pack(
    ranked: Sequence[Item],
    *,
    max_tokens: int,
    top_k: int | None,
    weigh: Callable[[Item], int],
    least: Callable[[Item], int] | None = None,
) -> Pack[Item]:
    """Take items by rank while they fit; `weigh` gives the tokens of an item as an edge sends it.

    Of equal statements the best ranked stays. Then `top_k` cuts. An item that does not fit is left
    out whole and the next is tried. `least` gives tokens that `weigh` would not go below, and is
    much cheaper: what cannot fit is not weighed.
    """
    best: dict[str, Item] = {}
    for item in ranked:
        best.setdefault(item.statement, item)
    distinct = list(best.values())
    offered = distinct[:top_k]
    taken, used = [], 0
    for item in offered:
        if least is not None and used + least(item) > max_tokens:
            continue
        tokens = weigh(item)
        if used + tokens <= max_tokens:
            taken.append(item)
            used += tokens
    return Pack(
        items=tuple(taken),
        used_tokens=used,
        omitted_items=len(distinct) - len(taken),
        deduplicated_items=len(ranked) - len(distinct),
        is_exhausted=len(taken) < len(offered),
    )
