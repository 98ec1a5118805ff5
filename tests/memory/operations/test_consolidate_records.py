"""consolidate_records: claims about one person from evidence about that person, all or nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.db import IntegrityError

from memory.errors import Denied, FieldInvalid, IdempotencyConflict, NotFound, RecordConflict
from memory.models import Citation, Record, RecordVersion, Subject
from memory.operations.append_source import MessageDraft
from memory.operations.consolidate_records import (
    ClaimDraft,
    ClaimSource,
    ConsolidationReceipt,
    consolidate_records,
)
from memory.operations.correct_records import Correction, correct_records
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.claims import Standing
from memory.vocabulary import (
    CLAIMS_PER_CALL,
    Edge,
    MessageRole,
    RecordKind,
    RecordStatus,
    Relation,
    SourceKind,
    Trust,
)
from tests.contracts.catalogue import run
from tests.factories import (
    MARKER,
    PERSON,
    ClaimDraftFactory,
    a_claim,
    a_key,
    a_record,
    a_run,
    a_source,
    fresh,
    supports,
)
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.append_source import SourceReceipt
    from memory.queries.claims import ClaimRow

pytestmark = pytest.mark.django_db

OF_RECORDS = {"memory_record", "memory_recordversion", "memory_citation", "memory_idempotencykey"}


def claim(*sources: SourceReceipt, **said: Any) -> ClaimDraft:
    """A claim that these sources support."""
    made: ClaimDraft = ClaimDraftFactory.create(**{"sources": supports(*sources), **said})
    return made


def related(source: SourceReceipt, relation: Relation, quote: str | None = None) -> ClaimSource:
    return ClaimSource(source.id, relation, quote)


def consolidate(actor: Actor, *drafts: ClaimDraft, **said: Any) -> ConsolidationReceipt:
    return consolidate_records(actor=actor, drafts=drafts, **{"data_subject": PERSON, **said})


def retract(actor: Actor, record: ClaimRow) -> None:
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(actor), retractions=[draft])


# --- What a claim makes --------------------------------------------------------------------------


def test_a_claim_is_a_record_that_rests_on_its_sources(agent: Actor) -> None:
    one, two = a_source(agent, "Herd 7 crossed."), a_source(agent, "So it did.")
    said = claim(
        one,
        two,
        kind=RecordKind.PREFERENCE,
        confidence=0.9,
        subject="herd 7",
        predicate="crossed",
        object="river",
        observer_name="watch-1",
    )
    receipt = consolidate(agent, said)
    (row,) = receipt.records
    assert (receipt.canonical_replays, receipt.is_replay) == (0, False)
    record = Record.objects.get(id=row.id)
    assert (record.subject, record.predicate, record.object, record.statement) == (
        "herd 7",
        "crossed",
        "river",
        said.statement,
    )
    assert (record.kind, record.confidence, record.trust) == ("preference", 0.9, Trust.ASSERTED)
    assert (record.status, record.version_number, record.is_disputed) == ("current", 1, False)
    assert (record.source_role, record.observer_name) == ("user", "watch-1")
    assert record.data_subject_id == Subject.objects.get(name=PERSON).id
    assert (record.recorded_by_id, record.request_id) == (agent.id, agent.request_id)
    version = RecordVersion.objects.get(record_id=row.id)
    assert (version.id, version.number, version.change, version.source_id) == (
        row.version,
        1,
        "record.assert",
        one.id,
    )
    cited = Citation.objects.filter(record_id=row.id)
    assert {(c.source_id, c.quote, c.byte_start, c.byte_end, c.relation) for c in cited} == {
        (one.id, "Herd 7 crossed.", 0, 15, "supports"),
        (two.id, "So it did.", 0, 10, "supports"),
    }
    assert_invariants()


def test_the_receipt_says_what_stands_in_the_record(agent: Actor) -> None:
    start = datetime(2019, 1, 1, tzinfo=UTC)
    source = a_source(agent)
    said = claim(source, valid_from=start, valid_until=start + timedelta(days=1), confidence=0.25)
    (row,) = consolidate(agent, said).records
    record = Record.objects.get(id=row.id)
    assert (row.kind, row.standing, row.trust, row.confidence) == (
        "episodic_event",
        Standing(RecordStatus.CURRENT, is_disputed=False, is_expired=True),
        Trust.ASSERTED,
        0.25,
    )
    assert (row.valid_from, row.valid_until) == (start, start + timedelta(days=1))
    assert (record.valid_from, record.valid_until) == (row.valid_from, row.valid_until)
    assert row.source_ids == (source.id,)


def test_what_is_left_out_has_its_default(agent: Actor) -> None:
    (row,) = consolidate(agent, claim(a_source(agent), statement="The herd rests.")).records
    record = Record.objects.get(id=row.id)
    assert (record.subject, record.predicate, record.object) == (
        PERSON,
        "states",
        "The herd rests.",
    )
    assert (record.confidence, record.valid_until, record.observer_name) == (0.8, None, None)
    assert record.valid_from == record.known_from == record.recorded_at


@pytest.mark.parametrize("offset", range(4))
def test_a_long_statement_gives_an_object_that_is_cut_between_characters(
    agent: Actor, offset: int
) -> None:
    statement = "a" * offset + "🦓" * 300
    (row,) = consolidate(agent, claim(a_source(agent), statement=statement)).records
    made = Record.objects.get(id=row.id).object
    assert statement.startswith(made)
    assert 1_020 < len(made.encode()) <= 1_024


def test_only_records_versions_citations_and_keys_are_written(agent: Actor) -> None:
    drafts = [claim(a_source(agent)) for _ in range(3)]
    changes = changed_tables(lambda: consolidate(agent, *drafts))
    assert changes == dict.fromkeys(OF_RECORDS, (0, 3))


def test_it_is_audited_once_with_the_number_of_new_records(agent: Actor) -> None:
    known = claim(a_source(agent))
    consolidate(fresh(agent), known)
    consolidate(agent, known, claim(a_source(agent)), claim(a_source(agent)))
    assert audit_of(agent) == [Entry("record.consolidate", "allowed", "", 2)]


def test_nothing_is_merged_by_what_it_says(agent: Actor) -> None:
    rows = [a_claim(agent, statement="The herd rests.") for _ in range(2)]
    assert rows[0].id != rows[1].id
    assert [row.standing.status for row in rows] == [RecordStatus.CURRENT] * 2


# --- What is cited -------------------------------------------------------------------------------


def test_a_quote_is_cited_where_it_first_stands_byte_by_byte(agent: Actor) -> None:
    said = (
        MessageDraft(MessageRole.USER, "Zéro 🦓 today"),
        MessageDraft(MessageRole.ASSISTANT, "🦓🦓 crossed, 🦓 did"),
        MessageDraft(MessageRole.USER, "crossed"),
    )
    turn = a_source(agent, kind=SourceKind.TURN, messages=said)
    draft = claim(sources=(related(turn, Relation.SUPPORTS, "🦓 crossed"),))
    (row,) = consolidate(agent, draft).records
    citation = Citation.objects.get(record_id=row.id)
    assert (citation.ordinal, citation.byte_start, citation.byte_end, citation.quote) == (
        1,
        4,
        16,
        "🦓 crossed",
    )
    assert Record.objects.get(id=row.id).source_role == "assistant"


def test_a_source_without_a_quote_is_cited_whole_message_by_message(agent: Actor) -> None:
    said = tuple(MessageDraft(MessageRole.USER, text) for text in ("é", "two", "three"))
    turn = a_source(agent, kind=SourceKind.TURN, messages=said)
    (row,) = consolidate(agent, claim(turn)).records
    cited = Citation.objects.filter(record_id=row.id).order_by("ordinal")
    assert [(c.ordinal, c.byte_start, c.byte_end, c.quote) for c in cited] == [
        (0, 0, 2, "é"),
        (1, 0, 3, "two"),
        (2, 0, 5, "three"),
    ]
    assert row.source_ids == (turn.id,)


def test_sources_stand_in_the_order_in_which_a_claim_names_them(agent: Actor) -> None:
    """So the first supporting citation is the one whose role the record has."""
    sources = [a_source(agent) for _ in range(9)]
    (row,) = consolidate(agent, claim(*sources)).records
    assert row.source_ids == tuple(source.id for source in sources)


@pytest.mark.parametrize("quote", ["Crossed", "crossed ", "e\u0301", "nowhere"])
def test_a_quote_that_is_not_in_the_source_is_refused(agent: Actor, quote: str) -> None:
    source = a_source(agent, "It crossed, \u00e9.")
    good = claim(a_source(agent))
    draft = replace(good, sources=(*good.sources, related(source, Relation.QUALIFIES, quote)))
    with refused(agent, FieldInvalid, "record.consolidate") as raised:
        consolidate(agent, good, draft)
    assert raised.value.field == "claims[1].sources[1].quote"


def test_a_claim_with_a_contradicting_source_is_disputed(agent: Actor) -> None:
    pro, contra, maybe = (a_source(agent) for _ in range(3))
    sources = (
        related(contra, Relation.CONTRADICTS),
        *supports(pro),
        related(maybe, Relation.QUALIFIES),
    )
    disputed, plain = consolidate(
        agent, claim(sources=sources), claim(sources=(*supports(pro), sources[2]))
    ).records
    assert (disputed.standing.is_disputed, plain.standing.is_disputed) == (True, False)
    assert Record.objects.get(id=disputed.id).is_disputed
    assert set(disputed.source_ids) == {pro.id, contra.id, maybe.id}
    relations = Citation.objects.filter(record_id=disputed.id).values_list("relation", flat=True)
    assert sorted(relations) == ["contradicts", "qualifies", "supports"]


def test_the_role_is_that_of_the_first_supporting_source(agent: Actor) -> None:
    tool, user = a_source(agent, kind=SourceKind.TOOL_RESULT), a_source(agent)
    draft = claim(sources=(related(user, Relation.CONTRADICTS), *supports(tool, user)))
    (row,) = consolidate(agent, draft).records
    assert Record.objects.get(id=row.id).source_role == "tool"


@pytest.mark.parametrize("person", ["somebody else", None])
@pytest.mark.parametrize("relation", Relation)
def test_evidence_about_another_or_about_nobody_is_refused(
    agent: Actor, person: str | None, relation: Relation
) -> None:
    source = a_source(agent, data_subject=person)
    sources = (*supports(a_source(agent)), related(source, relation))
    with refused(agent, FieldInvalid, "record.consolidate") as raised:
        consolidate(agent, claim(sources=sources))
    assert raised.value.field == "claims[0].sources[1].observation_id"


def test_what_was_recalled_never_supports(agent: Actor) -> None:
    good, recalled = a_source(agent), a_source(agent, recalled_from=a_run(agent).run_id)
    with refused(agent, FieldInvalid, "record.consolidate") as raised:
        consolidate(agent, claim(good, recalled))
    assert raised.value.field == "claims[0].sources[1].observation_id"


def test_what_was_recalled_may_contradict(agent: Actor) -> None:
    recalled = a_source(agent, recalled_from=a_run(agent).run_id)
    sources = (*supports(a_source(agent)), related(recalled, Relation.CONTRADICTS))
    assert consolidate(agent, claim(sources=sources)).records[0].standing.is_disputed


def test_a_curated_source_may_support_whatever_its_type_is_called(agent: Actor) -> None:
    record = a_record(agent, data_subject=PERSON, origin=Origin("recalled"))
    draft = claim(sources=(ClaimSource(record.source_id, Relation.SUPPORTS),))
    (row,) = consolidate(agent, draft).records
    assert row.source_ids == (record.source_id,)


@pytest.mark.parametrize("persona", ["outsider", "nobody's"])
def test_a_source_that_an_actor_cannot_see_is_not_found(
    agent: Actor, outsider: Actor, persona: str
) -> None:
    good = a_source(agent)
    other = a_source(outsider) if persona == "outsider" else replace(good, id=uuid4())
    with refused(agent, NotFound, "record.consolidate"):
        consolidate(agent, claim(good), claim(good, other), key=a_key())


# --- Trust and time ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("supporting", "contradicting", "cap", "asked", "trust"),
    [
        ([0, 2], 3, 3, None, 2),
        ([2], 0, 1, None, 1),
        ([3], 0, 2, 1, 1),
        ([1], 3, 3, 1, 1),
        ([0], 3, 3, None, 0),
    ],
)
def test_trust_is_that_of_the_best_supporting_source_below_the_cap(
    agent: Actor,
    supporting: list[int],
    contradicting: int,
    cap: int,
    asked: int | None,
    trust: int,
) -> None:
    trusted = replace(agent, max_trust=Trust.POLICY_APPROVED)
    pros = [a_source(trusted, trust=Trust(level)) for level in supporting]
    contra = a_source(trusted, trust=Trust(contradicting))
    draft = claim(
        sources=(*supports(*pros), related(contra, Relation.CONTRADICTS)),
        trust=None if asked is None else Trust(asked),
    )
    (row,) = consolidate(replace(agent, max_trust=Trust(cap)), draft).records
    assert row.trust == Record.objects.get(id=row.id).trust == trust


def test_trust_above_the_best_supporting_source_is_refused(agent: Actor) -> None:
    trusted = replace(agent, max_trust=Trust.POLICY_APPROVED)
    contra = a_source(trusted, trust=Trust.POLICY_APPROVED)
    draft = claim(
        sources=(*supports(a_source(trusted)), related(contra, Relation.CONTRADICTS)),
        trust=Trust.VERIFIED,
    )
    with refused(trusted, FieldInvalid, "record.consolidate") as raised:
        consolidate(trusted, draft)
    assert raised.value.field == "claims[0].trust"


def test_trust_above_the_cap_is_refused(agent: Actor) -> None:
    source = a_source(replace(agent, max_trust=Trust.VERIFIED), trust=Trust.VERIFIED)
    with refused(agent, Denied, "record.consolidate") as raised:
        consolidate(agent, claim(source, trust=Trust.VERIFIED), key=a_key())
    assert raised.value.reason == "trust_above_cap"


@pytest.mark.parametrize("days", [0, -1])
def test_validity_ends_after_it_begins(agent: Actor, days: int) -> None:
    start = datetime(2019, 1, 1, tzinfo=UTC)
    source = a_source(agent)
    for times in (
        {"valid_from": start, "valid_until": start + timedelta(days=days)},
        {"valid_until": start},
    ):
        actor = fresh(agent)
        with refused(actor, FieldInvalid, "record.consolidate") as raised:
            consolidate(actor, claim(source), claim(source, **times))
        assert raised.value.field == "claims[1].valid_to"


# --- Who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_consolidate(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    consolidate(actor, claim(a_source(agent)))
    assert audit_of(actor) == [Entry("record.consolidate", "allowed", "", 1)]


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_source(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    source = a_source(agent)
    for target in (source, replace(source, id=uuid4())):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "record.consolidate"):
            consolidate(actor, claim(target))


def test_consolidating_is_no_tool(agent: Actor) -> None:
    source, actor = a_source(agent), replace(agent, edge=Edge.MCP)
    with refused(actor, Denied, "record.consolidate"):
        consolidate(actor, claim(source))


# --- All or nothing ------------------------------------------------------------------------------


def test_a_taken_place_refuses_the_whole_batch(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    a_record(agent, subject="Burundi")
    source = a_source(agent)
    drafts = [
        claim(source),
        claim(source, subject="Burundi", predicate="has_capital", object="Gitega"),
    ]
    with refused(agent, RecordConflict, "record.consolidate"):
        consolidate(agent, *drafts, key=a_key())
    assert_invariants()


def test_a_failure_leaves_nothing(agent: Actor) -> None:
    drafts = [claim(a_source(agent)), claim(a_source(agent), statement="")]

    def fail() -> None:
        with pytest.raises(IntegrityError):
            consolidate(agent, *drafts, key=a_key())

    assert changed_tables(fail) == {}
    assert consolidate(fresh(agent), drafts[0]).canonical_replays == 0
    assert_invariants()


# --- Once ----------------------------------------------------------------------------------------


def test_an_identical_claim_answers_its_record(agent: Actor) -> None:
    draft = claim(a_source(agent))
    first = consolidate(fresh(agent), draft)
    assert changed_tables(lambda: consolidate(agent, draft)) == {}
    again = consolidate(fresh(agent), draft)
    assert again == replace(first, canonical_replays=1)
    assert audit_of(agent) == [Entry("record.consolidate", "allowed", "", 0)]
    assert_invariants()


def test_an_identical_claim_answers_its_record_in_whatever_state(agent: Actor) -> None:
    draft, other = claim(a_source(agent)), claim(a_source(agent))
    corrected, retracted = consolidate(fresh(agent), draft, other).records
    change = Correction(
        record_id=corrected.id,
        expected_version=corrected.version,
        object="x",
        statement=f"Not the {MARKER}.",
    )
    correct_records(actor=fresh(agent), corrections=[change])
    retract(agent, retracted)

    again = consolidate(agent, draft, other)

    assert [(row.id, row.standing.status) for row in again.records] == [
        (corrected.id, RecordStatus.SUPERSEDED),
        (retracted.id, RecordStatus.RETRACTED),
    ]
    assert again.canonical_replays == 2
    assert Record.objects.filter(status="current").count() == 1
    assert_invariants()


def test_an_identical_claim_twice_in_a_call_is_one_record(agent: Actor) -> None:
    draft, other = claim(a_source(agent)), claim(a_source(agent))
    receipt = consolidate(agent, draft, other, draft)
    assert receipt.records[0] == receipt.records[2] != receipt.records[1]
    assert receipt.canonical_replays == 1
    assert Record.objects.count() == 2
    assert audit_of(agent) == [Entry("record.consolidate", "allowed", "", 2)]


@pytest.mark.parametrize(
    "said",
    [
        {"statement": "another"},
        {"confidence": 0.7},
        {"kind": RecordKind.DECISION},
        {"valid_from": datetime(2019, 1, 1, tzinfo=UTC)},
        {"observer_name": "another"},
        {"trust": Trust.ASSERTED},
        {"object": "another", "predicate": "is"},
    ],
    ids=["statement", "confidence", "kind", "time", "observer", "trust", "object"],
)
def test_any_difference_makes_another_record(agent: Actor, said: dict[str, Any]) -> None:
    draft = claim(a_source(agent))
    (first,) = consolidate(fresh(agent), draft).records
    (second,) = consolidate(agent, replace(draft, **said)).records
    assert first.id != second.id


def test_a_new_observation_makes_a_new_record(agent: Actor) -> None:
    draft = claim(a_source(agent))
    (first,) = consolidate(fresh(agent), draft).records
    (second,) = consolidate(fresh(agent), replace(draft, sources=supports(a_source(agent)))).records
    assert first.id != second.id
    assert set(first.source_ids).isdisjoint(second.source_ids)


def test_another_actor_s_claim_is_another_record(agent: Actor, reviewer: Actor) -> None:
    draft = claim(a_source(agent))
    assert consolidate(agent, draft).records[0].id != consolidate(reviewer, draft).records[0].id


def test_a_repeated_key_answers_the_first_receipt(agent: Actor) -> None:
    key, known = a_key(), claim(a_source(agent))
    consolidate(fresh(agent), known)
    drafts = [claim(a_source(agent)), known, claim(a_source(agent))]
    first = consolidate(fresh(agent), *drafts, key=key)
    assert changed_tables(lambda: consolidate(agent, *drafts, key=key)) == {}
    again = consolidate(fresh(agent), *drafts, key=key)
    assert again == replace(first, is_replay=True)
    assert first.canonical_replays == 1
    assert audit_of(agent) == [Entry("record.consolidate", "allowed", "", 0)]
    assert_invariants()


def test_a_key_of_another_call_is_a_conflict(agent: Actor) -> None:
    draft, other = claim(a_source(agent)), claim(a_source(agent))
    consolidate(fresh(agent), draft, key=a_key("quagga-1", call=1))
    with refused(agent, IdempotencyConflict, "record.consolidate"):
        consolidate(agent, other, key=a_key("quagga-1", call=2))


def test_an_erased_claim_does_not_come_back(agent: Actor) -> None:
    draft = claim(a_source(agent))
    (row,) = consolidate(fresh(agent), draft).records
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    for table in ("memory_citation", "memory_recordversion"):
        run(f"DELETE FROM {table} WHERE record_id = %s", row.id)  # noqa: S608 - ours
    run("DELETE FROM memory_record WHERE id = %s", row.id)
    run("UPDATE memory_idempotencykey SET receipt = NULL")
    with refused(agent, IdempotencyConflict, "record.consolidate"):
        consolidate(agent, draft)


# --- Afterwards ----------------------------------------------------------------------------------


def test_a_correction_keeps_whom_and_what_a_claim_is_about(agent: Actor) -> None:
    trusted = replace(agent, max_trust=Trust.VERIFIED)
    source = a_source(trusted, trust=Trust.VERIFIED)
    contra = a_source(agent)
    row = a_claim(
        trusted,
        sources=(*supports(source), related(contra, Relation.CONTRADICTS)),
        kind=RecordKind.DECISION,
        confidence=0.4,
        subject="herd 7",
        predicate="crossed",
        object="river",
    )
    change = Correction(
        record_id=row.id, expected_version=row.version, object="lake", statement="It was a lake."
    )
    (new,) = correct_records(actor=fresh(agent), corrections=[change]).records
    old, successor = Record.objects.get(id=row.id), Record.objects.get(id=new.id)
    for kept in ("subject", "predicate", "kind", "data_subject_id", "confidence"):
        assert getattr(successor, kept) == getattr(old, kept)
    assert (old.trust, successor.trust) == (Trust.VERIFIED, Trust.ASSERTED)  # the corrector's cap
    assert (old.is_disputed, successor.is_disputed) == (True, False)  # rests on what was said now
    assert Citation.objects.filter(record_id=old.id).count() == 2
    assert Citation.objects.get(record_id=new.id).source_id == new.source_id
    assert_invariants()


def test_a_call_of_fifty_claims_sends_as_many_statements_as_one_of_one(agent: Actor) -> None:
    counts = {}
    for number in (1, CLAIMS_PER_CALL):
        sources = [a_source(agent) for _ in range(3)]
        drafts = [claim(*sources) for _ in range(number)]
        with watched() as statements:
            consolidate(fresh(agent), *drafts, key=a_key())
        counts[number] = len(statements)
    assert counts[1] == counts[CLAIMS_PER_CALL] <= 12
