"""Made-up words as unevenly common as those of a language, and statements and tasks made of them.

Pure and seeded: equal arguments give equal texts. Zipf's law in Mandelbrot's form; the commonest
word stands in about a third of all statements.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, islice
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS: Final = 20_000
COMMON: Final = 10  # how many words are common: those of the first ranks
SHORTEST, LONGEST = 8, 15  # words of a statement
TASK_WORDS: Final = 5
COMMON_TASK_WORDS: Final = 2  # of a mixed task
_SHIFT: Final = 2.7
_ONSETS: Final = "bdfgjklmnprtvz"
_VOWELS: Final = "aeiou"
_ENDINGS: Final = "kmpt"  # no English ending, which a stemmer would cut


def seeded(text: str) -> Random:
    """Equal texts give equal draws."""
    return Random(text)  # noqa: S311 - no secret


@cache
def words() -> tuple[str, ...]:
    """All words, the commonest first."""
    return tuple(islice(_distinct(seeded("words")), WORDS))


def _distinct(random: Random) -> Iterator[str]:
    seen = set[str]()
    while True:
        syllables = (
            random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(random.randint(2, 4))
        )
        word = "".join(syllables) + random.choice(_ENDINGS)
        if word not in seen:
            seen.add(word)
            yield word


@cache
def _weights() -> list[float]:
    return list(accumulate(1 / (rank + 1 + _SHIFT) for rank in range(WORDS)))


def _drawn(random: Random, number: int) -> list[str]:
    return random.choices(words(), cum_weights=_weights(), k=number)


def statement(project: int, record: int) -> str:
    """What a record of a project says."""
    random = seeded(f"{project} {record}")
    return " ".join(_drawn(random, random.randint(SHORTEST, LONGEST))).capitalize() + "."


def words_of(project: int, record: int) -> list[str]:
    """The distinct words of a record's statement, in their order."""
    return list(dict.fromkeys(statement(project, record).rstrip(".").lower().split()))


def median_task(project: int, records: int, number: int) -> str:
    """Words drawn from as many records."""
    random = seeded(f"median {project} {number}")
    found = dict[str, None]()
    while len(found) < TASK_WORDS:
        found[random.choice(words_of(project, random.randrange(records)))] = None
    return " ".join(found)


def common_task(number: int) -> str:
    """The commonest words only."""
    return " ".join(seeded(f"common {number}").sample(words()[:COMMON], TASK_WORDS))


def mixed_task(project: int, records: int, number: int) -> str:
    """Two common words, and others of one record."""
    random = seeded(f"mixed {project} {number}")
    common = random.sample(words()[:COMMON], COMMON_TASK_WORDS)
    while True:
        rare = [
            word
            for word in words_of(project, random.randrange(records))
            if word not in words()[:COMMON]
        ]
        if len(rare) >= TASK_WORDS - COMMON_TASK_WORDS:
            return " ".join([*common, *rare[: TASK_WORDS - COMMON_TASK_WORDS]])
