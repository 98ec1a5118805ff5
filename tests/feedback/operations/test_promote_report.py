"""promote_report: a doubt becomes a correction or a retraction, exactly once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

from feedback.errors import ReportAlreadyPromoted
from feedback.models import Report
from feedback.operations.promote_report import PromotionReceipt, promote_report
from feedback.operations.record_report import ReportDraft, record_report
from memory.errors import Denied, IdempotencyConflict, NotFound, RecordConflict
from memory.models import Citation, Record, RecordVersion
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge, RecordChange, Trust
from tests.factories import MARKER, a_key, a_record, a_report, fresh
from tests.invariants import assert_invariants
from tests.observed import Entry, audit_of, changed_tables, refused
from tests.statements import watched

if TYPE_CHECKING:
    from feedback.operations.record_report import ReportReceipt
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

PROPOSED = f"Gitega of the {MARKER}"


@pytest.fixture
def report(agent: Actor) -> ReportReceipt:
    """A report that would correct its record."""
    return a_report(agent, proposed_object=PROPOSED)


@pytest.fixture
def doubt(agent: Actor) -> ReportReceipt:
    """A report that would retract its record."""
    return a_report(agent)


def promote(actor: Actor, report: ReportReceipt, **said: Any) -> PromotionReceipt:
    said = {"report_id": report.id, "expected_version": report.record_version, **said}
    return promote_report(actor=actor, **said)


def test_a_proposed_object_makes_a_correction_with_the_note_as_statement(
    reviewer: Actor, report: ReportReceipt
) -> None:
    receipt = promote(reviewer, report)
    old = Record.objects.get(id=report.record_id)
    new = Record.objects.get(replaces=old.id)
    assert old.known_until is not None
    assert receipt == PromotionReceipt(
        report_id=report.id,
        record_id=old.id,
        change=RecordChange.CORRECT,
        replacement_record_id=new.id,
        version=new.version,
        promoted_at=old.known_until,
        closed_reports=0,
    )
    assert (new.object, new.statement) == (PROPOSED, Report.objects.get(id=report.id).note)
    assert (old.status, old.replaced_by, new.replaces) == ("superseded", new.id, old.id)
    assert new.known_from == old.known_until
    assert Citation.objects.get(record_id=new.id).quote == new.statement
    assert_invariants()


def test_no_proposed_object_makes_a_retraction(reviewer: Actor, doubt: ReportReceipt) -> None:
    receipt = promote(reviewer, doubt)
    record = Record.objects.get(id=doubt.record_id)
    assert (receipt.change, receipt.replacement_record_id) == ("record.retract", None)
    assert (record.status, record.version) == ("retracted", receipt.version)
    assert receipt.promoted_at == record.known_until
    assert_invariants()


def test_credit_goes_to_the_promoter(reviewer: Actor, report: ReportReceipt) -> None:
    receipt = promote(reviewer, report)
    new = Record.objects.get(replaces=receipt.record_id)
    versions = RecordVersion.objects.filter(request_id=reviewer.request_id)
    assert versions.count() == 2
    for row in (new, *versions):
        assert (row.recorded_by_kind, row.recorded_by_id, row.recorded_via) == (
            "user",
            reviewer.id,
            "console",
        )


def test_the_report_says_what_became_of_it(reviewer: Actor, report: ReportReceipt) -> None:
    receipt = promote(reviewer, report)
    row = Report.objects.get(id=report.id)
    assert (row.promoted_by_kind, row.promoted_by_id, row.promoted_via) == (
        "user",
        reviewer.id,
        "console",
    )
    assert (row.promoted_at, row.promotion_request_id) == (
        receipt.promoted_at,
        reviewer.request_id,
    )
    assert (row.promotion_change, row.promotion_expected_version, row.promotion_version) == (
        "record.correct",
        report.record_version,
        receipt.version,
    )
    assert row.replacement_record_id == receipt.replacement_record_id
    assert row.target_closed_at == receipt.promoted_at


def test_a_promotion_changes_what_it_names_and_nothing_else(
    agent: Actor, reviewer: Actor, report: ReportReceipt
) -> None:
    a_report(agent)
    assert changed_tables(lambda: promote(reviewer, report)) == {
        "memory_source": (0, 1),
        "memory_message": (0, 1),
        "memory_record": (1, 2),  # the closed one, before and after, and the new one
        "memory_recordversion": (0, 2),
        "memory_citation": (0, 1),
        "feedback_report": (1, 1),
    }


def test_a_promoted_retraction_changes_less(reviewer: Actor, doubt: ReportReceipt) -> None:
    assert changed_tables(lambda: promote(reviewer, doubt)) == {
        "memory_record": (1, 1),
        "memory_recordversion": (0, 1),
        "feedback_report": (1, 1),
    }


def test_siblings_lose_their_target_and_stay_open(agent: Actor, reviewer: Actor) -> None:
    record = a_record(agent)
    reports = [a_report(agent, record) for _ in range(3)]
    receipt = promote(reviewer, reports[1])
    assert receipt.closed_reports == 2
    for sibling in Report.objects.exclude(id=reports[1].id):
        assert (sibling.promoted_at, sibling.target_closed_at) == (None, receipt.promoted_at)


def test_a_promotion_is_audited_as_itself_and_as_its_change(
    reviewer: Actor, report: ReportReceipt, doubt: ReportReceipt
) -> None:
    again = fresh(reviewer)
    promote(reviewer, report)
    promote(again, doubt)
    assert audit_of(reviewer) == [
        Entry("feedback.promote", "allowed", "", 1),
        Entry("record.correct", "allowed", "", 1),
    ]
    assert audit_of(again) == [
        Entry("feedback.promote", "allowed", "", 1),
        Entry("record.retract", "allowed", "", 1),
    ]


@pytest.mark.parametrize(
    ("cap", "trust"),
    [(Trust.UNTRUSTED, Trust.UNTRUSTED), (Trust.POLICY_APPROVED, Trust.ASSERTED)],
)
def test_trust_is_the_original_s_but_not_above_the_cap(
    reviewer: Actor, report: ReportReceipt, cap: Trust, trust: Trust
) -> None:
    receipt = promote(replace(reviewer, max_trust=cap), report)
    assert Record.objects.get(replaces=receipt.record_id).trust == trust


@pytest.mark.parametrize("persona", ["reviewer", "owner", "agent", "operator"])
def test_who_may_write_may_promote(
    report: ReportReceipt, persona: str, request: pytest.FixtureRequest
) -> None:
    assert promote(request.getfixturevalue(persona), report).change == "record.correct"


@pytest.mark.parametrize("persona", ["reader", "auditor", "nobody", "agent_ro"])
def test_who_may_not_write_is_refused_for_any_report(
    report: ReportReceipt, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = request.getfixturevalue(persona)
    for report_id in (report.id, uuid4()):
        again = fresh(actor)
        with refused(again, Denied, "feedback.promote"):
            promote(again, report, report_id=report_id)


def test_promoting_is_no_tool(agent: Actor, report: ReportReceipt) -> None:
    actor = replace(agent, edge=Edge.MCP)
    with refused(actor, Denied, "feedback.promote"):
        promote(actor, report)


@pytest.mark.parametrize("persona", ["outsider", "agent"])
def test_a_report_that_an_actor_cannot_see_is_not_found(
    report: ReportReceipt, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    report_id = uuid4() if persona == "agent" else report.id
    with refused(actor, NotFound, "feedback.promote"):
        promote(actor, report, report_id=report_id, key=a_key())


def test_a_record_s_id_is_not_the_id_of_a_report(agent: Actor, report: ReportReceipt) -> None:
    actor = fresh(agent)
    with refused(actor, NotFound, "feedback.promote"):
        promote(actor, report, report_id=report.record_id)


def test_a_stale_version_is_a_conflict_and_the_report_stays_open(
    agent: Actor, reviewer: Actor, report: ReportReceipt
) -> None:
    for version in (uuid4(), report.id, UUID(int=0)):
        actor = fresh(reviewer)
        with refused(actor, RecordConflict, "feedback.promote"):
            promote(actor, report, expected_version=version)
    assert promote(fresh(agent), report).change == "record.correct"


def test_a_second_promotion_is_told_to_stop_whatever_version_it_names(
    agent: Actor, reviewer: Actor, report: ReportReceipt
) -> None:
    receipt = promote(fresh(reviewer), report)
    for version in (report.record_version, receipt.version, uuid4()):
        actor = fresh(agent)
        with refused(actor, ReportAlreadyPromoted, "feedback.promote"):
            promote(actor, report, expected_version=version)


def test_a_second_promotion_takes_no_lock(reviewer: Actor, report: ReportReceipt) -> None:
    promote(fresh(reviewer), report)
    with watched() as statements, pytest.raises(ReportAlreadyPromoted):
        promote(fresh(reviewer), report)
    assert "FOR " not in str(statements)


@pytest.mark.parametrize("change", ["corrected", "retracted"])
def test_a_record_closed_otherwise_is_a_conflict(
    agent: Actor, reviewer: Actor, report: ReportReceipt, change: str
) -> None:
    target: dict[str, Any] = {
        "record_id": report.record_id,
        "expected_version": report.record_version,
    }
    if change == "corrected":
        corrections = [Correction(**target, object="Gitega", statement="It moved.")]
        correct_records(actor=fresh(agent), corrections=corrections)
    else:
        retract_records(actor=fresh(agent), retractions=[RetractionDraft(**target)])
    closing = Record.objects.get(id=report.record_id).version
    for version in (report.record_version, closing):
        actor = fresh(reviewer)
        with refused(actor, RecordConflict, "feedback.promote"):
            promote(actor, report, expected_version=version)


def test_a_sibling_with_the_same_version_is_a_conflict(agent: Actor, reviewer: Actor) -> None:
    record = a_record(agent)
    first, second = (a_report(agent, record) for _ in range(2))
    promote(fresh(reviewer), first)
    with refused(reviewer, RecordConflict, "feedback.promote"):
        promote(reviewer, second)


def test_a_report_about_a_closed_record_is_a_conflict(agent: Actor, reviewer: Actor) -> None:
    record = a_record(agent)
    promote(fresh(reviewer), a_report(agent, record))
    late = a_report(agent, record)
    with refused(reviewer, RecordConflict, "feedback.promote"):
        promote(reviewer, late)


def test_a_repeated_key_answers_the_first_receipt(
    agent: Actor, reviewer: Actor, report: ReportReceipt
) -> None:
    a_report(agent, report.record_id)
    key = a_key()
    first = promote(fresh(reviewer), report, key=key)
    a_report(agent, report.record_id)  # born later with a closed target: does not count
    assert changed_tables(lambda: promote(reviewer, report, key=key)) == {}
    again = promote(fresh(reviewer), report, key=key)
    assert again == replace(first, is_replay=True)
    assert first.closed_reports == 1
    assert audit_of(reviewer) == [Entry("feedback.promote", "allowed", "", 0)]
    assert_invariants()


def test_a_repeated_key_answers_a_retraction_too(reviewer: Actor, doubt: ReportReceipt) -> None:
    key = a_key()
    first = promote(fresh(reviewer), doubt, key=key)
    assert promote(fresh(reviewer), doubt, key=key) == replace(first, is_replay=True)


def test_a_key_of_another_call_is_a_conflict(
    reviewer: Actor, report: ReportReceipt, doubt: ReportReceipt
) -> None:
    promote(fresh(reviewer), report, key=a_key("quagga-1", call=1))
    for other in (a_key("quagga-1", call=2), a_key("quagga-1", call=1, route="elsewhere")):
        actor = fresh(reviewer)
        with refused(actor, IdempotencyConflict, "feedback.promote"):
            promote(actor, doubt, key=other)


def test_a_key_that_stood_for_another_operation_is_a_conflict(
    agent: Actor, reviewer: Actor, report: ReportReceipt
) -> None:
    key = a_key()  # no edge lets this happen: routes are part of the fingerprint
    draft = ReportDraft(record_id=report.record_id, note=f"Doubt of the {MARKER}.")
    record_report(actor=fresh(reviewer), draft=draft, key=key)
    with refused(reviewer, IdempotencyConflict, "feedback.promote"):
        promote(reviewer, report, key=key)
    assert promote(fresh(agent), report).change == "record.correct"


def test_another_actor_s_key_is_another_key(
    agent: Actor, reviewer: Actor, report: ReportReceipt
) -> None:
    key = a_key()
    promote(fresh(reviewer), report, key=key)
    with refused(agent, ReportAlreadyPromoted, "feedback.promote"):
        promote(agent, report, key=key)


def test_a_refused_call_leaves_no_key(reviewer: Actor, report: ReportReceipt) -> None:
    key = a_key()
    actor = fresh(reviewer)
    with refused(actor, RecordConflict, "feedback.promote"):
        promote(actor, report, expected_version=uuid4(), key=key)
    assert not promote(fresh(reviewer), report, key=key).is_replay


def test_the_report_itself_never_changes_but_for_its_promotion(
    reviewer: Actor, report: ReportReceipt
) -> None:
    kept = (
        "record_id", "record_version", "note", "proposed_object", "reporter_subject_id",
        "recorded_at", "recorded_by_kind", "recorded_by_id", "recorded_via", "request_id",
    )  # fmt: skip
    before = Report.objects.values(*kept).get(id=report.id)
    promote(reviewer, report)
    assert Report.objects.values(*kept).get(id=report.id) == before
