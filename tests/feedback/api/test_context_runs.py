"""`GET /v1/context/{context_id}` and `/v1/context/runs`: what was delivered (`contract.md` 4.2)."""

from __future__ import annotations

from typing import Any

from tests.looping import PERSON, SMOKE, Loop
from tests.wire import Foreigner, InProcess, entries_of

NONE = {"used": 0, "useful": 0, "irrelevant": 0, "incorrect": 0, "harmful": 0}


def _run(loop: Loop, pack: dict[str, Any]) -> Any:
    answer = loop.get(f"context/{pack['context_id']}")
    assert answer.status == 200, answer.content
    return answer.body["data"]


def _runs(loop: Loop, **asked: Any) -> Any:
    answer = loop.get("context/runs", **asked)
    assert answer.status == 200, answer.content
    return answer.body["data"]["runs"]


def test_a_run_shows_its_pack_as_it_was_delivered(loop: Loop) -> None:
    loop.claim("The smoke run returned 200.", confidence=0.9)
    loop.claim("The smoke run took a minute.", confidence=0.5)
    pack = loop.compile()

    answer = loop.get(f"context/{pack['context_id']}")

    assert answer.body["meta"] == {"request_id": answer.request_id}
    assert entries_of(answer) == [("context.get", "allowed", "", 1)]
    run = answer.body["data"]
    assert list(run) == [
        *("context_id", "task_hash", "scope", "budget", "policy_snapshot", "created_at"),
        *("recorded_by", "recorded_by_kind", "recorded_via", "recorded_at", "outcomes"),
        *("items", "conflicts", "instructions"),
    ]
    for name in ("context_id", "scope", "budget", "conflicts", "policy_snapshot", "instructions"):
        assert run[name] == pack[name]
    assert run["items"] == [
        {**item, "current_version": item["record_version"], "rank": rank}
        for rank, item in enumerate(pack["items"], start=1)
    ]
    assert run["outcomes"] == NONE
    assert run["created_at"] == run["recorded_at"] == pack["scope"]["as_of"]
    assert (run["recorded_by_kind"], run["recorded_via"]) == ("credential", "api")
    assert "query" not in run


def test_the_hash_of_a_task_says_whether_two_are_equal_and_nothing_else(
    loop: Loop, foreigner: Foreigner, call: InProcess
) -> None:
    def hashed(loop: Loop, task: str) -> str:
        digest: str = _run(loop, loop.compile(task))["task_hash"]
        return digest

    stranger = Loop(InProcess(foreigner.token))
    first = hashed(loop, "a task")
    assert len(first) == 64
    assert first == hashed(loop, "a task") == hashed(Loop(call), "a task")
    assert first not in (
        hashed(loop, "A task"),
        hashed(loop, "a task "),
        hashed(stranger, "a task"),
    )


def test_after_a_retraction_a_run_shows_what_was_delivered_and_how_it_stands(loop: Loop) -> None:
    """Metronix 346: why was this injected?"""
    kept, gone = loop.claim("The smoke run took long."), loop.claim(SMOKE)
    pack = loop.compile()
    before = _run(loop, pack)
    loop.retract(gone)

    run = _run(loop, pack)

    for item, delivered in zip(run["items"], before["items"], strict=True):
        if item["claim_id"] == kept["claim_id"]:
            assert item == delivered
            continue
        version = loop.record(gone)["version"]
        assert item == {**delivered, "status": "revoked", "current_version": version}
        assert item["record_version"] != version
    assert {name: run[name] for name in run if name != "items"} == {
        name: before[name] for name in before if name != "items"
    }


def test_after_a_correction_the_delivered_words_are_superseded(loop: Loop) -> None:
    claim = loop.claim()
    pack = loop.compile()
    new = loop.correct(claim, "The smoke run returned 204.")

    [item] = _run(loop, pack)["items"]

    assert (item["claim_id"], item["claim"]) == (claim["claim_id"], SMOKE)
    assert item["status"] == "superseded"
    assert item["score"] == pack["items"][0]["score"]
    [next_item] = loop.compile("smoke run")["items"]
    assert next_item["claim_id"] == f"claim_{new['id'].replace('-', '')}"


def test_a_run_counts_its_outcomes_by_kind(loop: Loop) -> None:
    loop.claim()
    pack = loop.compile()
    [item] = pack["items"]
    for outcome in ("useful", "useful", "harmful"):
        loop.told(pack, outcome, item)
    loop.told(pack, "irrelevant")

    expected = {**NONE, "useful": 2, "harmful": 1, "irrelevant": 1}
    assert _run(loop, pack)["outcomes"] == expected
    assert _runs(loop)[0]["outcomes"] == expected


def test_runs_are_listed_newest_first_without_their_items(loop: Loop) -> None:
    loop.claim()
    packs = [loop.compile(), loop.compile("something else", None), loop.compile()]

    runs = _runs(loop)

    assert [run["context_id"] for run in runs] == [pack["context_id"] for pack in reversed(packs)]
    for run, pack in zip(runs, reversed(packs), strict=True):
        whole = _run(loop, pack)
        assert run == {
            name: whole[name]
            for name in whole
            if name not in ("items", "conflicts", "instructions")
        }


def test_runs_are_narrowed_by_person_and_outcome(loop: Loop) -> None:
    loop.claim()
    own, others, nobodys = loop.compile(), loop.compile(person="x"), loop.compile(person=None)
    loop.told(own, "useful", own["items"][0])
    loop.told(others, "harmful")

    def ids(**asked: Any) -> list[str]:
        return [run["context_id"] for run in _runs(loop, **asked)]

    assert ids() == [pack["context_id"] for pack in (nobodys, others, own)]
    assert ids(subject_id=PERSON) == [own["context_id"]]
    assert ids(subject_id="x") == [others["context_id"]]
    assert ids(subject_id="a stranger") == []
    assert ids(outcome="useful") == [own["context_id"]]
    assert ids(outcome="harmful") == [others["context_id"]]
    assert ids(outcome="used") == []
    assert ids(outcome="useful", subject_id="x") == []
    assert ids(outcome="harmful", subject_id="x") == [others["context_id"]]


def test_runs_of_another_project_are_not_seen(loop: Loop, foreigner: Foreigner) -> None:
    pack = loop.compile()
    stranger = Loop(InProcess(foreigner.token))

    assert _runs(stranger) == []
    assert stranger.get(f"context/{pack['context_id']}").refusal == (404, "NOT_FOUND")
    assert len(_runs(loop)) == 1


def test_one_page_leads_to_the_next(loop: Loop) -> None:
    ids = [loop.compile(person=None)["context_id"] for _ in range(5)]
    first = loop.get("context/runs", limit=2).body
    second = loop.get("context/runs", limit=2, after=first["data"]["next"]).body
    last = loop.get("context/runs", limit=2, after=second["data"]["next"]).body

    assert list(first) == ["data", "meta"]
    assert list(first["data"]) == ["runs", "next"]
    walked = [run["context_id"] for page in (first, second, last) for run in page["data"]["runs"]]
    assert walked == ids[::-1]
    assert "next" not in last["data"]
