"""Sources as evidence: what may be cited, and what a record in any state rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from memory.errors import Denied, NotFound
from memory.models import Source
from memory.operations.append_source import MessageDraft
from memory.operations.consolidate_records import ClaimSource
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.queries.claims import find_claims
from memory.queries.evidence import (
    CitableMessage,
    CitableSource,
    EvidenceRow,
    SourceOrigin,
    get_citable_sources,
    get_evidence,
)
from memory.transactions import project_scope
from memory.vocabulary import MessageRole, RecordStatus, Relation, SourceKind, Trust
from tests.factories import (
    PERSON,
    a_claim,
    a_record,
    a_run,
    a_source,
    fresh,
    supports,
)
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


# --- What a record rests on ----------------------------------------------------------------------


def test_evidence_is_each_cited_source_with_its_words(agent: Actor) -> None:
    origin = Origin("chat", "room 1", "message-1")
    one = a_source(agent, "It crossed, then it slept.", origin=origin)
    claim = a_claim(agent, sources=(ClaimSource(one.id, Relation.SUPPORTS, "it slept"),))
    evidence = get_evidence(actor=agent, record_id=claim.id)
    source = Source.objects.get(id=one.id)
    assert evidence.rows == (
        EvidenceRow(
            source_id=one.id,
            relation=Relation.SUPPORTS,
            kind="user_statement",
            content="It crossed, then it slept.",
            quote="it slept",
            content_hash=one.content_hash,
            origin=SourceOrigin("chat", "room 1", "message-1"),
            trust=Trust.ASSERTED,
            occurred_at=None,
            recorded_at=source.recorded_at,
        ),
    )
    assert (evidence.record.id, evidence.record.version) == (claim.id, claim.version)
    assert evidence.record.data_subject == PERSON
    assert audit_of(agent) == [Entry("record.evidence", "allowed", "", 1)]


def test_evidence_is_told_apart_by_how_it_bears_on_the_record(agent: Actor) -> None:
    sources = [a_source(agent, text) for text in ("pro", "contra", "maybe", "also pro")]
    relations = [Relation.SUPPORTS, Relation.CONTRADICTS, Relation.QUALIFIES, Relation.SUPPORTS]
    cited = tuple(
        ClaimSource(source.id, relation)
        for source, relation in zip(sources, relations, strict=True)
    )
    evidence = get_evidence(actor=agent, record_id=a_claim(agent, sources=cited).id)
    assert [row.content for row in evidence.supporting] == ["pro", "also pro"]
    assert [row.content for row in evidence.contradicting] == ["contra"]
    assert [row.content for row in evidence.qualifying] == ["maybe"]


def test_each_cited_message_of_a_turn_is_a_row_with_its_own_content(agent: Actor) -> None:
    said = tuple(MessageDraft(MessageRole.USER, text) for text in ("one", "two"))
    turn = a_source(agent, kind=SourceKind.TURN, messages=said)
    rows = get_evidence(actor=agent, record_id=a_claim(agent, turn).id).rows
    assert [(row.source_id, row.content, row.quote) for row in rows] == [
        (turn.id, "one", "one"),
        (turn.id, "two", "two"),
    ]


def test_an_asserted_record_rests_on_its_curated_source(agent: Actor) -> None:
    record = a_record(agent)
    (row,) = get_evidence(actor=agent, record_id=record.id).rows
    assert (row.source_id, row.kind, row.content) == (record.source_id, "curated", row.quote)


def test_evidence_stays_readable_when_the_record_is_closed(agent: Actor) -> None:
    claim = a_claim(agent)
    before = get_evidence(actor=fresh(agent), record_id=claim.id)
    draft = RetractionDraft(record_id=claim.id, expected_version=claim.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    after = get_evidence(actor=fresh(agent), record_id=claim.id)
    assert (after.record.status, after.rows) == (RecordStatus.RETRACTED, before.rows)


def test_ten_sources_send_as_many_statements_as_one_and_change_nothing(agent: Actor) -> None:
    counts = []
    for number in (1, 10):
        claim = a_claim(agent, *(a_source(agent) for _ in range(number)))
        with watched() as statements:
            evidence = get_evidence(actor=fresh(agent), record_id=claim.id)
        assert evidence.magnitude == len(evidence.rows) == number
        counts.append(len(statements))
    assert counts[0] == counts[1] <= 5
    assert changed_tables(lambda: get_evidence(actor=fresh(agent), record_id=claim.id)) == {}


@pytest.mark.parametrize("persona", ["reader", "reviewer", "owner", "operator", "agent_ro"])
def test_who_reads_may(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    record = a_record(agent)
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert get_evidence(actor=actor, record_id=record.id).magnitude == 1


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused_for_any_record(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    for record_id in (a_record(agent).id, uuid4()):
        actor: Actor = fresh(request.getfixturevalue(persona))
        with refused(actor, Denied, "record.evidence"):
            get_evidence(actor=actor, record_id=record_id)


@pytest.mark.parametrize("persona", ["outsider", "agent"])
def test_what_an_actor_cannot_see_is_not_found(
    agent: Actor, persona: str, request: pytest.FixtureRequest
) -> None:
    record_id = a_claim(agent).id if persona == "outsider" else a_source(agent).id
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, NotFound, "record.evidence"):
        get_evidence(actor=actor, record_id=record_id)


# --- What may be cited ---------------------------------------------------------------------------


def test_sources_come_with_their_messages_in_order(agent: Actor) -> None:
    said = tuple(MessageDraft(role, role.value) for role in MessageRole)
    turn = a_source(agent, kind=SourceKind.TURN, messages=said, trust=Trust.UNTRUSTED)
    recalled = a_source(agent, "again", recalled_from=a_run(agent).run_id, data_subject=None)
    curated = a_record(agent, origin=Origin("recalled"), statement="said").source_id
    with project_scope(agent.project_id) as scope:
        person = scope.digests.subject_id(PERSON)
        with watched() as statements:
            found = get_citable_sources(agent, {turn.id, recalled.id, curated})
    assert len(statements) == 2
    messages = tuple(
        CitableMessage(place, role.value, role.value) for place, role in enumerate(MessageRole)
    )
    again, mine = (CitableMessage(0, "user", text) for text in ("again", "said"))
    assert found == {
        turn.id: CitableSource(turn.id, Trust.UNTRUSTED, person, False, messages),  # noqa: FBT003
        recalled.id: CitableSource(recalled.id, Trust.ASSERTED, None, True, (again,)),  # noqa: FBT003
        curated: CitableSource(curated, Trust.ASSERTED, None, False, (mine,)),  # noqa: FBT003
    }


def test_one_source_that_is_not_visible_is_not_found_with_all(
    agent: Actor, outsider: Actor
) -> None:
    mine, theirs = a_source(agent), a_source(outsider)
    for other in (theirs.id, uuid4()):
        with project_scope(agent.project_id), pytest.raises(NotFound):
            get_citable_sources(agent, {mine.id, other})


# --- Records as claims ---------------------------------------------------------------------------


def test_claims_are_found_by_id_within_the_project_in_one_statement(
    agent: Actor, outsider: Actor
) -> None:
    claims = [a_claim(agent, *(a_source(agent) for _ in range(number))) for number in (1, 3)]
    other = a_claim(outsider)
    wanted = [claim.id for claim in claims]
    with project_scope(agent.project_id), watched() as statements:
        found = find_claims(agent, [*wanted, other.id, uuid4()])
    assert len(statements) == 1
    assert found == dict(zip(wanted, claims, strict=True))


def test_a_source_that_is_cited_twice_is_named_once(agent: Actor) -> None:
    said = tuple(MessageDraft(MessageRole.USER, text) for text in ("one", "two"))
    turn, other = a_source(agent, kind=SourceKind.TURN, messages=said), a_source(agent)
    assert a_claim(agent, sources=supports(turn, other)).source_ids == (turn.id, other.id)
