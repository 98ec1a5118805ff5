"""How many statements a call sends, the credential's included, at 1 and at 10 rows (6.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

import pytest

from feedback.operations.compile_context import CompiledContext
from memory.actor import Actor
from memory.vocabulary import SourceKind
from tests.factories import (
    a_claim,
    a_record,
    a_report,
    a_run,
    a_source,
    an_outcome,
    some_records,
    suspect,
)
from tests.factories.loop_calls import an_observation, claim_id, context_id, observation_id
from tests.statements import watched
from tests.valid_calls import Route, a_body, a_draft, a_person, route
from tests.wire import Answer, InProcess


@dataclass(frozen=True)
class Budget:
    """A call, what it needs at so many rows, and the statements that it may send."""

    name: str
    most: int
    bodies: Callable[[Actor, int], dict[str, Any]]

    @property
    def route(self) -> Route:
        """The route that is called."""
        return route(self.name)


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


def _turn(agent: Actor, rows: int) -> dict[str, Any]:
    body = a_body(route("memory:source-observe/turn"), agent)
    return {**body, "messages": body["messages"] * rows}


def _evidence(agent: Actor, rows: int) -> dict[str, Any]:
    body = a_body(route("memory:source-observe/evidence"), agent)
    origin = {"type": "camera", "id": str(uuid4())}
    token = context_id(a_run(agent).run_id)
    return {**body, "content": "x" * rows, "source": origin, "context_token": token}


def _conversation(agent: Actor, rows: int) -> dict[str, Any]:
    person = a_person()
    for _ in range(rows):
        a_source(agent, kind=SourceKind.TURN, data_subject=person)
    return {"data_subject_id": person}


def _consolidation(agent: Actor, rows: int) -> dict[str, Any]:
    person = a_person()
    claims = []
    for number in range(rows):
        cited = [
            {"observation_id": observation_id(an_observation(agent, person).id), "relation": how}
            for how in ("supports", "contradicts", "qualifies")
        ]
        statement = f"Herd {number} of the quagga passed."
        claims.append({"kind": "decision", "statement": statement, "sources": cited})
    return {"subject_id": person, "claims": claims}


def _claim_with_evidence(agent: Actor, rows: int) -> dict[str, Any]:
    claim = a_claim(agent, *[a_source(agent) for _ in range(rows)])
    return {"claim_id": claim_id(claim.id)}


def _known(agent: Actor, rows: int) -> str:
    """Somebody of whom so much is known, each from evidence."""
    person = a_person()
    for _ in range(rows):
        a_claim(agent, an_observation(agent, person), data_subject=person)
    return person


def _question(agent: Actor, rows: int) -> dict[str, Any]:
    return {"question": "Which herd crossed?", "data_subject_id": _known(agent, rows)}


def _task(agent: Actor, rows: int) -> dict[str, Any]:
    person = _known(agent, rows)
    return {"task": "Which herd crossed the river?", "max_tokens": 32_000, "subject_id": person}


def _compiled(agent: Actor, rows: int) -> CompiledContext:
    run = a_run(agent, "Which herd crossed the river?", data_subject=_known(agent, rows))
    assert len(run.items) == rows
    return run


def _run(agent: Actor, rows: int) -> dict[str, Any]:
    return {"context_id": context_id(_compiled(agent, rows).run_id)}


def _runs(agent: Actor, rows: int) -> dict[str, Any]:
    person = _known(agent, 1)
    for _ in range(rows):
        an_outcome(agent, a_run(agent, "Which herd crossed?", data_subject=person))
    return {"subject_id": person}


def _graded(agent: Actor, rows: int) -> dict[str, Any]:
    run = _compiled(agent, 1)
    for _ in range(rows):
        an_outcome(agent, run, run.items[0].record.id)
    return {"claim_id": claim_id(run.items[0].record.id)}


def _outcome(agent: Actor, rows: int) -> dict[str, Any]:
    run = _compiled(agent, rows)
    claim = claim_id(run.items[-1].record.id)
    return {"context_id": context_id(run.run_id), "claim_id": claim, "outcome": "useful"}


def _outcomes(agent: Actor, rows: int) -> dict[str, Any]:
    return _graded(agent, rows)


def _signalled(agent: Actor, rows: int) -> dict[str, Any]:
    record = a_record(agent)
    suspect(agent, record, actors=rows)
    return {"record_id": str(record.id)}


BUDGETS: Final = {
    "feedback list": Budget("feedback:report-list", 2, _reported),
    "open feedback list": Budget(
        "feedback:report-list", 2, lambda agent, rows: {**_reported(agent, rows), "open_only": True}
    ),
    "records list": Budget(
        "memory:record-list", 4, lambda agent, rows: {"limit": len(some_records(agent, rows))}
    ),
    "records list of a word": Budget(
        "memory:record-list",
        4,
        lambda agent, rows: {"limit": len(some_records(agent, rows)), "text": "capital"},
    ),
    "feedback record": Budget(
        "feedback:report-record",
        6,
        lambda agent, rows: {
            "record_id": _record_with_reports(agent, rows)["id"],
            "note": "Not so.",
            "reporter_subject_id": "somebody else",
        },
    ),
    "retract by promotion": Budget("feedback:report-promote", 11, _promotion),
    "correct by promotion": Budget(
        "feedback:report-promote",
        14,
        lambda agent, rows: _promotion(agent, rows, proposed_object="x"),
    ),
    "records assert": Budget(
        "memory:record-assert",
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
        "memory:record-correct",
        12,
        lambda agent, rows: _changes(agent, rows, object="x", statement="y"),
    ),
    "records retract": Budget("memory:record-retract", 9, _changes),
    "record get": Budget("memory:record-get", 5, _record_with_reports),
    "record history": Budget("memory:record-history", 5, _record_with_reports),
    "citations resolve": Budget("memory:citation-resolve", 5, _record_with_reports),
    "observe a turn": Budget("memory:source-observe/turn", 8, _turn),
    "observe evidence": Budget("memory:source-observe/evidence", 9, _evidence),
    "freshness": Budget("memory:freshness", 4, lambda *_: {}),
    "contexts": Budget("memory:context-assemble", 6, _conversation),
    "consolidate": Budget("memory:record-consolidate", 14, _consolidation),
    "evidence of a claim": Budget("memory:record-evidence", 5, _claim_with_evidence),
    "recall": Budget("feedback:recall", 6, _question),
    "compile": Budget("feedback:context-compile", 9, _task),
    "compile for a new person": Budget(
        "feedback:context-compile",
        9,
        lambda agent, rows: {
            **_task(agent, rows),
            "subject_id": a_person(),
            "include_shared": True,
        },
    ),
    "context get": Budget("feedback:context-get", 6, _run),
    "context list": Budget("feedback:context-list", 4, _runs),
    "context list of a kind": Budget(
        "feedback:context-list", 4, lambda agent, rows: {**_runs(agent, rows), "outcome": "useful"}
    ),
    "outcome": Budget("feedback:outcome-record", 7, _outcome),
    "outcome of a run": Budget(
        "feedback:outcome-record",
        7,
        lambda agent, rows: {**_outcome(agent, rows), "claim_id": None},
    ),
    "outcome list": Budget("feedback:outcome-list", 4, _outcomes),
    "outcome list by two filters": Budget(
        "feedback:outcome-list",
        4,
        lambda agent, rows: {**_outcomes(agent, rows), "outcome": "useful"},
    ),
    "outcome summary": Budget("feedback:outcome-summary", 6, _graded),
    "signal list": Budget("feedback:signal-list", 4, _signalled),
    "signal list by two filters": Budget(
        "feedback:signal-list",
        4,
        lambda agent, rows: {**_signalled(agent, rows), "suspected_only": True},
    ),
    "signal summary": Budget("feedback:signal-summary", 6, _signalled),
}


def _sent(call: InProcess, path: str, body: object, **how: Any) -> tuple[Answer, list[str]]:
    with watched() as statements:
        answer = call(path, body, **how)
    return answer, [sql for sql, _ in statements.sent]


def _called(
    call: InProcess, budget: Budget, values: dict[str, Any], **how: Any
) -> tuple[Answer, list[str]]:
    with watched() as statements:
        answer = budget.route.send(call, values, **how)
    return answer, [sql for sql, _ in statements.sent]


@pytest.mark.parametrize("name", BUDGETS)
def test_a_call_sends_as_many_statements_at_ten_rows_as_at_one(
    name: str, call: InProcess, agent: Actor
) -> None:
    budget = BUDGETS[name]
    call("/v1/records/list")  # the first call of a credential notes its use
    counts = {}
    for rows in (1, 10):
        answer, sent = _called(call, budget, budget.bodies(agent, rows))
        assert answer.status == budget.route.made, answer.content
        counts[rows] = len(sent)

    assert counts[1] == counts[10] <= budget.most


@pytest.mark.parametrize(
    "name",
    [
        *("feedback record", "retract by promotion", "correct by promotion"),
        *("records assert", "records correct", "records retract"),
        *("observe evidence", "consolidate", "outcome", "outcome of a run"),
    ],
)
def test_a_key_costs_one_statement(name: str, call: InProcess, agent: Actor) -> None:
    """The insert that claims it; a replay asks for the receipt and writes nothing but its entry."""
    budget = BUDGETS[name]
    call("/v1/records/list")
    plain = len(_called(call, budget, budget.bodies(agent, 2))[1])
    body, key = budget.bodies(agent, 2), {"Idempotency-Key": "k1"}
    first, keyed = _called(call, budget, body, headers=key)
    again, replayed = _called(call, budget, body, headers=key)

    at = budget.route
    assert (at.is_replay(first), at.is_replay(again)) == (False, True)
    assert len(keyed) <= min(plain + 1, budget.most)
    assert len(replayed) <= 8


@pytest.mark.parametrize("others", [0, 10])
@pytest.mark.parametrize(("headers", "most"), [({}, 3), ({"Idempotency-Key": "k2"}, 4)])
@pytest.mark.parametrize("said", [{}, {"proposed_object": "x"}])
def test_a_refused_promotion_is_cheap(
    said: dict[str, str],
    headers: dict[str, str],
    most: int,
    others: int,
    call: InProcess,
    agent: Actor,
) -> None:
    body = _promotion(agent, 1 + others, **said)
    assert call("/v1/feedback/promote", body, headers={"Idempotency-Key": "k1"}).status == 200

    answer, sent = _sent(call, "/v1/feedback/promote", body, headers=headers)

    assert answer.refusal == (409, "feedback_already_promoted")
    assert len(sent) <= most
    assert not [
        sql for sql in sent if "FOR NO KEY UPDATE" in sql or "memory_idempotencykey (" in sql
    ]


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
