"""Missing, foreign and wrong-kind ids are one 404: bytes, headers, entry and work (`0.4`, 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import pytest

from memory.actor import Actor
from tests.factories import a_record, a_report
from tests.statements import watched
from tests.valid_calls import ALL, Route, a_body
from tests.wire import Answer, Foreigner, InProcess, entries_of

#: Where a route takes an id that is looked up.
IDS: Final[dict[str, str]] = {
    "memory:record-correct": "records.id",
    "memory:record-retract": "records.id",
    "memory:record-get": "id",
    "memory:record-history": "id",
    "memory:citation-resolve": "id",
    "feedback:report-record": "record_id",
    "feedback:report-promote": "id",
}
TAKING: Final = [at for at in ALL if at.name in IDS]


def _about(at: Route, body: dict[str, Any], id_: object) -> dict[str, Any]:
    name = IDS[at.name]
    if name == "records.id":
        return {"records": [{**body["records"][0], "id": str(id_)}]}
    return {**body, name: str(id_)}


def _ids(agent: Actor, foreigner: Foreigner, credential: object) -> dict[str, object]:
    """Ids that name nothing which the agent may see under that kind."""
    own, foreign = a_record(agent), a_record(foreigner.actor)
    return {
        "random": uuid4(),
        "foreign record": foreign.id,
        "foreign report": a_report(foreigner.actor, foreign).id,
        "foreign version": foreign.version,
        "own version": own.version,
        "own source": own.source_id,
        "own project": agent.project_id,
        "own credential": credential,
    }


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_there_is_one_404_for_all_causes(
    at: Route, call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    body, ids = a_body(at, agent), _ids(agent, foreigner, agent.id)
    other_kind = a_record(agent).id if at.name == "feedback:report-promote" else a_report(agent).id
    call(at.path, _about(at, body, uuid4()))  # the first call of a credential notes its use

    answers: dict[str, Answer] = {}
    work: dict[str, list[str]] = {}
    for cause, id_ in {**ids, "own of another kind": other_kind}.items():
        with watched() as statements:
            answers[cause] = call(at.path, _about(at, body, id_))
        work[cause] = [sql for sql, _ in statements.sent]

    assert {cause: answer.nameless for cause, answer in answers.items()} == dict.fromkeys(
        answers, answers["random"].nameless
    )
    assert work == dict.fromkeys(work, work["random"])
    assert answers["random"].refusal == (404, "not_found")
    assert answers["random"].message == "Resource was not found."
    for answer in answers.values():
        assert entries_of(answer) == [(at.view.operation_name, "refused", "not_found", 0)]


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_a_404_costs_as_much_with_a_key(
    at: Route, call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    body, foreign = a_body(at, agent), a_record(foreigner.actor).id
    call("/v1/records/list")
    work = []
    for id_ in (uuid4(), foreign):
        with watched() as statements:
            answer = call(at.path, _about(at, body, id_), headers={"Idempotency-Key": str(uuid4())})
        assert answer.refusal == (404, "not_found")
        work.append(str(statements))
    assert work[0] == work[1]


@pytest.mark.parametrize(
    "make", [uuid4, lambda: "another"], ids=["one of two is missing", "one of two is foreign"]
)
def test_a_batch_with_one_id_that_names_nothing_changes_nothing(
    make: Callable[[], object], call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    own = a_record(agent)
    id_ = make()
    other = a_record(foreigner.actor).id if id_ == "another" else id_
    records = [
        {"id": str(own.id), "expected_version": str(own.version)},
        {"id": str(other), "expected_version": str(uuid4())},
    ]

    answer = call("/v1/records/retract", {"records": records})

    assert answer.refusal == (404, "not_found")
    assert call("/v1/records/get", {"id": str(own.id)}).body["status"] == "current"


def test_a_missing_record_is_told_before_a_conflict(call: InProcess, agent: Actor) -> None:
    own = a_record(agent)
    records = [
        {"id": str(own.id), "expected_version": str(uuid4())},
        {"id": str(uuid4()), "expected_version": str(uuid4())},
    ]

    assert call("/v1/records/retract", {"records": records}).refusal == (404, "not_found")


def test_an_id_that_filters_gives_an_empty_list(
    call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    a_report(agent)
    for id_ in _ids(agent, foreigner, agent.id).values():
        assert call("/v1/feedback/list", {"record_id": str(id_)}).body == {"feedback": []}


def test_what_is_no_route_is_told_to_everybody(call: InProcess) -> None:
    for path in ("/v1", "/v1/", "/v1/records", "/v1/records/list/", "/v1/RECORDS/list", "/v1/x%00"):
        for token in (None, ""):
            answer = call(path, token=token)
            assert answer.refusal == (404, "unknown_route")
            assert answer.message == "No such route."
