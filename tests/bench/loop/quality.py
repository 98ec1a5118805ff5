"""How well packs rank: questions about the demo's countries, some with misspelt names.

Beside the facts lie distractors: statements about the same countries in the words of questions
that answer none. With outcomes means: for every second question three callers said which items of
its pack answered, and that the first other one did not. All is seeded and answers count as the last
of items that rank equal, so a number moves with the ranking alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from rich.progress import track

from feedback.vocabulary import OutcomeKind
from memory.operations.assert_records import RecordDraft
from memory.operations.configure_project import configure_project
from memory.vocabulary import UtilityScope
from tests.bench.ground import make_project
from tests.bench.loop.people import ask, assert_all, facts, program, vote
from tests.bench.loop.vocabulary import seeded
from tests.factories import fresh

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random
    from uuid import UUID

    from rich.console import Console

    from feedback.operations.compile_context import CompiledContext, RankedRecord
    from memory.actor import Actor

QUESTIONS: Final = 240
DISTRACTED: Final = 60  # countries with distractors
VOTERS: Final = 3
PLAIN, MISSPELT = "plain", "misspelt"
_SHORTEST_MISSPELT: Final = 6  # letters of a name that bears two slips

_TEMPLATES: Final = {
    "has_capital": (
        "Which city is the capital of {}?",
        "From which capital is {} governed?",
        "I am writing about {} and need the name of its capital city.",
    ),
    "uses_currency": (
        "What money do people pay with in {}, which currency is used?",
        "I travel to {}: which currency do I need?",
        "Currency used by {}",
    ),
    "has_demonym": (
        "What is somebody from {} called?",
        "What do you call a person who comes from {}?",
        "Word for the people of {}",
    ),
    "located_in": (
        "Where does {} lie, in what part of the world?",
        "In which region lies {}?",
        "On which side of its continent does one find {}, where does it lie?",
    ),
    "has_calling_code": (
        "Which code do I dial before calling a number in {}?",
        "Telephone: calling code for {}",
        "I want to phone {}, what is the calling code?",
    ),
}
_DISTRACTIONS: Final = (
    "Nobody who was asked could say which city the capital of {} might be.",
    "People from {} often pay with cards and forget what currency they used.",
    "A caller dialled the wrong code and number when he wanted to phone {}.",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A text, the records that answer it, and whether the name in it is misspelt."""

    text: str
    answers: frozenset[UUID]
    spelling: str


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over some questions under some rule for outcomes."""

    rule: str
    part: str
    questions: int
    recall_at_1: float
    recall_at_5: float
    mrr: float


def measured(console: Console) -> list[Quality]:
    """Without outcomes, then with them under both scopes of utility."""
    _, _, operator = make_project("quality")
    author = program(operator, "author")
    questions = _questions(author)
    taught, others = questions[::2], questions[1::2]
    found = _all(author, "no outcomes", taught, others, console)
    voters = [program(operator, f"caller {number}") for number in range(VOTERS)]
    for question in track(taught, "Teaching", console=console):
        _teach(voters, question)
    for scope in UtilityScope:
        configure_project(actor=fresh(operator), utility_scope=scope)
        found += _all(author, f"outcomes, scope {scope.value}", taught, others, console)
    return found


def _questions(author: Actor) -> list[Question]:
    """Assert facts and distractors, and ask about a sample of the facts."""
    random = seeded("questions")
    drafts = facts()
    ids = assert_all(author, drafts)
    answers: dict[tuple[str, str], set[UUID]] = {}
    for draft, id_ in zip(drafts, ids, strict=True):
        answers.setdefault((draft.subject, draft.predicate), set()).add(id_)
    asked = random.sample(sorted(answers), QUESTIONS)
    countries = sorted({subject for subject, _ in asked})
    assert_all(
        author,
        [
            RecordDraft(
                subject=country,
                predicate="mentioned",
                object=f"note {n}",
                statement=distraction.format(country),
            )
            for country in random.sample(countries, DISTRACTED)
            for n, distraction in enumerate(_DISTRACTIONS)
        ],
    )
    return [
        _question(random, subject, predicate, answers[subject, predicate], number)
        for number, (subject, predicate) in enumerate(asked)
    ]


def _question(
    random: Random, subject: str, predicate: str, answers: Iterable[UUID], number: int
) -> Question:
    # Of two neighbours one teaches and the other does not, so spellings change every two.
    is_misspelt = number // 2 % 2 == 1
    name = misspelt(random, subject) if is_misspelt else subject
    text = random.choice(_TEMPLATES[predicate]).format(name)
    return Question(text, frozenset(answers), MISSPELT if is_misspelt else PLAIN)


def misspelt(random: Random, name: str) -> str:
    """A name with one slip in its longest word, or two in a long one: none at its first letter."""
    words = name.split()
    longest = max(range(len(words)), key=lambda place: len(words[place]))
    word = words[longest]
    slips = random.randint(1, 2) if len(word) > _SHORTEST_MISSPELT else 1
    while word == words[longest]:
        for _ in range(slips):
            word = _slipped(random, word)
    return " ".join([*words[:longest], word, *words[longest + 1 :]])


def _slipped(random: Random, word: str) -> str:
    place = random.randrange(1, len(word))
    letter = random.choice(ascii_lowercase)
    return random.choice(
        (
            word[:place] + letter + word[place:],
            word[:place] + letter + word[place + 1 :],
            word[:place] + word[place + 1 :],
        )
    )


def _teach(voters: Sequence[Actor], question: Question) -> None:
    for voter in voters:
        pack = ask(voter, question.text)
        ids = _ordered(pack, question)
        for id_ in ids:
            if id_ in question.answers:
                vote(voter, pack.run_id, id_, OutcomeKind.USEFUL)
        wrong = next((id_ for id_ in ids if id_ not in question.answers), None)
        if wrong is not None:
            vote(voter, pack.run_id, wrong, OutcomeKind.IRRELEVANT)


def _ordered(pack: CompiledContext, question: Question) -> list[UUID]:
    """Ids of a pack by rank. The product breaks ties by id, which is new in every run; here texts
    do it, behind whether an item answers.
    """

    def rank(item: RankedRecord) -> tuple[float, float, int, bool, str]:
        record = item.record
        return (
            -item.score,
            -item.components.relevance,
            -record.supporting_citations,
            record.id in question.answers,
            record.statement,
        )

    return [item.record.id for item in sorted(pack.items, key=rank)]


def _all(
    author: Actor,
    rule: str,
    taught: Sequence[Question],
    others: Sequence[Question],
    console: Console,
) -> list[Quality]:
    ranks = {
        question: _ranks(author, question)
        for question in track([*taught, *others], f"Asking: {rule}", console=console)
    }
    parts = {
        "taught": taught,
        "others": others,
        PLAIN: [question for question in ranks if question.spelling == PLAIN],
        MISSPELT: [question for question in ranks if question.spelling == MISSPELT],
    }
    return [_quality(rule, name, [ranks[q] for q in part]) for name, part in parts.items()]


def _ranks(author: Actor, question: Question) -> list[int | None]:
    """The rank of every answer in the pack, from 1 on, None for those that are not in it."""
    ids = _ordered(ask(author, question.text), question)
    return [ids.index(id_) + 1 if id_ in ids else None for id_ in question.answers]


def _quality(rule: str, part: str, ranks: Sequence[Sequence[int | None]]) -> Quality:
    return Quality(
        rule=rule,
        part=part,
        questions=len(ranks),
        recall_at_1=_mean(_recall(of_one, 1) for of_one in ranks),
        recall_at_5=_mean(_recall(of_one, 5) for of_one in ranks),
        mrr=_mean(max((1 / rank for rank in of_one if rank), default=0.0) for of_one in ranks),
    )


def _recall(ranks: Sequence[int | None], first: int) -> float:
    """The share of the answers among the first items, of as many as can be there."""
    return sum(rank is not None and rank <= first for rank in ranks) / min(first, len(ranks))


def _mean(numbers: Iterable[float]) -> float:
    listed = list(numbers)
    return sum(listed) / len(listed)
