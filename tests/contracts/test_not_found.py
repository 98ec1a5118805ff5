"""Missing, foreign and wrong-kind ids are one 404: bytes, headers, entry and work (`0.4`, 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID, uuid4

import pytest

from feedback.models import Outcome
from memory.actor import Actor
from tests.factories import a_record, a_report, a_run, a_source, an_outcome
from tests.factories.loop_calls import claim_id
from tests.statements import watched
from tests.valid_calls import ALL, Route, a_body, route
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
    "memory:source-observe/evidence": "context_token",
    "memory:record-consolidate": "claims.observation_id",
    "memory:record-evidence": "claim_id",
    "feedback:context-get": "context_id",
    "feedback:outcome-record": "context_id",
    "feedback:outcome-summary": "claim_id",
    "feedback:signal-summary": "record_id",
}
#: What an id on the routes of the loop begins with.
PREFIXES: Final = {
    "context_token": "ctx_",
    "claims.observation_id": "obs_",
    "claim_id": "claim_",
    "context_id": "ctx_",
}
TAKING: Final = [at for at in ALL if at.name in IDS]


def _about(at: Route, body: dict[str, Any], id_: object) -> dict[str, Any]:
    name = IDS[at.name]
    if name in PREFIXES:
        id_ = f"{PREFIXES[name]}{str(id_).replace('-', '')}"
    if name == "claims.observation_id":
        [claim] = body["claims"]
        cited = {**claim["sources"][0], "observation_id": id_}
        return {**body, "claims": [{**claim, "sources": [cited]}]}
    if name == "records.id":
        return {"records": [{**body["records"][0], "id": str(id_)}]}
    return {**body, name: str(id_)}


def _ids(agent: Actor, foreigner: Foreigner, credential: object) -> dict[str, object]:
    """Ids that name nothing which the agent may see under that kind."""
    own, foreign = a_record(agent), a_record(foreigner.actor)
    return {
        "random": uuid4(),
        "foreign run": a_run(foreigner.actor).run_id,
        "foreign observation": a_source(foreigner.actor).id,
        "foreign record": foreign.id,
        "foreign report": a_report(foreigner.actor, foreign).id,
        "foreign version": foreign.version,
        "own version": own.version,
        "own project": agent.project_id,
        "own credential": credential,
    }


def _own_of_other_kinds(at: Route, agent: Actor) -> dict[str, object]:
    """Ids of the agent's own things that a route takes for another kind of thing."""
    record = a_record(agent)
    run, source = a_run(agent), a_source(agent)
    own: dict[str, object] = {
        "own record": record.id,
        "own report": a_report(agent, record).id,
        "own run": run.run_id,
        "own outcome": an_outcome(agent, run).id,
        "own source": source.id,
    }
    kinds = {"claim_id": "record", "context_id": "run", "context_token": "run"}
    name = IDS[at.name]
    kind = "source" if "observation" in name else kinds.get(name, "record")
    del own["own report" if at.name == "feedback:report-promote" else f"own {kind}"]
    return own


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_there_is_one_404_for_all_causes(
    at: Route, call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    body, ids = a_body(at, agent), _ids(agent, foreigner, agent.id)
    at.send(call, _about(at, body, uuid4()))  # the first call of a credential notes its use

    answers: dict[str, Answer] = {}
    work: dict[str, list[str]] = {}
    for cause, id_ in {**ids, **_own_of_other_kinds(at, agent)}.items():
        with watched() as statements:
            answers[cause] = at.send(call, _about(at, body, id_))
        work[cause] = [sql for sql, _ in statements.sent]

    assert {cause: answer.nameless for cause, answer in answers.items()} == dict.fromkeys(
        answers, answers["random"].nameless
    )
    assert work == dict.fromkeys(work, work["random"])
    assert answers["random"].refusal == at.refusal(404, "not_found")
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
            headers = {"Idempotency-Key": str(uuid4())}
            answer = at.send(call, _about(at, body, id_), headers=headers)
        assert answer.refusal == at.refusal(404, "not_found")
        work.append(str(statements))
    assert work[0] == work[1]


#: Texts that are no ids of these routes, as they may stand in a path.
NO_IDS: Final = (
    *("x", "claim_does_not_exist", "claim_", "ctx_", "null", ".", "..", "*", "%00", "é", " ", "%"),
    *("0" * 32, f"claim_{'0' * 32}", f"ctx_{'0' * 32}", "claim_" + "f" * 31, "x" * 2_000),
    *("claim_" + "F" * 32, "ctx_" + "F" * 32, "CLAIM_" + "f" * 32, "claim_" + "g" * 32),
    *("claim_" + "\uff11" * 32, "-" * 36, "a;b", "a?b", "a#b", "a%2Fb", "a\nb", "'", '"', "\\"),
    "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90",
)


@pytest.mark.parametrize("at", [at for at in ALL if at.ids], ids=str)
def test_a_malformed_id_in_a_path_is_that_404_too(at: Route, call: InProcess, agent: Actor) -> None:
    [name] = at.ids
    body = a_body(at, agent)
    own = body[name]
    spoilt = [own.upper(), own[:-1], f"{own}0", f" {own}", own.partition("_")[2], f"{own}\n"]
    spoilt += [f"{other}{own.partition('_')[2]}" for other in ("ctx_", "claim_", "obs_", "fb_", "")]
    spoilt.remove(own)
    at.send(call, body)
    answers, work = {}, {}
    for text in (f"{PREFIXES[name]}{uuid4().hex}", *spoilt, *NO_IDS):
        if text in (".", ".."):  # clients take these for steps of the path
            continue
        with watched() as statements:
            answers[text] = at.send(call, body | {name: text})
        work[text] = [sql for sql, _ in statements.sent]

    first = next(iter(answers))
    assert {text: answer.nameless for text, answer in answers.items()} == dict.fromkeys(
        answers, answers[first].nameless
    )
    assert work == dict.fromkeys(work, work[first])
    assert answers[first].refusal == (404, "NOT_FOUND")
    for answer in answers.values():
        assert entries_of(answer) == [(at.view.operation_name, "refused", "not_found", 0)]


def test_a_claim_outside_of_the_pack_is_that_404_however_it_is_spelled(
    call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    at = route("feedback:outcome-record")
    body = a_body(at, agent)
    known = {"a record that the pack had not": claim_id(a_record(agent).id)}
    known["one that another pack had"] = a_body(at, agent)["claim_id"]
    known["a foreign one"] = claim_id(a_record(foreigner.actor).id)
    known["one of the pack, as records are spelled"] = str(UUID(body["claim_id"][6:]))
    known["one of the pack in capitals"] = body["claim_id"].upper()
    known["the run"] = body["context_id"]
    known |= {text: text for text in NO_IDS if 0 < len(text.strip()) <= 200}
    unknown = claim_id(uuid4())
    at.send(call, body | {"claim_id": unknown})
    work, answers = {}, {}
    for cause, id_ in {"unknown": unknown, **known}.items():
        with watched() as statements:
            answers[cause] = at.send(call, body | {"claim_id": id_})
        work[cause] = [sql for sql, _ in statements.sent]

    assert {cause: answer.nameless for cause, answer in answers.items()} == dict.fromkeys(
        answers, answers["unknown"].nameless
    )
    assert work == dict.fromkeys(work, work["unknown"])
    assert answers["unknown"].refusal == (404, "NOT_FOUND")
    for answer in answers.values():
        assert entries_of(answer) == [("outcome.record", "refused", "not_found", 0)]
    assert Outcome.objects.count() == 0


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
    an_outcome(agent, a_run(agent))
    outcomes = route("feedback:outcome-list")
    ids = {**_ids(agent, foreigner, uuid4()), "own source": a_record(agent).source_id}
    for id_ in ids.values():
        assert call("/v1/feedback/list", {"record_id": str(id_)}).body == {"feedback": []}
        digits = str(id_).replace("-", "")
        for narrow in (
            {"context_id": f"ctx_{digits}"},
            {"claim_id": f"claim_{digits}"},
            {"actor_id": str(id_)},
        ):
            assert outcomes.told(outcomes.send(call, narrow)) == {"outcomes": []}
    assert call("/v1/feedback/list", {"record_id": str(agent.id)}).body == {"feedback": []}


def test_what_is_no_route_is_told_to_everybody(call: InProcess) -> None:
    for path in ("/v1", "/v1/", "/v1/records", "/v1/records/list/", "/v1/RECORDS/list", "/v1/x%00"):
        for token in (None, ""):
            answer = call(path, token=token)
            assert answer.refusal == (404, "unknown_route")
            assert answer.message == "No such route."
    for path in ("/v1/context", "/v1/context/", "/v1/claims/x", "/v1/context/x/y", "/v1/claims//"):
        answer = call(path)
        assert (answer.refusal, answer.message) == ((404, "NOT_FOUND"), "No such route.")
