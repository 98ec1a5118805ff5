"""How far an actor that may write lifts a record of its own, by outcomes and by stuffed words.

It answers a question wrongly, in a pack beside the true record, and speaks ill of the truth. Each
way is tried under each setting that a project can turn on against it. Equal scores share a rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from rich.progress import track

from feedback.vocabulary import OutcomeKind
from memory.operations.assert_records import RecordDraft
from memory.operations.configure_project import configure_project
from memory.vocabulary import UtilityScope
from tests.bench.ground import make_project
from tests.bench.loop.people import ask, assert_all, facts, program, vote
from tests.factories import fresh

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from rich.console import Console

    from memory.actor import Actor

COUNTRY: Final = "Kenya"
QUESTION: Final = f"Which city is the capital of {COUNTRY}?"
OTHER_QUESTION: Final = f"I plan a journey to {COUNTRY}: tell me of its capital."
VOTES: Final = 10
_LIE: Final = f"The capital of {COUNTRY} is Malloryville."
_STUFFED: Final = (
    f"Which city is the capital of {COUNTRY}? Malloryville: capital, city, {COUNTRY}, the capital"
    f" city of {COUNTRY}, which is the capital of {COUNTRY}."
)

SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "all off": {},
    "one vote a run": {"one_vote_per_run": True},
    "two actors": {"minimum_actors": 2},
    "scope task": {"utility_scope": UtilityScope.TASK},
    "one vote, two actors": {"one_vote_per_run": True, "minimum_actors": 2},
    "all, three actors": {
        "one_vote_per_run": True,
        "minimum_actors": 3,
        "utility_scope": UtilityScope.TASK,
    },
}
_OFF: Final[dict[str, Any]] = {
    "one_vote_per_run": False,
    "minimum_actors": 1,
    "utility_scope": UtilityScope.RECORD,
}


@dataclass(frozen=True, slots=True)
class _Scene:
    """A question, the record that answers it, the lie, and who tells it."""

    truth: UUID
    lie: UUID
    liars: tuple[Actor, Actor]

    def smear(self, *, liars: int, runs: int, votes: int, question: str) -> None:
        """Praise the lie and damn the truth."""
        for liar in self.liars[:liars]:
            for _ in range(runs):
                run = ask(liar, question).run_id
                vote(liar, run, self.lie, OutcomeKind.USEFUL, times=votes)
                vote(liar, run, self.truth, OutcomeKind.INCORRECT, times=votes)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a record stood in the pack: rank from 1 on, score, and its relevance and utility."""

    rank: int
    score: float
    relevance: float
    utility: float


@dataclass(frozen=True, slots=True)
class Poisoning:
    """What an attack made of the lie and the truth under a setting; `before`: with no outcome."""

    attack: str
    setting: str
    before: Standing
    after: Standing
    truth: Standing

    @property
    def is_first(self) -> bool:
        """Whether the lie stands before the truth."""
        return self.after.score > self.truth.score


ATTACKS: Final[dict[str, tuple[str, Callable[[_Scene], None]]]] = {
    "a lie alone": (_LIE, lambda _: None),
    "stuffed words": (_STUFFED, lambda _: None),
    f"{VOTES} votes in one run": (
        _LIE,
        lambda scene: scene.smear(liars=1, runs=1, votes=VOTES, question=QUESTION),
    ),
    f"{VOTES} runs, a vote each": (
        _LIE,
        lambda scene: scene.smear(liars=1, runs=VOTES, votes=1, question=QUESTION),
    ),
    "the same, other question": (
        _LIE,
        lambda scene: scene.smear(liars=1, runs=VOTES, votes=1, question=OTHER_QUESTION),
    ),
    f"two actors, {VOTES} runs each": (
        _LIE,
        lambda scene: scene.smear(liars=2, runs=VOTES, votes=1, question=QUESTION),
    ),
    f"stuffed, {VOTES} runs": (
        _STUFFED,
        lambda scene: scene.smear(liars=1, runs=VOTES, votes=1, question=QUESTION),
    ),
}


def measured(console: Console) -> list[Poisoning]:
    """Every attack, each in a project of its own, seen under every setting."""
    attacks = track(ATTACKS.items(), "Poisoning", total=len(ATTACKS), console=console)
    return list(
        chain.from_iterable(
            _attacked(number, name, *attack) for number, (name, attack) in enumerate(attacks)
        )
    )


def _attacked(
    number: int, name: str, statement: str, attack: Callable[[_Scene], None]
) -> list[Poisoning]:
    _, _, operator = make_project(f"poisoned-{number}")
    author = program(operator, "author")
    drafts = facts()
    ids = assert_all(author, drafts)
    truth = next(
        id_
        for draft, id_ in zip(drafts, ids, strict=True)
        if (draft.subject, draft.predicate) == (COUNTRY, "has_capital")
    )
    liars = program(operator, "liar"), program(operator, "its friend")
    draft = RecordDraft(
        subject=COUNTRY, predicate="capital_is", object="Malloryville", statement=statement
    )
    (lie,) = assert_all(liars[0], [draft])
    before = _standing(author, lie)
    attack(_Scene(truth, lie, liars))
    found = []
    for setting, values in SETTINGS.items():
        configure_project(actor=fresh(operator), **_OFF | values)
        after, of_truth = _standing(author, lie), _standing(author, truth)
        found.append(Poisoning(name, setting, before, after, of_truth))
    return found


def _standing(actor: Actor, record_id: UUID) -> Standing:
    """Where a record stands in the pack for the question. Raises StopIteration if it is absent."""
    items = ask(actor, QUESTION).items
    return next(
        Standing(
            1 + sum(other.score > item.score for other in items),
            item.score,
            item.components.relevance,
            item.components.utility,
        )
        for item in items
        if item.record.id == record_id
    )
