"""assert_records: new beliefs, each on a source of its own; all or nothing, and never twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError

from memory.errors import (
    Denied,
    FieldInvalid,
    RecordConflict,
)
from memory.models import Citation, Message, Record, RecordVersion, Source, Subject
from memory.operations.assert_records import RecordDraft, assert_records
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge, RecordKind, Trust
from tests.factories import RecordDraftFactory, a_record, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

DATASET = Origin("dataset", "countryinfo 1.0.1 BI", "countryinfo-1.0.1:BI:has_capital")


def draft(**said: Any) -> RecordDraft:
    made: RecordDraft = RecordDraftFactory.create(**said)
    return made


def test_an_assertion_writes_source_message_record_version_and_citation(agent: Actor) -> None:
    said = draft(data_subject="a person of the quagga", confidence=0.5, kind=RecordKind.PREFERENCE)
    receipt = assert_records(actor=agent, drafts=[said])
    (row,) = receipt.records
    assert (row.is_replay, row.status, receipt.is_replay) == (False, "current", False)
    record = Record.objects.get(id=row.id)
    assert (record.subject, record.predicate, record.object, record.statement) == (
        said.subject,
        said.predicate,
        said.object,
        said.statement,
    )
    assert (record.kind, record.confidence, record.trust) == ("preference", 0.5, Trust.ASSERTED)
    assert (record.version, record.version_number, record.source_role) == (row.version, 1, "user")
    assert Subject.objects.get().name == said.data_subject
    source = Source.objects.get(id=row.source_id)
    assert (source.kind, source.origin_type, source.data_subject_id) == (
        "curated",
        "api",
        record.data_subject_id,
    )
    message = Message.objects.get(source_id=row.source_id)
    assert (message.ordinal, message.role, message.content) == (0, "user", said.statement)
    citation = Citation.objects.get(record_id=row.id)
    assert (citation.source_id, citation.relation, citation.quote) == (
        row.source_id,
        "supports",
        said.statement,
    )
    assert (citation.byte_start, citation.byte_end) == (0, len(said.statement.encode()))
    version = RecordVersion.objects.get(record_id=row.id)
    assert (version.id, version.number, version.change, version.status, version.source_id) == (
        row.version,
        1,
        "record.assert",
        "current",
        row.source_id,
    )
    for written in (record, source, version):
        assert (written.recorded_by_kind, written.recorded_by_id, written.recorded_via) == (
            "credential",
            agent.id,
            "api",
        )
        assert written.request_id == agent.request_id
    assert_invariants()


def test_an_assertion_is_audited_once_with_the_number_of_new_records(agent: Actor) -> None:
    first = draft()
    a_record(agent, **{name: getattr(first, name) for name in ("subject", "predicate", "object")})
    assert_records(actor=agent, drafts=[first, draft(), draft()])
    assert audit_of(agent) == [Entry("record.assert", "allowed", "", 3)]


def test_times_default_to_now_and_open(agent: Actor) -> None:
    record = Record.objects.get(id=a_record(agent).id)
    assert record.valid_from == record.known_from == record.recorded_at
    assert record.valid_until is record.known_until is None


def test_given_times_are_kept(agent: Actor) -> None:
    start = datetime(2019, 1, 1, tzinfo=UTC)
    said = draft(valid_from=start, valid_until=start + timedelta(days=1))
    (row,) = assert_records(actor=agent, drafts=[said]).records
    record = Record.objects.get(id=row.id)
    assert (record.valid_from, record.valid_until) == (said.valid_from, said.valid_until)


@pytest.mark.parametrize("days", [0, -1])
def test_validity_ends_after_it_begins(agent: Actor, days: int) -> None:
    start = datetime(2019, 1, 1, tzinfo=UTC)
    drafts = [draft(), draft(valid_from=start, valid_until=start + timedelta(days=days))]
    with refused(agent, FieldInvalid, "record.assert") as raised:
        assert_records(actor=agent, drafts=drafts)
    assert raised.value.field == "records[1].valid_until"
    assert audit_of(agent)[0].code == "invalid_record_mutation"


def test_validity_that_begins_now_does_not_end_in_the_past(agent: Actor) -> None:
    with refused(agent, FieldInvalid, "record.assert"):
        assert_records(actor=agent, drafts=[draft(valid_until=datetime(2019, 1, 1, tzinfo=UTC))])


@pytest.mark.parametrize(
    ("cap", "trust"),
    [
        (Trust.UNTRUSTED, Trust.UNTRUSTED),
        (Trust.ASSERTED, Trust.ASSERTED),
        (Trust.POLICY_APPROVED, Trust.ASSERTED),
    ],
)
def test_trust_is_asserted_or_the_cap_if_lower(agent: Actor, cap: Trust, trust: Trust) -> None:
    record = Record.objects.get(id=a_record(replace(agent, max_trust=cap)).id)
    assert record.trust == trust


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_assert(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert_records(actor=actor, drafts=[draft()])
    assert audit_of(actor) == [Entry("record.assert", "allowed", "", 1)]


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "record.assert"):
        assert_records(actor=actor, drafts=[draft()])


def test_asserting_is_no_tool(agent: Actor) -> None:
    actor = replace(agent, edge=Edge.MCP)
    with refused(actor, Denied, "record.assert"):
        assert_records(actor=actor, drafts=[draft()])


def test_an_outsider_asserts_in_their_own_project_alone(outsider: Actor, operator: Actor) -> None:
    record = Record.objects.get(id=a_record(outsider).id)
    assert record.project_id == outsider.project_id != operator.project_id


def test_twenty_records_are_written_at_once(agent: Actor) -> None:
    changes = changed_tables(
        lambda: assert_records(actor=agent, drafts=[draft() for _ in range(20)])
    )
    assert changes == {
        "memory_source": (0, 20),
        "memory_message": (0, 20),
        "memory_record": (0, 20),
        "memory_recordversion": (0, 20),
        "memory_citation": (0, 20),
        "memory_idempotencykey": (0, 20),
    }
    offsets = Source.objects.filter(project_id=agent.project_id).values_list(
        "log_offset", flat=True
    )
    assert sorted(offsets) == list(range(20))


# --- Single-valued predicates --------------------------------------------------------------------


def test_a_single_valued_place_is_taken_once(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    first = draft()
    assert_records(actor=fresh(agent), drafts=[first])
    with refused(agent, RecordConflict, "record.assert"):
        assert_records(actor=agent, drafts=[draft(), draft(subject=first.subject)])
    assert_invariants()


def test_a_single_valued_place_is_free_again_after_a_retraction(
    agent: Actor, operator: Actor
) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    first = a_record(agent, subject="Burundi")
    _retract(agent, first.id, first.version)
    assert a_record(agent, subject="Burundi").status == "current"


def test_a_many_valued_place_is_never_taken(agent: Actor) -> None:
    rows = [a_record(agent, subject="Burundi") for _ in range(2)]
    assert [row.status for row in rows] == ["current", "current"]


@pytest.mark.parametrize("size", [1_024, 1_025])
@pytest.mark.parametrize(
    "character", ["a", "é", "€", "🦓", "e\u0301"], ids=["1", "2", "3", "4", "combining"]
)
def test_objects_are_measured_in_bytes_by_the_database_too(
    agent: Actor, character: str, size: int
) -> None:
    width = len(character.encode())
    text = character * (size // width) + "a" * (size % width)
    assert len(text.encode()) == size
    if size > 1_024:
        with pytest.raises(IntegrityError):
            assert_records(actor=agent, drafts=[draft(object=text, statement="fits")])
        return
    row = a_record(agent, object=text, statement="fits")
    assert Record.objects.get(id=row.id).object == text


def _retract(actor: Actor, record_id: Any, version: Any) -> Any:
    receipt = retract_records(
        actor=fresh(actor),
        retractions=[RetractionDraft(record_id=record_id, expected_version=version)],
    )
    return receipt.records[0].version
