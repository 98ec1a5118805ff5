"""compile_context: what is known for a task, ranked, as much as fits, and kept as a run."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.models import ContextItem, ContextRun
from feedback.operations.compile_context import CompiledContext, ContextRequest, compile_context
from feedback.operations.promote_report import promote_report
from feedback.packing import tokens_of
from feedback.ranking import POLICY
from memory.errors import Denied
from memory.models import Record, Subject
from memory.operations.consolidate_records import ClaimSource
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge, Relation, Trust
from tests.factories import (
    MARKER,
    PERSON,
    a_claim,
    a_record,
    a_report,
    a_run,
    a_source,
    an_outcome,
    fresh,
    supports,
    weigh,
)
from tests.factories.bulk import bulk_records
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, content, refused
from tests.statements import watched

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def request_for(task: str, **said: Any) -> ContextRequest:
    return ContextRequest(**{"task": task, "max_tokens": 32_000, "max_candidates": 200, **said})


def compile_(actor: Actor, task: str, **said: Any) -> CompiledContext:
    return compile_context(actor=actor, request=request_for(task, **said), weigh=weigh)


def statements_of(run: CompiledContext) -> list[str]:
    return [item.statement for item in run.items]


def pack_of(run: CompiledContext) -> list[Any]:
    """What was delivered: records with versions, components and scores, by rank."""
    return [(asdict(item.record), asdict(item.components), item.score) for item in run.items]


def verified_claim(agent: Actor, statement: str, **said: Any) -> UUID:
    """A claim from a verified source, confidence 0.9."""
    trusted = replace(agent, max_trust=Trust.VERIFIED)
    source = a_source(trusted, trust=Trust.VERIFIED)
    return a_claim(trusted, source, statement=statement, **{"confidence": 0.9, **said}).id


# --- The pack and the run ------------------------------------------------------------------------


def test_the_seed_s_claim_before_and_after_three_useful_outcomes(agent: Actor) -> None:
    record_id = verified_claim(agent, "The smoke run returned 200.")
    before = a_run(agent, "smoke run returned 200", data_subject=PERSON)
    (item,) = before.items
    assert (item.record.id, item.score) == (record_id, 0.795)
    assert asdict(item.components) == {
        "relevance": 1.0,
        "trust": 0.666667,
        "recency": 1.0,
        "utility": 0.5,
        "conflict": 1.0,
        "confidence": 0.9,
    }
    for _ in range(3):
        an_outcome(agent, before, record_id)
    (item,) = a_run(agent, "smoke run returned 200", data_subject=PERSON).items
    assert (item.components.utility, item.score) == (1.0, 0.84)


def test_a_run_is_kept_with_its_items_and_without_its_task(agent: Actor) -> None:
    a_claim(agent, statement=f"The {MARKER} ran.", confidence=0.5)
    a_source(agent)
    a_record(agent, statement=f"A {MARKER} sleeps by the lake.", data_subject=PERSON)
    at = datetime(2998, 1, 1, tzinfo=UTC)
    run = compile_(agent, f"Did the {MARKER} run?", data_subject=PERSON, at=at, max_tokens=900)
    row = ContextRun.objects.get(id=run.run_id)
    assert len(bytes(row.task_digest)) == len(bytes(row.lexemes_digest)) == 32
    assert (row.data_subject_id, row.is_shared_included, row.as_of) == (
        Subject.objects.get(name=PERSON).id,
        False,
        at,
    )
    assert (row.policy, row.max_tokens, row.used_tokens) == (POLICY, 900, run.used_tokens)
    assert run.used_tokens == sum(tokens_of(len(item.statement)) for item in run.items) > 0
    assert (row.selected_items, row.omitted_items, row.deduplicated_items) == (2, 0, 0)
    assert (row.unconsolidated_observations, row.is_budget_exhausted) == (1, False)
    assert run.unconsolidated_observations == 1
    assert (row.recorded_by_kind, row.recorded_by_id, row.recorded_via, row.request_id) == (
        "credential",
        agent.id,
        "api",
        agent.request_id,
    )
    items = ContextItem.objects.filter(run_id=run.run_id).order_by("rank")
    assert [
        (item.rank, item.record_id, item.record_version, item.score, item.recorded_at)
        for item in items
    ] == [
        (rank, item.record.id, item.record.version, item.score, row.recorded_at)
        for rank, item in enumerate(run.items, 1)
    ]
    for stored, delivered in zip(items, run.items, strict=True):
        for name, value in asdict(delivered.components).items():
            assert getattr(stored, name) == value
    assert f"{MARKER}" not in str(ContextRun.objects.values().get(id=run.run_id))
    assert_invariants()


def test_a_compile_writes_its_run_and_items_and_nothing_else(agent: Actor) -> None:
    for _ in range(3):
        a_record(agent, statement=f"{MARKER} {uuid4()}", data_subject=PERSON)
    changes = changed_tables(lambda: compile_(agent, MARKER, data_subject=PERSON))
    assert changes == {"feedback_contextrun": (0, 1), "feedback_contextitem": (0, 3)}


def test_a_compile_is_audited_once_with_its_number_of_items(agent: Actor) -> None:
    for _ in range(2):
        a_record(agent)
    compile_(agent, MARKER)
    assert audit_of(agent) == [Entry("context.compile", "allowed", "", 2)]


def test_the_same_task_again_is_another_run_with_the_same_pack(agent: Actor) -> None:
    for _ in range(5):
        a_record(agent)
    first, second = a_run(agent), a_run(agent)
    assert first.run_id != second.run_id
    assert pack_of(first) == pack_of(second)
    digests = ContextRun.objects.values_list("task_digest", "lexemes_digest")
    assert len({tuple(map(bytes, row)) for row in digests}) == 1


def test_tasks_of_the_same_words_share_one_digest_of_them(agent: Actor, outsider: Actor) -> None:
    def digests(actor: Actor, task: str) -> tuple[bytes, bytes]:
        row = ContextRun.objects.get(id=a_run(actor, task).run_id)
        return bytes(row.task_digest), bytes(row.lexemes_digest)

    first, other_order = digests(agent, "zebra river"), digests(agent, "The rivers, zebra!")
    more, elsewhere = digests(agent, "zebra river lake"), digests(outsider, "zebra river")
    assert first[0] != other_order[0]
    assert first[1] == other_order[1]
    assert len({first[1], more[1], elsewhere[1]}) == len({first[0], more[0], elsewhere[0]}) == 3


@pytest.mark.parametrize("task", ["it is the", "?!", "unicorn"])
def test_a_task_that_finds_nothing_is_an_empty_pack(agent: Actor, task: str) -> None:
    a_record(agent)
    run = compile_(agent, task)
    assert (run.items, run.used_tokens, run.candidates) == ((), 0, 0)
    assert run.lexemes_used == (1 if task == "unicorn" else 0)
    assert ContextRun.objects.get(id=run.run_id).selected_items == 0
    assert audit_of(agent) == [Entry("context.compile", "allowed", "", 0)]


def test_words_are_counted(agent: Actor) -> None:
    run = compile_(agent, " ".join(f"word{number}" for number in range(20)))
    assert (run.lexemes_used, run.lexemes_dropped) == (16, 4)


def test_a_person_of_whom_nothing_is_known_gets_an_empty_pack_of_their_own(agent: Actor) -> None:
    a_record(agent)
    run = compile_(agent, MARKER, data_subject=f"{MARKER} stranger")
    assert run.items == ()
    person = Subject.objects.get(name=f"{MARKER} stranger")
    assert ContextRun.objects.get(id=run.run_id).data_subject_id == person.id


# --- Ranking -------------------------------------------------------------------------------------


def test_items_stand_by_score_and_not_by_relevance_alone(agent: Actor) -> None:
    close = verified_claim(agent, "zebra river", confidence=0.5)
    far = verified_claim(agent, "zebra lake", confidence=1.0)
    run = a_run(agent, "zebra river", data_subject=PERSON)
    assert [item.record.id for item in run.items] == [far, close]
    assert run.items[0].components.relevance < run.items[1].components.relevance == 1.0
    assert run.items[0].score > run.items[1].score


def test_equal_scores_stand_by_supporting_citations_and_then_by_id(agent: Actor) -> None:
    one, two = a_source(agent), a_source(agent)
    names = ("aa", "bb", "cc", "dd", "ee")
    single = [a_claim(agent, one, statement=f"zebra {name}").id for name in names]
    double = a_claim(agent, one, two, statement="zebra ff").id
    qualified = a_claim(
        agent,
        statement="zebra gg",
        sources=(*supports(one), ClaimSource(two.id, Relation.QUALIFIES)),
    ).id
    run = a_run(agent, "zebra", data_subject=PERSON)
    assert len({item.score for item in run.items}) == 1
    assert [item.record.id for item in run.items] == [double, *sorted([*single, qualified])]


def test_of_equal_scores_the_more_relevant_comes_first_whatever_it_cites(agent: Actor) -> None:
    """So little confidence leaves a score of one millionth for any relevance."""
    one, two = a_source(agent), a_source(agent)
    far = a_claim(agent, one, two, statement="zebra lake", confidence=0.000001).id
    close = a_claim(agent, one, statement="zebra", confidence=0.000001).id
    run = a_run(agent, "zebra", data_subject=PERSON)
    assert [(item.record.id, item.score) for item in run.items] == [
        (close, 0.000001),
        (far, 0.000001),
    ]


def test_a_disputed_record_says_so_and_falls_behind(agent: Actor) -> None:
    pro, contra = a_source(agent), a_source(agent)
    disputed = a_claim(
        agent,
        statement="zebra aa",
        sources=(*supports(pro), ClaimSource(contra.id, Relation.CONTRADICTS)),
    )
    plain = a_claim(agent, pro, statement="zebra bb")
    run = a_run(agent, "zebra", data_subject=PERSON)
    assert [item.record.id for item in run.items] == [plain.id, disputed.id]
    assert [item.components.conflict for item in run.items] == [1.0, 0.0]
    assert run.items[0].score - run.items[1].score == pytest.approx(0.1 * 0.8)
    (conflict,) = run.conflicts
    assert (conflict.record.id, conflict.contradicting_ids) == (disputed.id, [contra.id])
    assert conflict.evidence_ids == [pro.id, contra.id]


def test_the_time_decides_recency_and_what_holds(agent: Actor) -> None:
    until = datetime.now(UTC) + timedelta(days=200)
    a_record(agent, statement="zebra short", valid_until=until)
    a_record(agent, statement="zebra long")
    now = datetime.now(UTC)

    def recencies(days: int) -> list[float]:
        # half a day, so that the clock of this machine and of the database may differ a little
        run = a_run(agent, "zebra", at=now + timedelta(days=days, hours=12))
        return [item.components.recency for item in run.items]

    assert recencies(0) == [1.0, 1.0]
    assert recencies(90) == [0.5, 0.5]
    assert recencies(180) == [0.25, 0.25]
    assert recencies(270) == [0.125]
    assert recencies(-1) == []


def test_todays_outcomes_count_for_any_time(agent: Actor) -> None:
    record = a_record(agent, statement="zebra")
    run = a_run(agent, "zebra")
    for _ in range(3):
        an_outcome(agent, run, record.id)
    later = a_run(agent, "zebra", at=datetime.now(UTC) + timedelta(days=365))
    assert later.items[0].components.utility == 1.0


# --- Packing -------------------------------------------------------------------------------------


def test_candidates_are_cut_by_relevance_before_they_are_ranked(agent: Actor) -> None:
    verified_claim(agent, "zebra river lake", confidence=1.0)
    close = verified_claim(agent, "zebra river", confidence=0.1)
    run = a_run(agent, "zebra river", data_subject=PERSON, max_candidates=1)
    assert ([item.record.id for item in run.items], run.candidates) == ([close], 1)


def test_equal_statements_are_packed_once(agent: Actor) -> None:
    worse = a_record(agent, statement="zebra", confidence=0.5)
    better = a_record(agent, statement="zebra", confidence=0.6)
    run = a_run(agent, "zebra")
    assert [item.record.id for item in run.items] == [better.id]
    assert (run.candidates, run.deduplicated_items, run.omitted_items) == (2, 1, 0)
    assert not ContextItem.objects.filter(record_id=worse.id).exists()


def test_what_is_not_among_the_first_is_omitted(agent: Actor) -> None:
    for confidence in (0.2, 0.4, 0.6, 0.8):
        a_record(agent, statement=f"zebra {confidence}", confidence=confidence)
    run = a_run(agent, "zebra", top_k=3)
    assert statements_of(run) == ["zebra 0.8", "zebra 0.6", "zebra 0.4"]
    assert (run.omitted_items, run.is_budget_exhausted) == (1, False)


def test_an_item_that_does_not_fit_is_skipped_whole(agent: Actor) -> None:
    a_record(agent, statement="zebra one", confidence=1)
    a_record(agent, statement="zebra " + "lake " * 200, confidence=0.9)
    a_record(agent, statement="zebra two", confidence=0.1)
    run = a_run(agent, "zebra", max_tokens=6)
    assert statements_of(run) == ["zebra one", "zebra two"]
    assert (run.used_tokens, run.omitted_items, run.is_budget_exhausted) == (6, 1, True)
    row = ContextRun.objects.get(id=run.run_id)
    assert (row.used_tokens, row.omitted_items, row.is_budget_exhausted) == (6, 1, True)
    ranks = ContextItem.objects.filter(run_id=run.run_id).values_list("rank", flat=True)
    assert sorted(ranks) == [1, 2]


# --- Whose, and what is not there any more -------------------------------------------------------


def test_nobody_s_records_come_with_a_person_only_when_shared_ones_are_asked_for(
    agent: Actor,
) -> None:
    a_record(agent, statement="zebra of nobody")
    a_record(agent, statement="zebra of ann", data_subject="ann")
    a_record(agent, statement="zebra of bob", data_subject="bob")
    assert statements_of(a_run(agent, "zebra")) == ["zebra of nobody"]
    assert statements_of(a_run(agent, "zebra", data_subject="ann")) == ["zebra of ann"]
    both = a_run(agent, "zebra", data_subject="ann", include_shared=True)
    assert sorted(statements_of(both)) == ["zebra of ann", "zebra of nobody"]
    assert ContextRun.objects.get(id=both.run_id).is_shared_included


def test_records_of_others_leave_a_pack_as_it_was(agent: Actor, outsider: Actor) -> None:
    for words in ("zebra river", "zebra lake", "river tree"):
        a_record(agent, statement=words, data_subject="ann")
    asked: dict[str, Any] = {"data_subject": "ann", "at": datetime(2998, 1, 1, tzinfo=UTC)}
    before = a_run(agent, "zebra river", **asked)

    bulk_records(outsider, 2_000, statement="zebra river")
    bulk_records(outsider, 500, statement="zebra river", data_subject="ann")
    bulk_records(agent, 500, statement="zebra river", data_subject="bob")
    bulk_records(agent, 500, statement="zebra river")

    assert pack_of(a_run(agent, "zebra river", **asked)) == pack_of(before)


def test_matrixorigin_memoria_89_after_a_correction_only_the_replacement_is_packed(
    agent: Actor,
) -> None:
    record = a_record(agent, statement="zebra before")
    report = a_report(agent, record, note="zebra after", proposed_object="after")
    assert statements_of(a_run(agent, "zebra")) == ["zebra before"]
    promote_report(actor=fresh(agent), report_id=report.id, expected_version=report.record_version)
    assert statements_of(a_run(agent, "zebra")) == ["zebra after"]


def test_a_retracted_record_is_gone_with_the_next_compile(agent: Actor) -> None:
    record = a_record(agent, statement="zebra")
    delivered = a_run(agent, "zebra")
    draft = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(agent), retractions=[draft])
    assert a_run(agent, "zebra").items == ()
    assert ContextItem.objects.get(run_id=delivered.run_id).record_version == record.version


def test_memtensor_memos_1242_reports_change_no_pack(agent: Actor) -> None:
    records = [a_record(agent, statement=f"zebra {number}") for number in range(5)]
    at = datetime(2998, 1, 1, tzinfo=UTC)
    before = a_run(agent, "zebra", at=at)
    for number in range(50):
        a_report(agent, records[number % 5])
    assert pack_of(a_run(agent, "zebra", at=at)) == pack_of(before)


# --- Who -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "owner", "operator", "agent", "agent_ro"]
)
def test_reading_is_enough(agent: Actor, persona: str, request: pytest.FixtureRequest) -> None:
    a_record(agent)
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert len(compile_(actor, MARKER).items) == 1
    assert audit_of(actor) == [Entry("context.compile", "allowed", "", 1)]


def test_a_tool_of_a_model_may_compile(agent: Actor) -> None:
    run = compile_(replace(agent, edge=Edge.MCP), MARKER)
    assert ContextRun.objects.get(id=run.run_id).recorded_via == "mcp"


@pytest.mark.parametrize("persona", ["auditor", "nobody"])
def test_who_may_not_read_is_refused(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "context.compile"):
        compile_(actor, MARKER, data_subject="somebody new")


# --- Statements and failures ---------------------------------------------------------------------


@pytest.mark.parametrize("person", [PERSON, None])
def test_a_pack_of_a_hundred_sends_as_many_statements_as_one_of_one(
    agent: Actor, person: str | None
) -> None:
    counts, sizes = [], []
    for number in (1, 99):
        bulk_records(agent, number, statement="zebra", data_subject=person)
        with watched() as statements:
            sizes.append(len(a_run(agent, "zebra", data_subject=person).items))
        counts.append(len(statements))
    assert sizes == [1, 99]  # of two records that say "zebra 1" one is packed
    assert counts[0] == counts[1] <= 8  # and one for the credential


def test_a_failure_leaves_nothing(agent: Actor) -> None:
    record = a_record(agent)
    before = content()

    def fail(_: object) -> int:
        raise RuntimeError("no weight")

    with pytest.raises(RuntimeError, match="no weight"):
        compile_context(actor=agent, request=request_for(MARKER, data_subject=None), weigh=fail)
    assert content() == before
    assert audit_of(agent) == []
    assert Record.objects.get(id=record.id).version == record.version


def test_a_pack_that_the_database_refuses_leaves_nothing(agent: Actor) -> None:
    a_record(agent)
    before = content()
    with pytest.raises(Exception, match="feedback_contextrun"):
        compile_context(actor=agent, request=request_for(MARKER, max_tokens=-1), weigh=lambda _: -7)
    assert content() == before
