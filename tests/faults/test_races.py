"""Calls at once on real connections: one serial order explains every answer.

Rules: `contract.md` 2.4, `assurance.md` fault tests 1 to 3; locks as `docs/locking.md` says.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest

from feedback.models import Report
from feedback.operations.promote_report import promote_report
from feedback.operations.record_report import ReportDraft, record_report
from memory.errors import RecordConflict
from memory.models import AuditEntry, Record, Source
from memory.operations.assert_records import assert_records
from memory.operations.correct_records import Correction, correct_records
from memory.operations.create_project import create_project
from memory.operations.grant_role import grant_role
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Role
from tests.amounts import amount
from tests.factories import MARKER, RecordDraftFactory, UserFactory, a_record, a_report, fresh
from tests.invariants import assert_invariants
from tests.racing import behind, race, refusals, successes
from tests.statements import Held

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db(transaction=True)

CLIENTS = 64
ROUNDS = amount(quick=20, full=200)


def promotion(actor: Actor, report_id: UUID, version: UUID) -> Callable[[], object]:
    return partial(
        promote_report, actor=fresh(actor), report_id=report_id, expected_version=version
    )


def correction(actor: Actor, *records: AssertedRecord) -> Callable[[], object]:
    corrections = [
        Correction(
            record_id=record.id,
            expected_version=record.version,
            object=f"Gitega of the {MARKER}",
            statement=f"It moved, {MARKER}.",
        )
        for record in records
    ]
    return partial(correct_records, actor=fresh(actor), corrections=corrections)


def retraction(actor: Actor, *records: AssertedRecord) -> Callable[[], object]:
    drafts = [
        RetractionDraft(record_id=record.id, expected_version=record.version) for record in records
    ]
    return partial(retract_records, actor=fresh(actor), retractions=drafts)


def promotions_audited() -> Counter[tuple[str, str]]:
    entries = AuditEntry.objects.filter(operation="feedback.promote")
    return Counter(entries.values_list("outcome", "code"))


@pytest.mark.parametrize("proposed", [f"Gitega of the {MARKER}", None], ids=["correct", "retract"])
def test_of_64_promotions_of_one_report_one_succeeds_and_63_are_told_to_stop(
    agent: Actor, reviewer: Actor, proposed: str | None
) -> None:
    report = a_report(agent, proposed_object=proposed)
    actors = [agent, reviewer] * (CLIENTS // 2)
    outcomes = race([promotion(a, report.id, report.record_version) for a in actors])
    assert len(successes(outcomes)) == 1
    assert refusals(outcomes) == ["ReportAlreadyPromoted"] * (CLIENTS - 1)
    assert Record.objects.get(id=report.record_id).version_number == 2
    assert promotions_audited() == {
        ("allowed", ""): 1,
        ("refused", "feedback_already_promoted"): CLIENTS - 1,
    }
    assert_invariants()


def test_of_64_reports_on_one_record_one_wins_and_63_stay_open(
    agent: Actor, reviewer: Actor
) -> None:
    record = a_record(agent)
    reports = [
        a_report(agent, record, proposed_object=f"{MARKER} {number}" if number % 2 else None)
        for number in range(CLIENTS)
    ]
    outcomes = race([promotion(reviewer, report.id, record.version) for report in reports])
    assert len(successes(outcomes)) == 1
    assert refusals(outcomes) == ["RecordConflict"] * (CLIENTS - 1)
    assert Record.objects.get(id=record.id).version_number == 2
    losers = Report.objects.filter(promoted_at=None)
    assert losers.count() == CLIENTS - 1
    assert not losers.filter(target_closed_at=None).exists()
    assert promotions_audited() == {
        ("allowed", ""): 1,
        ("refused", "record_conflict"): CLIENTS - 1,
    }
    assert_invariants()


@pytest.mark.parametrize("rival", [correction, retraction])
def test_a_promotion_races_another_change_of_its_record(
    agent: Actor, reviewer: Actor, rival: Callable[..., Callable[[], object]]
) -> None:
    winners: Counter[int] = Counter()
    for round_ in range(ROUNDS):
        record = a_record(agent)
        report = a_report(agent, record, proposed_object=f"{MARKER}" if round_ % 2 else None)
        calls = [promotion(reviewer, report.id, record.version), rival(agent, record)]
        outcomes = race(calls[:: 1 if round_ % 3 else -1])
        assert refusals(outcomes) == ["RecordConflict"]
        winners[next(i for i, o in enumerate(outcomes) if not isinstance(o, Exception))] += 1
    assert winners.total() == ROUNDS
    assert_invariants()


def test_batches_in_opposite_orders_do_not_deadlock(agent: Actor) -> None:
    for _ in range(5):
        records = [a_record(agent) for _ in range(4)]
        calls = [
            correction(agent, *records),
            correction(agent, *reversed(records)),
            retraction(agent, *records[::-1]),
            retraction(agent, *records),
        ]
        assert refusals(race(calls)) == ["RecordConflict"] * 3
    assert_invariants()


def test_a_report_that_races_a_change_knows_whether_its_target_is_closed(
    agent: Actor, reviewer: Actor
) -> None:
    record = a_record(agent)
    report = a_report(agent, record)
    reports = [
        partial(
            record_report,
            actor=fresh(agent),
            draft=ReportDraft(record_id=record.id, note=f"Doubt of the {MARKER}."),
        )
        for _ in range(31)
    ]
    calls: list[Callable[[], object]] = [promotion(reviewer, report.id, record.version), *reports]
    assert refusals(race(calls)) == []
    assert Report.objects.filter(target_closed_at=None).count() == 0
    assert_invariants()


def test_a_report_about_a_version_waits_for_the_change_that_is_replacing_it(agent: Actor) -> None:
    record = a_record(agent)
    draft = ReportDraft(record_id=record.id, note=f"A {MARKER}.", expected_version=record.version)
    held = Held("memory_recordversion")
    with behind(held, retraction(agent, record)) as outcomes:
        Timer(0.2, held.let_go.set).start()
        with pytest.raises(RecordConflict):
            record_report(actor=fresh(agent), draft=draft)
    assert refusals(outcomes) == []
    assert not Report.objects.exists()
    assert_invariants()


def test_one_origin_asserted_by_many_at_once_is_one_record(agent: Actor, reviewer: Actor) -> None:
    origin = Origin("dataset", None, f"{MARKER}-1")
    said = RecordDraftFactory.create_batch(
        16, subject="Burundi", object="Gitega", origin=origin, data_subject=f"{MARKER} herder"
    )
    calls = [
        partial(assert_records, actor=fresh(actor), drafts=[draft])
        for actor, draft in zip([agent, reviewer] * 8, said, strict=True)
    ]
    outcomes = race(calls)
    assert refusals(outcomes) == []
    rows = [receipt.records[0] for receipt in successes(outcomes)]
    assert len({row.id for row in rows}) == 1
    assert Counter(row.is_replay for row in rows) == {False: 1, True: 15}
    assert_invariants()


def test_a_file_loaded_twice_at_once_is_loaded_once(agent: Actor) -> None:
    drafts = [
        RecordDraftFactory.create(origin=Origin("dataset", None, f"{MARKER}-{number}"))
        for number in range(20)
    ]
    for draft in drafts:
        object.__setattr__(draft, "idempotency_key", None)
    calls = [
        partial(assert_records, actor=fresh(agent), drafts=batch)
        for batch in (drafts, drafts[::-1], drafts[10:] + drafts[:10])
    ]
    assert refusals(race(calls)) == []
    assert Record.objects.count() == 20
    assert_invariants()


def test_a_single_valued_place_is_taken_once(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    drafts = RecordDraftFactory.create_batch(16, subject="Burundi")
    calls = [partial(assert_records, actor=fresh(agent), drafts=[draft]) for draft in drafts]
    assert refusals(race(calls)) == ["RecordConflict"] * 15
    assert_invariants()


def test_an_assertion_races_the_correction_of_the_place_it_wants(
    agent: Actor, operator: Actor
) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    for _ in range(5):
        record = a_record(agent)
        subject = Record.objects.get(id=record.id).subject
        said = RecordDraftFactory.create(subject=subject)
        calls: list[Callable[[], object]] = [
            correction(agent, record),
            partial(assert_records, actor=fresh(agent), drafts=[said]),
        ]
        outcomes = race(calls)
        assert refusals(outcomes) == ["RecordConflict"]
        assert not isinstance(outcomes[0], Exception)
    assert_invariants()


def test_log_offsets_have_no_gaps_whoever_fails(agent: Actor, operator: Actor) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    subjects = [f"{MARKER} {number % 6}" for number in range(16)]
    calls = [
        partial(
            assert_records,
            actor=fresh(agent),
            drafts=[
                *RecordDraftFactory.create_batch(2, predicate="borders"),
                RecordDraftFactory.create(subject=subject),
            ],
        )
        for subject in subjects
    ]
    assert refusals(race(calls)) == ["RecordConflict"] * 10
    offsets = Source.objects.filter(project_id=agent.project_id).values_list(
        "log_offset", flat=True
    )
    assert sorted(offsets) == list(range(18))


def test_a_name_is_given_to_one_project(operator: Actor) -> None:
    calls = [partial(create_project, actor=fresh(operator), name="wanted") for _ in range(8)]
    assert refusals(race(calls)) == ["NameTaken"] * 7


def test_a_role_granted_by_many_at_once_is_one_row(operator: Actor) -> None:
    username = UserFactory.create().username
    calls = [
        partial(grant_role, actor=fresh(operator), username=username, role=Role.READER)
        for _ in range(8)
    ]
    outcomes = race(calls)
    assert refusals(outcomes) == []
    assert Counter(receipt.is_new for receipt in successes(outcomes)) == {True: 1, False: 7}


def test_a_foreign_report_stays_not_found_in_a_race(agent: Actor, outsider: Actor) -> None:
    report = a_report(agent)
    calls = [
        promotion(agent, report.id, report.record_version),
        *[promotion(outsider, report.id, report.record_version) for _ in range(8)],
        *[promotion(outsider, uuid4(), report.record_version) for _ in range(8)],
    ]
    assert refusals(race(calls)) == ["NotFound"] * 16


def test_a_predicate_marked_while_an_assertion_is_under_way_counts_it(
    agent: Actor, operator: Actor
) -> None:
    first, second = RecordDraftFactory.create_batch(2, subject="Burundi")
    held = Held("memory_idempotencykey")
    asserting = partial(assert_records, actor=fresh(agent), drafts=[first])
    with behind(held, asserting) as outcomes:
        assert mark_predicate(actor=fresh(operator), name="has_capital").records == 0
    assert refusals(outcomes) == []
    assert Record.objects.get().is_single_valued
    with pytest.raises(RecordConflict):
        assert_records(actor=fresh(agent), drafts=[second])
    assert_invariants()


def test_a_mark_waits_for_records_that_are_being_written(agent: Actor, operator: Actor) -> None:
    held = Held('INSERT INTO "memory_record"')
    asserting = partial(assert_records, actor=fresh(agent), drafts=[RecordDraftFactory.create()])
    with behind(held, asserting):
        Timer(0.2, held.let_go.set).start()
        assert mark_predicate(actor=fresh(operator), name="has_capital").records == 1
    assert_invariants()
