"""What `/v1/signals` answers, name by name: signals are written over RCP and read here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from feedback.models import IntegrityItem, Signal
from feedback.operations.decide_integrity import Doubt, IntegrityDecision, decide_integrity
from feedback.vocabulary import IntegrityState
from memory.digests import Digester
from memory.models import Project
from memory.operations.configure_project import configure_project
from memory.vocabulary import Edge
from tests.factories import (
    MARKER,
    a_record,
    a_signal,
    another,
    fresh,
    suspect,
)
from tests.wire import Foreigner, InProcess, entries_of

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

pytestmark = pytest.mark.django_db

LIST, SUMMARY = "/v1/signals/list", "/v1/signals/summary"


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    return a_record(agent)


def _listed(call: InProcess, **asked: Any) -> list[dict[str, Any]]:
    answer = call(LIST, asked)
    assert answer.status == 200, answer.content
    rows: list[dict[str, Any]] = answer.body["signals"]
    return rows


def _summary(call: InProcess, record: AssertedRecord) -> dict[str, Any]:
    answer = call(SUMMARY, {"record_id": str(record.id)})
    assert answer.status == 200, answer.content
    body: dict[str, Any] = answer.body
    return body


# --- Lists ---------------------------------------------------------------------------------------


def test_a_signal_is_listed_with_all_that_was_sent(
    call_ro: InProcess, agent: Actor, record: AssertedRecord
) -> None:
    a_signal(
        replace(agent, edge=Edge.RCP),
        record,
        session="traj-42",
        is_used=True,
        is_cited=False,
        is_helpful=True,
        reward=0.8,
        is_poison_suspected=True,
        is_injection_suspected=False,
    )
    key = Project.objects.values_list("digest_key", flat=True).get(id=agent.project_id)
    stored = Signal.objects.get()

    [listed] = _listed(call_ro)

    assert listed == {
        "id": str(stored.id),
        "record_id": str(record.id),
        "record_version": str(record.version),
        "used": True,
        "cited": False,
        "helpful": True,
        "reward": 0.8,
        "poison_suspected": True,
        "injection_suspected": False,
        "session": Digester(bytes(key)).digest("session", "traj-42").hex(),
        "recorded_by": str(agent.id),
        "recorded_by_kind": "credential",
        "recorded_via": "rcp",
        "recorded_at": listed["recorded_at"],
    }
    assert listed["recorded_at"].startswith(f"{stored.recorded_at:%Y-%m-%dT%H:%M:%S}")


def test_what_was_not_sent_is_null(call: InProcess, agent: Actor, record: AssertedRecord) -> None:
    a_signal(agent, record.id)

    [listed] = _listed(call)

    assert {name for name, value in listed.items() if value is None} == {
        *("record_version", "session", "used", "cited", "helpful", "reward"),
        *("poison_suspected", "injection_suspected"),
    }


def test_lists_are_narrowed_and_hold_bound_signals_of_the_project_alone(
    call: InProcess, agent: Actor, record: AssertedRecord, foreigner: Foreigner
) -> None:
    other = a_record(agent)
    a_signal(agent, record, is_poison_suspected=True)
    a_signal(agent, record, is_used=True)
    a_signal(agent, other, is_injection_suspected=True)
    a_signal(agent, f"{MARKER}#1", is_poison_suspected=True)
    a_signal(foreigner.actor, a_record(foreigner.actor), is_poison_suspected=True)

    def seen(**asked: Any) -> list[tuple[str, bool]]:
        return [(row["record_id"], row["used"] is True) for row in _listed(call, **asked)]

    one, two = str(record.id), str(other.id)
    assert seen() == [(two, False), (one, True), (one, False)]
    assert seen(suspected_only=True) == [(two, False), (one, False)]
    assert seen(record_id=one) == [(one, True), (one, False)]
    assert seen(record_id=one, suspected_only=True) == [(one, False)]
    assert seen(record_id=str(uuid4())) == []
    assert seen(suspected_only=None, record_id=None, limit=1) == [(two, False)]


def test_pages_of_signals_fit_together(
    call: InProcess, agent: Actor, record: AssertedRecord
) -> None:
    suspect(agent, record, actors=5)
    asked = {"record_id": str(record.id), "suspected_only": True, "limit": 2}
    first = call(LIST, asked).body
    second = call(LIST, asked | {"after": first["next"]}).body
    third = call(LIST, asked | {"after": second["next"]}).body

    pages = [first["signals"], second["signals"], third["signals"]]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [row for page in pages for row in page] == _listed(call)
    assert "next" not in third


def test_another_project_sees_no_signal_of_a_record(
    call: InProcess, agent: Actor, record: AssertedRecord, foreigner: Foreigner
) -> None:
    a_signal(agent, record)
    for asked in ({}, {"record_id": str(record.id)}):
        assert call(LIST, asked, token=foreigner.token).body == {"signals": []}


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"record_id": "x"}, "record_id"),
        ({"suspected_only": "yes"}, "suspected_only"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"after": "x"}, "after"),
    ],
)
def test_a_malformed_list_is_refused_and_audited(
    call: InProcess, asked: dict[str, Any], field: str
) -> None:
    answer = call(LIST, asked)

    assert answer.refusal == (400, "invalid_signal_page")
    assert f'"{field}"' in answer.message
    assert entries_of(answer) == [("signal.list", "refused", "invalid_signal_page", 0)]


# --- Sums ----------------------------------------------------------------------------------------


def test_a_summary_sums_up_what_was_said_of_one_record(
    call_ro: InProcess, agent: Actor, record: AssertedRecord
) -> None:
    two = another(agent)
    a_signal(agent, record, is_used=True, is_cited=True, reward=0.25, is_poison_suspected=True)
    a_signal(agent, record.id, is_used=True, is_cited=False, reward=0.75)
    a_signal(two, record, is_used=False, is_helpful=False, is_poison_suspected=True)
    a_signal(two, record, is_injection_suspected=True)
    a_signal(two, a_record(agent), is_used=True)

    assert _summary(call_ro, record) == {
        "record_id": str(record.id),
        "signals": 4,
        "distinct_actors": 2,
        "used": {"yes": 2, "no": 1},
        "cited": {"yes": 1, "no": 1},
        "helpful": {"yes": 0, "no": 1},
        "reward": {"count": 2, "mean": 0.5, "min": 0.25, "max": 0.75},
        "poison_suspected": {"signals": 2, "actors": 2},
        "injection_suspected": {"signals": 1, "actors": 1},
        "in_utility": False,
        "integrity": "open",
    }


def test_a_record_of_which_nothing_was_said_has_a_summary(
    call: InProcess, record: AssertedRecord
) -> None:
    nothing = {"yes": 0, "no": 0}
    nobody = {"signals": 0, "actors": 0}

    assert _summary(call, record) == {
        "record_id": str(record.id),
        "signals": 0,
        "distinct_actors": 0,
        "used": nothing,
        "cited": nothing,
        "helpful": nothing,
        "reward": {"count": 0, "mean": None, "min": None, "max": None},
        "poison_suspected": nobody,
        "injection_suspected": nobody,
        "in_utility": False,
        "integrity": None,
    }


def test_a_summary_says_where_the_look_of_reviewers_stands_and_whether_signals_count(
    call: InProcess, agent: Actor, operator: Actor, reviewer: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent)
    seen = {}
    for each, decided in (
        (record, {"reason": "It is so."}),
        (other, {"report": Doubt(note=f"No {MARKER}.")}),
    ):
        suspect(agent, each)
        item = IntegrityItem.objects.get(record_id=each.id)
        decision = IntegrityDecision(item_id=item.id, seen_state=IntegrityState.OPEN, **decided)
        decide_integrity(actor=fresh(reviewer), decision=decision)
        seen[each.id] = _summary(call, each)["integrity"]
    configure_project(actor=fresh(operator), are_signals_counted=True)

    assert seen == {record.id: "no_concern", other.id: "reported"}
    assert _summary(call, record)["in_utility"] is True


def test_a_record_that_is_not_there_or_elsewhere_has_none(
    call: InProcess, agent: Actor, record: AssertedRecord, foreigner: Foreigner
) -> None:
    a_signal(agent, record)
    answers = [
        call(SUMMARY, {"record_id": str(record.id)}, token=foreigner.token),
        call(SUMMARY, {"record_id": str(uuid4())}),
        call(SUMMARY, {"record_id": str(record.version)}),
    ]

    assert {answer.refusal for answer in answers} == {(404, "not_found")}
    assert entries_of(answers[1]) == [("signal.summary", "refused", "not_found", 0)]


@pytest.mark.parametrize("asked", [{}, {"record_id": None}, {"record_id": "x"}, {"record_id": 7}])
def test_a_malformed_summary_is_refused(call: InProcess, asked: dict[str, Any]) -> None:
    answer = call(SUMMARY, asked)

    assert answer.refusal == (400, "invalid_signal_page")
    assert entries_of(answer) == [("signal.summary", "refused", "invalid_signal_page", 0)]
