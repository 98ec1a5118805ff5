"""How many statements a call sends, the credential's included, at 1 and at 10 rows (6.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

import pytest

from memory.actor import Actor
from tests.factories import a_record, a_report, some_records
from tests.statements import watched
from tests.valid_calls import a_draft
from tests.wire import Answer, InProcess


@dataclass(frozen=True)
class Budget:
    """A call, what it needs at so many rows, and the statements that it may send."""

    path: str
    most: int
    bodies: Callable[[Actor, int], dict[str, Any]]
    status: int = 200


def _changes(agent: Actor, rows: int, **said: str) -> dict[str, Any]:
    return {
        "records": [
            {"id": str(record.id), "expected_version": str(record.version), **said}
            for record in some_records(agent, rows)
        ]
    }


def _reported(agent: Actor, rows: int) -> dict[str, Any]:
    for record in some_records(agent, rows):
        a_report(agent, record)
    return {"limit": rows}


def _record_with_reports(agent: Actor, rows: int) -> dict[str, Any]:
    record = a_record(agent, data_subject="somebody")
    for _ in range(rows):
        a_report(agent, record)
    return {"id": str(record.id)}


def _promotion(agent: Actor, rows: int, **said: str) -> dict[str, Any]:
    """A report about a record about which others were made too."""
    record = a_record(agent)
    reports = [a_report(agent, record, **said) for _ in range(rows)]
    return {"id": str(reports[0].id), "expected_version": str(record.version)}


BUDGETS: Final = {
    "feedback list": Budget("/v1/feedback/list", 4, _reported),
    "open feedback list": Budget(
        "/v1/feedback/list", 4, lambda agent, rows: {**_reported(agent, rows), "open_only": True}
    ),
    "records list": Budget(
        "/v1/records/list", 4, lambda agent, rows: {"limit": len(some_records(agent, rows))}
    ),
    "feedback record": Budget(
        "/v1/feedback/record",
        6,
        lambda agent, rows: {
            "record_id": _record_with_reports(agent, rows)["id"],
            "note": "Not so.",
            "reporter_subject_id": "somebody else",
        },
    ),
    "retract by promotion": Budget("/v1/feedback/promote", 11, _promotion),
    "correct by promotion": Budget(
        "/v1/feedback/promote", 14, lambda agent, rows: _promotion(agent, rows, proposed_object="x")
    ),
    "records assert": Budget(
        "/v1/records/assert",
        12,
        lambda _, rows: {
            "records": [
                a_draft(
                    data_subject_id=f"person {number}", source={"type": "x", "id": str(uuid4())}
                )
                for number in range(rows)
            ]
        },
    ),
    "records correct": Budget(
        "/v1/records/correct",
        12,
        lambda agent, rows: _changes(agent, rows, object="x", statement="y"),
    ),
    "records retract": Budget("/v1/records/retract", 9, _changes),
    "record get": Budget("/v1/records/get", 5, _record_with_reports),
    "record history": Budget("/v1/records/history", 5, _record_with_reports),
    "citations resolve": Budget("/v1/citations/resolve", 5, _record_with_reports),
}


def _sent(call: InProcess, path: str, body: object, **how: Any) -> tuple[Answer, list[str]]:
    with watched() as statements:
        answer = call(path, body, **how)
    return answer, [sql for sql, _ in statements.sent]


@pytest.mark.parametrize("name", BUDGETS)
def test_a_call_sends_as_many_statements_at_ten_rows_as_at_one(
    name: str, call: InProcess, agent: Actor
) -> None:
    budget = BUDGETS[name]
    call("/v1/records/list")  # the first call of a credential notes its use
    counts = {}
    for rows in (1, 10):
        answer, sent = _sent(call, budget.path, budget.bodies(agent, rows))
        assert answer.status == budget.status, answer.content
        counts[rows] = len(sent)

    assert counts[1] == counts[10] <= budget.most


@pytest.mark.parametrize(
    "name",
    [
        *("feedback record", "retract by promotion", "correct by promotion"),
        *("records assert", "records correct", "records retract"),
    ],
)
def test_a_key_costs_one_statement(name: str, call: InProcess, agent: Actor) -> None:
    """The insert that claims it; a replay asks for the receipt and writes nothing but its entry."""
    budget = BUDGETS[name]
    call("/v1/records/list")
    plain = len(_sent(call, budget.path, budget.bodies(agent, 2))[1])
    body, key = budget.bodies(agent, 2), {"Idempotency-Key": "k1"}
    first, keyed = _sent(call, budget.path, body, headers=key)
    again, replayed = _sent(call, budget.path, body, headers=key)

    assert (first.body["replayed"], again.body["replayed"]) == (False, True)
    assert len(keyed) <= min(plain + 1, budget.most)
    assert len(replayed) <= 8


@pytest.mark.parametrize("said", [{}, {"proposed_object": "x"}])
def test_a_refused_promotion_is_cheap(said: dict[str, str], call: InProcess, agent: Actor) -> None:
    body = _promotion(agent, 3, **said)
    call("/v1/feedback/promote", body)

    answer, sent = _sent(call, "/v1/feedback/promote", body)

    assert answer.refusal == (409, "feedback_already_promoted")
    assert len(sent) <= 3
    assert not [sql for sql in sent if "FOR NO KEY UPDATE" in sql]


def test_what_needs_no_database_asks_none(call: InProcess) -> None:
    for path, how in (
        ("/v1/nothing", {}),
        ("/v1/records/list", {"method": "PUT"}),
        ("/docs/", {"method": "GET"}),
        ("/docs/openapi.yaml", {"method": "GET"}),
        ("/healthz", {"method": "GET"}),
    ):
        assert _sent(call, path, b"", **how)[1] == []


def test_a_malformed_call_asks_for_the_credential_and_writes_its_entry(call: InProcess) -> None:
    call("/v1/records/list")

    for body in (b"{", {"limit": 0}, {"x": 1}):
        sent = _sent(call, "/v1/records/list", body)[1]
        assert [sql.split()[0] for sql in sent] == ["SELECT", "INSERT"]
