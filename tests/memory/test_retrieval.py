"""Candidates: the formula by hand and by a model, whose records are searched, and as of when."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from math import log
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from memory import retrieval
from memory.models import Record
from memory.operations.assert_records import AssertedRecord, assert_records
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.retrieval import Candidates, CitedSource, Search, find_candidates
from memory.transactions import project_scope
from memory.vocabulary import MessageRole, Relation, SearchLanguage, SourceKind, Trust
from tests.contracts.catalogue import fetch, run
from tests.factories import (
    PERSON,
    RecordDraftFactory,
    a_claim,
    a_project,
    a_record,
    a_source,
    fresh,
    supports,
)
from tests.factories.bulk import bulk_records
from tests.invariants import assert_invariants
from tests.statements import watched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.actor import Actor

pytestmark = pytest.mark.django_db

#: Words that no stemmer changes and no list of stop words holds.
SYLLABLES = "bcdfghjklmnpqrtvwxz"
FAR = datetime(2999, 1, 1, tzinfo=UTC)


def search(actor: Actor, text: str, **said: Any) -> Candidates:
    with project_scope(actor.project_id) as scope:
        values = {
            "data_subject": None,
            "include_shared": False,
            "as_of": scope.opened_at,
            "limit": 200,
            **said,
        }
        return find_candidates(actor, Search(text=text, **values))


def found(actor: Actor, text: str, **said: Any) -> list[str]:
    """What the records say that a search finds, best first."""
    return [row.statement for row in search(actor, text, **said).rows]


def say(actor: Actor, *statements: str, **said: Any) -> tuple[AssertedRecord, ...]:
    drafts = [RecordDraftFactory.create(statement=statement, **said) for statement in statements]
    return assert_records(actor=fresh(actor), drafts=drafts).records


def retract(actor: Actor, record: AssertedRecord) -> datetime:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    return retract_records(actor=fresh(actor), retractions=[draft]).records[0].retracted_at


def correct(actor: Actor, record: AssertedRecord, statement: str) -> None:
    change = Correction(
        record_id=record.id, expected_version=record.version, object="x", statement=statement
    )
    correct_records(actor=fresh(actor), corrections=[change])


def made_up() -> Iterator[str]:
    """Words of three letters, each a lexeme of its own."""
    return map("".join, product(SYLLABLES, repeat=3))


# --- The formula ---------------------------------------------------------------------------------


def test_relevance_is_the_formula_to_six_decimals(agent: Actor) -> None:
    """Zebra is in 3 of these and river in 2, so H is 5, zebra counts ln 6 and river ln 8.5."""
    say(agent, "zebra river", "zebra lake grass", "zebra zebra", "river lake grass tree stone")
    rows = search(agent, "zebra river").rows
    assert [(row.statement, round(row.relevance, 6)) for row in rows] == [
        ("zebra river", 1.0),  # 3.853384: both words, less 2 ln(1 + 2/50)
        ("river lake grass tree stone", 0.831219),  # 1.949446
        ("zebra zebra", 0.813729),  # 1.752154: a word counts once
        ("zebra lake grass", 0.80691),  # 1.675222
    ]
    assert rows[0].relevance == 1


@pytest.mark.parametrize("text", ["zebra river unicorn", "river zebra, river", "The ZEBRA's river"])
def test_words_that_nobody_said_order_and_repetition_move_nothing(agent: Actor, text: str) -> None:
    say(agent, "zebra river", "zebra lake grass", "river lake grass tree stone")
    assert search(agent, text).rows == search(agent, "zebra river").rows


def test_one_record_alone_has_relevance_one(agent: Actor) -> None:
    say(agent, "zebra lake grass")
    assert [row.relevance for row in search(agent, "zebra and unicorn").rows] == [1.0]


def test_relevance_is_never_below_zero(agent: Actor) -> None:
    """A statement of 4,000 words that has one of 16 lies below the floor of ln 41 for each."""
    words = list(islice(made_up(), 4_016))
    say(agent, " ".join(words[:16]), " ".join(words[15:4_015]))
    best, worst = search(agent, " ".join(words[:16])).rows
    assert (best.relevance, worst.relevance) == (1.0, 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_any_set_of_records_is_ranked_as_a_model_says(agent: Actor, seed: int) -> None:
    dice = Random(seed)  # noqa: S311 - a test's dice
    vocabulary = list(islice(made_up(), 12))
    statements = [" ".join(dice.sample(vocabulary, dice.randint(1, 9))) for _ in range(20)]
    say(agent, *statements)
    for _ in range(5):
        task = dice.sample(vocabulary, dice.randint(1, 6))
        rows = search(agent, " ".join(task)).rows
        wanted = model(statements, task)
        assert Counter(row.statement for row in rows) == Counter(wanted.elements())
        for row in rows:
            assert row.relevance == pytest.approx(relevance(statements, task, row.statement))
        assert [row.relevance for row in rows] == sorted(
            (row.relevance for row in rows), reverse=True
        )


def model(statements: Sequence[str], task: Sequence[str]) -> Counter[str]:
    """The statements that share a word with the task."""
    return Counter(said for said in statements if set(said.split()) & set(task))


def relevance(statements: Sequence[str], task: Sequence[str], statement: str) -> float:
    """The formula of `retrieval.md`, in plain Python."""
    frequency = Counter(word for said in statements for word in set(said.split()) & set(task))
    pairs, floor = frequency.total(), len(frequency) * log(41)

    def likelihood(said: str) -> float:
        words = set(said.split())
        return sum(log(1 + 3 * pairs / frequency[w]) for w in words & set(frequency)) - len(
            frequency
        ) * log(1 + len(words) / 50)

    best = max(likelihood(said) for said in model(statements, task))
    return min(1.0, max(0.0, (likelihood(statement) + floor) / (best + floor)))


# --- Words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Zurich cafes", "Zürich cafés", "ZÜRICH CAFÉ", "Zu\u0308rich"])
def test_accents_and_case_are_folded_on_both_sides(agent: Actor, text: str) -> None:
    said = "The Zürich café is open."
    say(agent, said, "Elsewhere it is not.")
    assert found(agent, text) == [said]
    plain = "A Zurich cafe closed."
    say(agent, plain)
    assert sorted(found(agent, text)) == [plain, said]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("She said “zebra”…", "zebra"),
        ("zebra", "«zebra»—or not"),
        ("From zebra—by night", "the zebra"),
        ("Das „Zebra“ schläft", "zebra"),
        ("Жизнь здесь", "ЖИЗНЬ"),
        ("Αθήνα by night", "ΑΘΉΝΑ"),
        ("大きい 東京", "東京、"),
    ],
)
def test_words_end_at_punctuation_of_every_script(agent: Actor, statement: str, text: str) -> None:
    say(agent, statement)
    assert found(agent, text) == [statement]


def test_english_words_are_stemmed(agent: Actor) -> None:
    say(agent, "The herders moved their herds.")
    assert found(agent, "moving a herd")
    assert search(agent, "moving a herd").lexemes == ("herd", "move")


def test_a_project_may_search_simple_words() -> None:
    _, operator = a_project(search_language=SearchLanguage.SIMPLE)
    say(operator, "The herders moved their herds.")
    assert found(operator, "moving a herd") == []
    assert len(found(operator, "HERDS moved")) == len(found(operator, "the")) == 1


@pytest.mark.parametrize("text", ["it is the", "?", "...", "\u200b", "☃ ☃"])
def test_a_text_without_a_searchable_word_finds_nothing(agent: Actor, text: str) -> None:
    say(agent, "It is the ☃.", "zebra")
    nothing = search(agent, text)
    assert nothing == Candidates((), ())
    assert (nothing.used, nothing.dropped) == (0, 0)


def test_of_many_words_the_rarest_sixteen_are_used(agent: Actor) -> None:
    rare = list(islice(made_up(), 16))
    say(agent, *(f"{word} common" for word in rare), "common alone")
    everything = search(agent, " ".join(["common", *rare]))
    assert (everything.used, everything.dropped, len(everything.lexemes)) == (16, 1, 17)
    assert {row.statement for row in everything.rows} == {f"{word} common" for word in rare}
    assert "common alone" in found(agent, " ".join(["common", *rare[:15]]))


def test_words_that_nobody_said_take_no_place_among_the_sixteen(agent: Actor) -> None:
    unheard = list(islice(made_up(), 40))
    say(agent, "zebra common", "common alone")
    rows = search(agent, " ".join([*unheard, "common", "zebra"]))
    assert [row.statement for row in rows.rows] == ["zebra common", "common alone"]
    assert (rows.used, rows.dropped) == (16, 26)


@pytest.mark.parametrize(
    "text",
    [
        "zebra' OR '1'='1",
        "zebra'); DROP TABLE memory_record; --",
        "!zebra & (river | <-> :*",
        "'zebra':1A 'river'",
        "zebra %s %(text)s {0} $1",
        "zebra \\",
        '"zebra"',
        "zebra \u202e\ufeff\U000e0041",
        "zebra " + "x" * 8_000,
    ],
)
def test_hostile_texts_are_words_and_nothing_else(agent: Actor, text: str) -> None:
    say(agent, "zebra", "lake")
    assert found(agent, text) == ["zebra"]


def test_eight_kilobytes_of_distinct_words_take_less_than_a_second(agent: Actor) -> None:
    words = list(islice(made_up(), 2_048))
    say(agent, " ".join(words[:1_000]), words[2_047], "lake")
    text = " ".join(words)
    assert len(text) == 8_191
    start = perf_counter()
    rows = search(agent, text)
    assert perf_counter() - start < 1
    assert rows.dropped == 2_048 - 16
    assert len(rows.rows) >= 1


# --- Whose records -------------------------------------------------------------------------------


def test_without_a_person_only_records_about_nobody_are_found(agent: Actor) -> None:
    say(agent, "zebra of nobody")
    say(agent, "zebra of ann", data_subject="ann")
    say(agent, "zebra of bob", data_subject="bob")
    assert found(agent, "zebra") == ["zebra of nobody"]
    assert found(agent, "zebra", include_shared=True) == ["zebra of nobody"]
    assert found(agent, "zebra", data_subject="ann") == ["zebra of ann"]
    both = found(agent, "zebra", data_subject="ann", include_shared=True)
    assert sorted(both) == ["zebra of ann", "zebra of nobody"]
    assert found(agent, "zebra", data_subject="carl") == []
    assert found(agent, "zebra", data_subject="carl", include_shared=True) == ["zebra of nobody"]


def test_with_shared_records_the_statistics_are_those_of_both(agent: Actor) -> None:
    ours = ["zebra river", "river lake"]
    shared = ["zebra lake grass", "zebra tree"]
    say(agent, *ours, data_subject="ann")
    say(agent, *shared)
    task = ["zebra", "river"]
    rows = search(agent, "zebra river", data_subject="ann", include_shared=True).rows
    for row in rows:
        assert row.relevance == pytest.approx(relevance(ours + shared, task, row.statement))
    assert len(rows) == 4
    for row in search(agent, "zebra river", data_subject="ann").rows:
        assert row.relevance == pytest.approx(relevance(ours, task, row.statement))


def test_records_of_other_projects_and_people_move_no_score(agent: Actor, outsider: Actor) -> None:
    say(agent, "zebra river", "zebra lake", "river tree stone", data_subject="ann")
    say(agent, "zebra grass")
    asked: dict[str, Any] = {
        "data_subject": "ann",
        "include_shared": True,
        "as_of": datetime.now(UTC) + timedelta(hours=1),
    }
    before = search(agent, "zebra river", **asked)

    bulk_records(outsider, 3_000, statement="zebra river")
    bulk_records(outsider, 1_000, statement="zebra river", data_subject="ann")
    bulk_records(agent, 1_000, statement="zebra river", data_subject="bob")

    assert search(agent, "zebra river", **asked) == before
    assert len(found(outsider, "zebra river")) == 200
    assert len(found(agent, "zebra", data_subject="bob", limit=1_000)) == 1_000


# --- When ----------------------------------------------------------------------------------------


def test_closed_records_are_not_found_from_the_next_search_on(agent: Actor) -> None:
    old, gone = say(agent, "zebra one", "zebra two")
    retract(agent, gone)
    assert found(agent, "zebra") == ["zebra one"]
    correct(agent, old, "lake three")
    assert found(agent, "zebra") == []
    assert found(agent, "lake") == ["lake three"]


def test_closed_records_move_no_score_of_what_is_believed_now(agent: Actor) -> None:
    said = ["zebra river", "zebra lake"]
    say(agent, *said)
    for record in say(agent, "river one", "river two"):
        retract(agent, record)
    for row in search(agent, "zebra river").rows:
        assert row.relevance == pytest.approx(relevance(said, ["zebra", "river"], row.statement))


def test_records_hold_from_their_beginning_until_before_their_end(agent: Actor) -> None:
    start, end = datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)
    say(agent, "zebra", valid_from=start, valid_until=end)
    moment = timedelta(microseconds=1)
    for as_of, is_found in (
        (start - moment, False),
        (start, True),
        (end - moment, True),
        (end, False),
        (FAR, False),
    ):
        assert bool(found(agent, "zebra", as_of=as_of)) is is_found
    assert found(agent, "zebra") == []


def test_a_record_of_the_future_is_not_found_now(agent: Actor) -> None:
    say(agent, "zebra", valid_from=FAR)
    assert found(agent, "zebra") == []
    assert found(agent, "zebra", as_of=FAR) == ["zebra"]


def test_a_time_in_the_past_brings_what_was_believed_then(agent: Actor) -> None:
    record, other = say(agent, "zebra before", "zebra retracted")
    correct(agent, record, "zebra after")
    retracted_at = retract(agent, other)
    first = Record.objects.get(id=record.id)
    assert first.known_until is not None
    moment = timedelta(microseconds=1)

    def believed(at: datetime) -> list[str]:
        return sorted(found(agent, "zebra", known_at=at))

    assert believed(first.known_from - moment) == []
    assert believed(first.known_from) == ["zebra before", "zebra retracted"]
    assert believed(first.known_until - moment) == ["zebra before", "zebra retracted"]
    assert believed(first.known_until) == ["zebra after", "zebra retracted"]
    assert believed(retracted_at) == believed(FAR) == ["zebra after"]
    assert found(agent, "zebra") == ["zebra after"]


# --- Rows ----------------------------------------------------------------------------------------


def test_a_candidate_says_what_the_record_and_its_citations_say(agent: Actor) -> None:
    one, two = (a_source(agent, text, data_subject=PERSON) for text in ("zebra one", "zebra two"))
    cited = [
        *supports(one),
        replace(supports(two)[0], relation=Relation.CONTRADICTS),
    ]
    claim = a_claim(
        agent,
        statement="The zebra came.",
        sources=tuple(cited),
        confidence=0.5,
        observer_name="watch-1",
        subject="zebra",
        predicate="came",
        object="yes",
    )
    (row,) = search(agent, "zebra", data_subject=PERSON).rows
    record = Record.objects.get(id=claim.id)
    assert (row.id, row.version, row.subject, row.predicate, row.object, row.statement) == (
        record.id,
        record.version,
        "zebra",
        "came",
        "yes",
        "The zebra came.",
    )
    assert (row.kind, row.confidence, row.trust, row.is_disputed, row.observer_name) == (
        "episodic_event",
        0.5,
        Trust.ASSERTED,
        True,
        "watch-1",
    )
    assert (row.valid_from, row.valid_until, row.known_from, row.source_role) == (
        record.valid_from,
        None,
        record.known_from,
        "user",
    )
    assert sorted(row.cited, key=str) == sorted(
        [CitedSource(one.id, Relation.SUPPORTS), CitedSource(two.id, Relation.CONTRADICTS)], key=str
    )
    assert row.supporting_citations == 1


def test_equally_good_candidates_stand_by_id_and_are_cut_by_it(agent: Actor) -> None:
    ids = sorted(record.id for record in say(agent, *["zebra lake"] * 7))
    assert [row.id for row in search(agent, "zebra").rows] == ids
    assert [row.id for row in search(agent, "zebra", limit=3).rows] == ids[:3]
    assert {row.relevance for row in search(agent, "zebra").rows} == {1.0}


def test_a_limit_keeps_the_best(agent: Actor) -> None:
    say(agent, "zebra lake grass tree", "zebra", "zebra lake")
    everything = search(agent, "zebra").rows
    assert [row.statement for row in everything] == ["zebra", "zebra lake", "zebra lake grass tree"]
    assert search(agent, "zebra", limit=2).rows == everything[:2]


def test_what_does_not_hold_takes_no_place_within_the_limit(agent: Actor) -> None:
    say(agent, "zebra", valid_from=FAR)
    say(agent, "zebra lake")
    assert found(agent, "zebra", limit=1) == ["zebra lake"]
    assert search(agent, "zebra", limit=1).rows[0].relevance == 1


def test_records_are_narrowed_by_the_role_that_spoke(agent: Actor) -> None:
    say(agent, "zebra by user", data_subject=PERSON)
    tool = a_source(agent, "zebra", kind=SourceKind.TOOL_RESULT)
    a_claim(agent, tool, statement="zebra by tool")
    asked: dict[str, Any] = {"data_subject": PERSON}
    assert len(found(agent, "zebra", **asked)) == 2
    assert found(agent, "zebra", source_roles=[MessageRole.USER], **asked) == ["zebra by user"]
    assert found(agent, "zebra", source_roles=[MessageRole.TOOL], **asked) == ["zebra by tool"]
    roles = [MessageRole.TOOL, MessageRole.USER]
    assert len(found(agent, "zebra", source_roles=roles, **asked)) == 2
    assert found(agent, "zebra", source_roles=[MessageRole.SYSTEM], **asked) == []


# --- Work ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 30])
def test_a_search_sends_two_statements_and_one_where_no_word_occurs(
    agent: Actor, number: int
) -> None:
    bulk_records(agent, number, statement="zebra lake")
    with project_scope(agent.project_id):
        for text, statements in (("zebra lake", 2), ("unicorn", 1), ("the", 1)):
            with watched() as sent:
                search(agent, text)
            assert len(sent) == statements


def test_so_many_postings_of_a_word_are_read_by_ascending_record(
    agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = sorted(record.id for record in say(agent, *["zebra lake"] * 7))
    monkeypatch.setattr(retrieval, "POSTINGS_PER_TERM", 3)
    assert [row.id for row in search(agent, "zebra").rows] == ids[:3]


def test_so_many_records_are_scored_the_best_ones(
    agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(agent, "zebra lake", "zebra lake grass", "zebra")
    monkeypatch.setattr(retrieval, "CANDIDATES_SCORED", 2)
    assert found(agent, "zebra") == ["zebra", "zebra lake"]


# --- Postings ------------------------------------------------------------------------------------


def posted(record_id: UUID) -> list[tuple[bool, int]]:
    return fetch(
        "SELECT is_current, term_count FROM memory_posting WHERE record_id = %s", record_id
    )


def test_postings_follow_every_change_of_a_record(agent: Actor) -> None:
    record = a_record(agent, statement="zebra lake grass")
    assert posted(record.id) == [(True, 3)] * 3
    assert_invariants()
    correct(agent, record, "zebra tree")
    successor = Record.objects.get(replaces=record.id)
    assert posted(record.id) == [(False, 3)] * 3
    assert posted(successor.id) == [(True, 2)] * 2
    assert_invariants()
    draft = RetractionDraft(record_id=successor.id, expected_version=successor.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert posted(successor.id) == [(False, 2)] * 2
    assert_invariants()


def test_a_refused_change_leaves_the_postings(agent: Actor) -> None:
    one, two = say(agent, "zebra one", "zebra two")
    drafts = [
        RetractionDraft(record_id=one.id, expected_version=one.version),
        RetractionDraft(record_id=two.id, expected_version=uuid4()),
    ]
    with pytest.raises(Exception, match="changed"):
        retract_records(actor=fresh(agent), retractions=drafts)
    assert sorted(found(agent, "zebra")) == ["zebra one", "zebra two"]
    assert_invariants()


def test_an_erased_record_is_found_at_no_time(agent: Actor) -> None:
    erased, kept = say(agent, "zebra erased", "zebra kept")
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    for table in ("memory_citation", "memory_recordversion"):
        run(f"DELETE FROM {table} WHERE record_id = %s", erased.id)  # noqa: S608 - ours
    run("DELETE FROM memory_record WHERE id = %s", erased.id)
    assert posted(erased.id) == []
    assert posted(kept.id) == [(True, 2)] * 2
    assert found(agent, "zebra", known_at=FAR) == found(agent, "zebra") == ["zebra kept"]
