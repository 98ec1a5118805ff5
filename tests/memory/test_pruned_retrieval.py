"""Looking only at the records of rare words finds what looking at all records finds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import inf
from random import Random
from typing import TYPE_CHECKING

import pytest

from memory.operations.assert_records import assert_records
from memory.queries import looks
from memory.retrieval import Candidate, Search, find_candidates
from memory.transactions import project_scope
from tests.factories import RecordDraftFactory, fresh
from tests.statements import watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor

pytestmark = pytest.mark.django_db

WORDS = ["zebra", "lake", "river", "grass", "tree", "stone", "cloud", "fox", "bell", "drum"]
RECORDS_OF_A_CALL = 20
IN_FULL, IN_PART, TWICE = "in full", "in part", "twice"


def say(actor: Actor, statements: Sequence[str]) -> None:
    """One record for each of the statements."""
    for start in range(0, len(statements), RECORDS_OF_A_CALL):
        drafts = [
            RecordDraftFactory.create(statement=statement)
            for statement in statements[start : start + RECORDS_OF_A_CALL]
        ]
        assert_records(actor=fresh(actor), drafts=drafts)


def look(actor: Actor, text: str, *, limit: int, days: int = 0) -> tuple[list[Candidate], str]:
    """What is found, and how: by looking at all records, at those of rare words, or at both."""
    with project_scope(actor.project_id) as scope, watched() as statements:
        as_of = scope.opened_at + timedelta(days=days)
        search = Search(
            text=text, data_subject=None, include_shared=False, as_of=as_of, limit=limit
        )
        rows = list(find_candidates(actor, search).rows)
    looks = [sql for sql, _ in statements.sent if "scored AS" in sql]
    if len(looks) == 2:
        return rows, TWICE
    return rows, IN_PART if "common AS" in looks[0] else IN_FULL


def prune(monkeypatch: pytest.MonkeyPatch, *, sought: bool, likely: float | None = None) -> None:
    """Look at rare words alone, however few postings there are, in this way.

    Where that is likely to be enough, which `likely` may say.
    """
    monkeypatch.setattr(looks, "FEWEST_POSTINGS", 0)
    monkeypatch.setattr(looks, "_WORTHWHILE", inf)
    monkeypatch.setattr(looks, "_SOUGHT_POSTING", 0 if sought else inf)
    if likely is not None:
        monkeypatch.setattr(looks, "_likely_worst", lambda *_: likely)


@pytest.fixture(params=[False, True], ids=["read", "sought"])
def _prunes_always(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is likely."""
    prune(monkeypatch, sought=request.param, likely=inf)


@pytest.mark.parametrize("sought", [False, True], ids=["read", "sought"])
@pytest.mark.parametrize("likely", [None, inf], ids=["guessed", "always"])
def test_rare_words_find_what_all_words_find(
    agent: Actor, monkeypatch: pytest.MonkeyPatch, *, sought: bool, likely: float | None
) -> None:
    random = Random("pruned")  # noqa: S311 - no secret
    shares = [1 / (place + 1) for place in range(len(WORDS))]
    say(
        agent,
        [
            " ".join(random.choices(WORDS, shares, k=random.randint(1, 9))) + f" n{number}"
            for number in range(140)
        ],
    )
    ways = []
    for _ in range(30):
        text = " ".join(random.sample(WORDS, random.randint(2, 6)))
        limit = random.choice([1, 10, 40])
        expected, in_full = look(agent, text, limit=limit)
        assert in_full == IN_FULL
        with monkeypatch.context() as patched:
            prune(patched, sought=sought, likely=likely)
            rows, way = look(agent, text, limit=limit)
        assert [row.id for row in rows] == [row.id for row in expected], text
        assert [row.relevance for row in rows] == pytest.approx([r.relevance for r in expected])
        ways.append(way)
    assert IN_PART in ways
    assert (TWICE in ways) == (likely is not None)


@pytest.mark.usefixtures("_prunes_always")
def test_what_common_words_lift_above_a_rare_one_is_found(agent: Actor) -> None:
    """The record with the rare word says so much else that its likelihood is below the others'."""
    filler = " ".join(f"n{number}" for number in range(300))
    say(agent, [f"zebra {filler}", *["lake river"] * 20, *["lake stone"] * 3])
    rows, way = look(agent, "zebra lake river", limit=1)
    assert (rows[0].statement, way) == ("lake river", TWICE)


@pytest.mark.usefixtures("_prunes_always")
def test_rare_records_that_hold_no_longer_make_room(agent: Actor) -> None:
    ends = RecordDraftFactory.create(statement="zebra lake")
    with project_scope(agent.project_id) as scope:
        valid_until = scope.opened_at + timedelta(days=1)
    assert_records(actor=fresh(agent), drafts=[replace(ends, valid_until=valid_until)])
    say(agent, ["lake river"] * 20)
    assert look(agent, "zebra lake", limit=1)[1] == IN_PART
    rows, way = look(agent, "zebra lake", limit=1, days=2)
    assert (rows[0].statement, way) == ("lake river", TWICE)


def test_few_postings_are_read_in_full(agent: Actor) -> None:
    say(agent, ["zebra lake", *["lake river"] * 20])
    assert look(agent, "zebra lake", limit=1)[1] == IN_FULL
