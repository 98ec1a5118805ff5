"""retrieve: the records that a pack would be made of, ranked alike, by pages, stored nowhere."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.queries.retrieve import (
    CITATIONS_PER_HIT,
    HitCitation,
    HitPlace,
    Retrieved,
    RetrieveRequest,
    retrieve,
)
from feedback.ranking import Components
from feedback.vocabulary import OutcomeKind
from memory.errors import Denied
from memory.models import Record
from memory.operations.consolidate_records import ClaimSource
from memory.operations.correct_records import Correction, correct_records
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.record_filters import AnyOf, Comparison, Field, Not, Operator
from memory.vocabulary import Relation, Trust
from tests.factories import (
    PERSON,
    a_claim,
    a_record,
    a_run,
    a_source,
    an_outcome,
    fresh,
    supports,
)
from tests.factories.bulk import bulk_records
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db


def wanted(text: str = "zebra", **said: Any) -> RetrieveRequest:
    return RetrieveRequest(**{"text": text, "limit": 200, "candidates": 1_000, **said})


def found(actor: Actor, text: str = "zebra", **said: Any) -> Retrieved:
    return retrieve(actor=fresh(actor), request=wanted(text, **said))


def ids(actor: Actor, text: str = "zebra", **said: Any) -> list[UUID]:
    return [hit.record.id for hit in found(actor, text, **said).hits]


def zebras(agent: Actor, number: int) -> list[AssertedRecord]:
    """Records that differ in relevance, trust and confidence."""
    records = []
    for place in range(number):
        actor = replace(agent, max_trust=Trust(place % 3))
        words = "zebra" + " lake" * (place % 4) + f" grass{place}"
        records.append(a_record(actor, statement=words, confidence=1 - 0.05 * (place % 5)))
    return records


# --- Hits ----------------------------------------------------------------------------------------


def test_a_hit_is_a_record_with_its_score_and_what_it_rests_on(agent: Actor) -> None:
    record = a_record(
        agent, statement="Zébra by the lake.", confidence=0.9, origin=Origin("wiki", "https://x/1")
    )
    row = Record.objects.get()
    (hit,) = found(agent, "zébra").hits
    assert (hit.record.id, hit.record.version, hit.version_number) == (record.id, record.version, 1)
    assert (hit.record.statement, hit.recorded_at) == ("Zébra by the lake.", row.recorded_at)
    assert hit.components == Components(1.0, 0.333333, 1.0, 0.5, 1.0, 0.9)
    assert hit.score == hit.components.score
    assert hit.citations == (
        HitCitation(
            source_id=record.source_id,
            relation=Relation.SUPPORTS,
            quote="Zébra by the lake.",
            byte_start=0,
            byte_end=19,
            origin_ref="https://x/1",
        ),
    )
    assert hit.place == HitPlace(score=hit.score, relevance=1.0, supporting=1, record_id=record.id)


def test_hits_are_those_of_a_pack_in_its_order_with_its_scores(agent: Actor) -> None:
    records = zebras(agent, 24)
    run = a_run(agent, "zebra lake")
    for kind in (OutcomeKind.USEFUL, OutcomeKind.HARMFUL):
        record_id = run.items[3 if kind is OutcomeKind.USEFUL else 0].record.id
        for _ in range(3):
            an_outcome(agent, run, record_id, kind)
    pack = [
        (asdict(item.record), asdict(item.components), item.score)
        for item in a_run(agent, "zebra lake").items
    ]
    hits = found(agent, "zebra lake").hits
    assert [(asdict(hit.record), asdict(hit.components), hit.score) for hit in hits] == pack
    assert len(pack) == len(records)
    assert {hit.components.utility for hit in hits} == {0.0, 0.5, 1.0}


def test_equal_scores_stand_by_relevance_then_support_then_id(agent: Actor) -> None:
    bulk_records(agent, 9, statement="zebra")
    source, more = a_source(agent, "zebra"), a_source(agent, "zebra too")
    one = a_claim(agent, source, statement="zebra lake", confidence=1.0)
    two = a_claim(agent, source, more, statement="zebra reed", confidence=1.0)
    hits = found(agent, data_subject=PERSON, include_shared=True).hits
    assert [hit.place.key for hit in hits] == sorted(hit.place.key for hit in hits)
    places = {hit.record.id: number for number, hit in enumerate(hits)}
    assert places[two.id] == places[one.id] - 1
    alike = [hit.record.id for hit in hits if hit.record.id not in {one.id, two.id}]
    assert alike == sorted(alike)
    assert len({hit.score for hit in hits}) == 2


def test_citations_are_bounded_and_support_comes_first(agent: Actor) -> None:
    against = ClaimSource(a_source(agent, "No zebra.").id, Relation.CONTRADICTS)
    many = [a_source(agent, f"zebra {place}") for place in range(CITATIONS_PER_HIT + 2)]
    a_claim(agent, sources=(against, *supports(*many)), statement="zebra many")
    a_claim(agent, sources=(against, *supports(*many[:2])), statement="zebra few")
    hits = {hit.record.statement: hit for hit in found(agent, data_subject=PERSON).hits}
    assert [len(hits[said].citations) for said in ("zebra many", "zebra few")] == [8, 3]
    assert {cited.relation for cited in hits["zebra many"].citations} == {Relation.SUPPORTS}
    few = hits["zebra few"].citations
    assert [cited.relation for cited in few] == [
        Relation.SUPPORTS,
        Relation.SUPPORTS,
        Relation.CONTRADICTS,
    ]
    assert few[2].quote == "No zebra."


# --- What is searched ----------------------------------------------------------------------------


def test_closed_records_are_no_hits(agent: Actor) -> None:
    kept, corrected, retracted = zebras(agent, 3)
    change = Correction(
        record_id=corrected.id,
        expected_version=corrected.version,
        object="x",
        statement="zebra anew",
    )
    correct_records(actor=fresh(agent), corrections=[change])
    draft = RetractionDraft(record_id=retracted.id, expected_version=retracted.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    replacement = Record.objects.get(replaces=corrected.id)
    assert set(ids(agent)) == {kept.id, replacement.id}


def test_whose_records_are_searched_is_the_subject_s_rule(agent: Actor, outsider: Actor) -> None:
    shared = a_record(agent, statement="zebra one")
    theirs = a_record(agent, statement="zebra two", data_subject=PERSON)
    a_record(agent, statement="zebra three", data_subject="somebody else")
    a_record(outsider, statement="zebra four")
    assert ids(agent) == ids(agent, include_shared=True) == [shared.id]
    assert ids(agent, data_subject=PERSON) == [theirs.id]
    both = ids(agent, data_subject=PERSON, include_shared=True)
    assert sorted(both) == sorted([shared.id, theirs.id])
    assert ids(agent, data_subject="nobody known") == []


@pytest.mark.parametrize("text", ["unicorn", "the of and", "…!?", "   "])
def test_what_nobody_said_has_no_hits(agent: Actor, text: str) -> None:
    zebras(agent, 2)
    nothing = retrieve(actor=agent, request=wanted(text))
    assert (nothing.hits, nothing.candidates, nothing.is_more) == ((), 0, False)
    assert audit_of(agent) == [Entry("retrieve", "allowed", "", 0)]


def test_a_record_holds_from_its_time_on(agent: Actor) -> None:
    soon = datetime(2998, 1, 1, tzinfo=UTC)
    record = a_record(agent, statement="zebra", valid_from=soon)
    assert ids(agent) == []
    assert ids(agent, as_of=soon) == [record.id]


def test_a_condition_narrows_and_hides_nothing_better(agent: Actor) -> None:
    records = zebras(agent, 9)
    whole = ids(agent)
    for condition in (
        Comparison(Field.CONFIDENCE, Operator.LT, 0.95),
        Comparison(Field.STATEMENT, Operator.CONTAINS, "lake lake"),
        AnyOf([Comparison(Field.RECORD_ID, Operator.EQ, str(records[4].id))]),
        Not(Comparison(Field.TRUST, Operator.EQ, "asserted")),
        Comparison(Field.SUBJECT, Operator.EQ, "%s {0} '); --"),
    ):
        narrowed = ids(agent, condition=condition)
        assert narrowed == [id_ for id_ in whole if id_ in set(narrowed)]
        rest = ids(agent, condition=Not(condition))
        assert sorted(narrowed + rest) == sorted(whole)
        assert len(narrowed) < len(whole)
    few = found(agent, condition=Not(Comparison(Field.SUBJECT, Operator.EQ, "x")), candidates=3)
    assert (len(few.hits), few.candidates) == (3, 3)


def test_a_condition_is_looked_at_before_candidates_are_cut(agent: Actor) -> None:
    bulk_records(agent, 50, statement="zebra")
    worst = a_record(agent, statement="zebra " + "lake " * 60, subject="rare")
    condition = Comparison(Field.SUBJECT, Operator.EQ, "rare")
    assert ids(agent, condition=condition, candidates=1) == [worst.id]


# --- Pages ---------------------------------------------------------------------------------------


def test_pages_of_one_instant_are_the_whole_in_its_order(agent: Actor) -> None:
    zebras(agent, 13)
    bulk_records(agent, 8, statement="zebra herd")  # equal scores
    whole = found(agent)
    for limit in (1, 2, 7, 21, 200):
        pages: list[UUID] = []
        after: HitPlace | None = None
        while True:
            page = found(agent, limit=limit, as_of=whole.as_of, after=after)
            assert page.candidates == 21
            assert (page.as_of, len(page.hits) <= limit) == (whole.as_of, True)
            pages += [hit.record.id for hit in page.hits]
            if not page.is_more:
                break
            after = page.hits[-1].place
        assert pages == [hit.record.id for hit in whole.hits]
    assert len({hit.record.id for hit in whole.hits}) == 21


def test_two_equal_retrieves_are_equal(agent: Actor) -> None:
    zebras(agent, 5)
    first = found(agent)
    assert asdict(found(agent, as_of=first.as_of)) == asdict(first)
    assert found(agent).hits == first.hits  # on one day


def test_the_instant_of_the_first_page_is_the_transaction_s(agent: Actor) -> None:
    zebras(agent, 1)
    first, second = found(agent), found(agent)
    assert first.as_of < second.as_of < first.as_of + timedelta(minutes=1)


def test_a_least_score_keeps_what_has_it(agent: Actor) -> None:
    zebras(agent, 9)
    hits = found(agent).hits
    for least in (0.0, hits[4].score, 1.0):
        kept = found(agent, min_score=least)
        assert kept.hits == tuple(hit for hit in hits if hit.score >= least)
        assert kept.candidates == 9
    page = found(agent, min_score=hits[4].score, limit=2)
    assert (page.hits, page.is_more) == (hits[:2], True)
    assert not found(agent, min_score=hits[1].score, limit=2).is_more


# --- What it costs and leaves --------------------------------------------------------------------


def test_a_retrieve_stores_nothing_and_is_audited_once(agent: Actor) -> None:
    zebras(agent, 5)
    assert changed_tables(lambda: retrieve(actor=agent, request=wanted(limit=3))) == {}
    assert audit_of(agent) == [Entry("retrieve", "allowed", "", 3)]


def test_any_number_of_hits_sends_as_many_statements(agent: Actor) -> None:
    condition = Not(Comparison(Field.SUBJECT, Operator.EQ, "x"))
    counts = set()
    for number in (1, 199):
        bulk_records(agent, number, statement="zebra")
        with watched() as statements:
            found(agent, condition=condition)
        counts.add(len(statements))
    assert len(ids(agent, condition=condition)) == 200
    assert counts == {6}  # and one for the credential


# --- Who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    (record,) = zebras(agent, 1)
    assert ids(request.getfixturevalue(persona)) == [record.id]


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_words(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    zebras(agent, 1)
    for text in ("zebra", "unicorn"):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "retrieve"):
            retrieve(actor=actor, request=wanted(text))


def test_another_project_s_records_are_no_hits_and_cost_the_same(
    agent: Actor, outsider: Actor
) -> None:
    theirs = a_record(outsider, statement="zebra")
    texts = set()
    for record_id in (theirs.id, uuid4()):
        condition = Comparison(Field.RECORD_ID, Operator.EQ, str(record_id))
        with watched() as statements:
            assert ids(agent, condition=condition) == []
        texts.add(str(statements))
    assert len(texts) == 1
