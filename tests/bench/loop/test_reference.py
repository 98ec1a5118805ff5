"""The bench's records are records like others, and both ways to rank them agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bench.loop import vocabulary
from tests.bench.loop.people import ask
from tests.bench.loop.quality import misspelt
from tests.bench.loop.records import bulk_statements
from tests.bench.loop.reference import Reference
from tests.bench.loop.vocabulary import seeded
from tests.factories import a_project, some_records
from tests.invariants import broken_invariants

if TYPE_CHECKING:
    from memory.actor import Actor

RECORDS = 400


@pytest.fixture
def filled(operator: Actor) -> Actor:
    """The operator of a project with as many records as candidates and more; one beside it."""
    neighbour = a_project()[1]
    for number, actor in enumerate((operator, neighbour)):
        bulk_statements(actor, project=number, start=0, stop=RECORDS // 2)
        bulk_statements(actor, project=number, start=RECORDS // 2, stop=RECORDS)
    return operator


def test_records_of_the_bench_keep_all_invariants_but_the_audit(filled: Actor) -> None:
    some_records(filled, 1)
    assert set(broken_invariants()) <= {"I5"}


def test_the_first_items_are_those_of_the_reference(filled: Actor) -> None:
    for number in range(6):
        for task in (
            vocabulary.median_task(0, RECORDS, number),
            vocabulary.common_task(number),
            vocabulary.mixed_task(0, RECORDS, number),
        ):
            pack = ask(filled, task)
            found = [item.record.id for item in pack.items[:10]]
            reference = Reference(filled.project_id, pack.as_of)
            assert found == reference.first(task, number=10, candidates=200)


def test_the_commonest_word_stands_in_a_quarter_to_half_of_all_statements() -> None:
    holders = sum(
        vocabulary.words()[0] in vocabulary.words_of(0, number) for number in range(RECORDS)
    )
    assert 0.25 * RECORDS < holders < 0.5 * RECORDS


@pytest.mark.parametrize("name", ["Chad", "Kenya", "Bosnia and Herzegovina", "Saint Lucia"])
def test_a_misspelt_name_differs_in_one_word_and_keeps_its_first_letter(name: str) -> None:
    for number in range(50):
        words, slipped = name.split(), misspelt(seeded(f"{number}"), name).split()
        (pair,) = [pair for pair in zip(words, slipped, strict=True) if pair[0] != pair[1]]
        assert pair[0][0] == pair[1][0]
        assert abs(len(pair[0]) - len(pair[1])) <= 2
