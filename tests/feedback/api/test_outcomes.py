"""Outcomes: what they move, and all that they leave as it was (titen seed; `contract.md` 4.3)."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from uuid import UUID

import pytest
from django.db import connection

from feedback.models import Outcome
from memory.actor import Actor
from memory.operations.configure_project import configure_project
from memory.vocabulary import UtilityScope
from tests.factories import a_record, a_run, an_outcome, fresh
from tests.looping import PERSON, SMOKE, Loop, record_id
from tests.observed import changed_tables, content
from tests.statements import watched
from tests.wire import Answer, Foreigner, InProcess, entries_of

TASK: Final = "smoke run returned 200"
OUTCOMES: Final = ("used", "useful", "irrelevant", "incorrect", "harmful")
NONE: Final = dict.fromkeys(OUTCOMES, 0)
BELIEVED: Final = ("memory_record", "memory_recordversion", "memory_citation", "memory_source")


def _settings(operator: Actor, **said: Any) -> None:
    configure_project(actor=fresh(operator), **said)


def _item(loop: Loop, claim: dict[str, Any], **asked: Any) -> Any:
    """The claim as a compile of the task delivers it now."""
    items = loop.compile(TASK, **asked)["items"]
    return next(item for item in items if item["claim_id"] == claim["claim_id"])


def _utility(loop: Loop, claim: dict[str, Any], **asked: Any) -> float:
    utility: float = _item(loop, claim, **asked)["score_components"]["utility"]
    return utility


def _outcomes(loop: Loop, **asked: Any) -> Any:
    answer = loop.get("context/outcomes", **asked)
    assert answer.status == 200, answer.content
    return answer.body["data"]["outcomes"]


# --- The published rule -----------------------------------------------------------------------


def test_the_table_of_the_seed(loop: Loop) -> None:
    """Before 0.795, after three `useful` 0.84; only the score and its utility moved."""
    claim = loop.claim("The smoke run returned 200.", seen="verified", confidence=0.9)
    before = _item(loop, claim)

    for _ in range(3):
        run = loop.compile(TASK)
        loop.told(run, "useful", run["items"][0])
    after = _item(loop, claim)

    table = {"relevance": 1, "trust": 0.666667, "recency": 1, "conflict": 1, "confidence": 0.9}
    assert before["score_components"] == {**table, "utility": 0.5}
    assert before["score"] == 0.795
    assert after["score_components"] == {**table, "utility": 1}
    assert after["score"] == 0.84
    moved = ("score", "score_components")
    assert {n: v for n, v in before.items() if n not in moved} == {
        n: v for n, v in after.items() if n not in moved
    }


@pytest.mark.parametrize("is_one_run", [True, False], ids=["on one run", "on a run each"])
def test_fewer_than_three_signals_move_nothing(is_one_run: bool, loop: Loop) -> None:  # noqa: FBT001
    """Uteke 718: one click shifted the score."""
    claim = loop.claim(confidence=0.8)
    run = loop.compile(TASK)
    first = _item(loop, claim)
    seen = []

    for _ in range(4):
        loop.told(run if is_one_run else loop.compile(TASK), "useful", claim)
        seen.append(_item(loop, claim))

    assert seen[0] == seen[1] == first
    assert [item["score_components"]["utility"] for item in seen] == [0.5, 0.5, 1, 1]
    assert seen[2]["score"] - first["score"] == pytest.approx(0.05 * 0.8, abs=1e-9)


@pytest.mark.parametrize(
    ("outcomes", "utility"),
    [
        (["useful"] * 3, 1),
        (["used"] * 3, 1),
        (["irrelevant"] * 3, 0),
        (["incorrect"] * 3, 0),
        (["harmful"] * 3, 0),
        (["useful", "used", "harmful"], 0.666667),
        (["useful", "irrelevant", "incorrect"], 0.333333),
        (["useful", "useful", "harmful", "harmful"], 0.5),
        (["useful"] * 6 + ["harmful"], 0.857143),
    ],
)
def test_utility_is_the_share_of_what_is_positive(
    outcomes: list[str], utility: float, loop: Loop
) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)
    for outcome in outcomes:
        loop.told(run, outcome, claim)

    assert _utility(loop, claim) == utility
    summary = loop.summary(claim)
    positive = sum(outcome in ("used", "useful") for outcome in outcomes)
    assert summary["counted"] == {
        "positive": positive,
        "negative": len(outcomes) - positive,
        "total": len(outcomes),
    }
    assert summary["outcomes"] == {kind: outcomes.count(kind) for kind in OUTCOMES}
    assert summary["utility"] == pytest.approx(utility, abs=1e-6)


def test_an_outcome_about_the_run_moves_nothing(loop: Loop) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)
    before = _item(loop, claim)

    told = [loop.told(run, "harmful") for _ in range(5)]

    assert {outcome["claim_id"] for outcome in told} == {None}
    assert _item(loop, claim) == before
    assert loop.summary(claim)["outcomes"] == NONE
    assert [row["counts"] for row in _outcomes(loop)] == [False] * 5
    assert [row["claim_id"] for row in _outcomes(loop)] == [None] * 5


def test_outcomes_reorder_neighbours(loop: Loop) -> None:
    first = loop.claim("Smoke run returned 200 early.")
    second = loop.claim("Smoke run returned 200 late.")
    run = loop.compile(TASK)
    [winner, loser] = run["items"]
    assert winner["score"] == loser["score"]
    for _ in range(3):
        loop.told(run, "useful", loser)
        loop.told(run, "harmful", winner)

    items = loop.compile(TASK)["items"]

    assert {first["claim_id"], second["claim_id"]} == {item["claim_id"] for item in items}
    assert [item["claim_id"] for item in items] == [loser["claim_id"], winner["claim_id"]]


def test_outcomes_cannot_outvote_relevance_or_trust(loop: Loop) -> None:
    good = loop.claim("Smoke run returned 200.", seen="verified")
    poor = loop.claim("Another run was on a Monday in November.", seen="untrusted")
    run = loop.compile(TASK)
    for _ in range(20):
        loop.told(run, "useful", poor)
        loop.told(run, "harmful", good)

    items = loop.compile(TASK)["items"]

    assert [item["claim_id"] for item in items] == [good["claim_id"], poor["claim_id"]]


# --- The settings -----------------------------------------------------------------------------


def test_with_one_vote_a_run_a_key_that_repeats_itself_is_one_signal(
    loop: Loop, operator: Actor
) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)
    for outcome in ("harmful", "useful", "useful", "useful"):
        loop.told(run, outcome, claim)
    assert _utility(loop, claim) == 0.75

    _settings(operator, one_vote_per_run=True)

    assert _utility(loop, claim) == 0.5
    assert loop.summary(claim)["counted"] == {"positive": 1, "negative": 0, "total": 1}
    assert loop.summary(claim)["outcomes"] == {**NONE, "useful": 3, "harmful": 1}
    assert [row["counts"] for row in _outcomes(loop)] == [True, False, False, False]
    for _ in range(2):
        loop.told(loop.compile(TASK), "useful", claim)
    assert _utility(loop, claim) == 1
    _settings(operator, one_vote_per_run=False)
    assert _utility(loop, claim) == 0.833333


def test_with_one_vote_a_run_the_latest_of_each_actor_counts(
    loop: Loop, another: Loop, operator: Actor
) -> None:
    """Phoenix 6440: a second feedback overrode the first, and others were ignored."""
    _settings(operator, one_vote_per_run=True)
    claim = loop.claim()
    run = loop.compile(TASK)
    loop.told(run, "useful", claim)
    another.told(run, "harmful", claim)
    loop.told(run, "incorrect", claim)

    summary = loop.summary(claim)

    assert summary["counted"] == {"positive": 0, "negative": 2, "total": 2}
    assert summary["distinct_actors"] == 2
    assert [row["counts"] for row in _outcomes(loop)] == [True, True, False]
    assert len(_outcomes(loop, claim_id=claim["claim_id"])) == 3


def test_one_actor_moves_nothing_where_two_are_needed(
    loop: Loop, another: Loop, operator: Actor
) -> None:
    _settings(operator, minimum_actors=2)
    claim = loop.claim()
    run = loop.compile(TASK)
    for _ in range(10):
        loop.told(run, "useful", claim)
    alone = (_utility(loop, claim), loop.summary(claim))

    another.told(run, "useful", claim)

    assert alone[0] == 0.5
    assert (alone[1]["utility"], alone[1]["distinct_actors"]) == (0.5, 1)
    assert alone[1]["minimum_actors"] == 2
    assert _utility(loop, claim) == 1
    assert loop.summary(claim)["distinct_actors"] == 2


def test_in_the_scope_of_a_task_only_outcomes_of_equal_tasks_count(
    loop: Loop, operator: Actor
) -> None:
    claim = loop.claim("The smoke run returned 200.")
    taught = loop.compile(TASK)
    for _ in range(3):
        loop.told(taught, "useful", claim)

    def utilities() -> list[float]:
        tasks = (TASK, "Returned: 200, the smoke's RUN?", "smoke run", "smoke run returned 500")
        packs = [loop.compile(task)["items"] for task in tasks]
        return [items[0]["score_components"]["utility"] for items in packs]

    assert utilities() == [1, 1, 1, 1]
    _settings(operator, utility_scope=UtilityScope.TASK)
    assert utilities() == [1, 1, 0.5, 0.5]
    assert loop.summary(claim)["utility"] == 1
    _settings(operator, utility_scope=UtilityScope.RECORD)
    assert utilities() == [1, 1, 1, 1]


# --- What outcomes never do -------------------------------------------------------------------


def _vote_often(run: dict[str, Any], number: int) -> None:
    """So many more outcomes like the last one, by SQL: the exception that bulk rows are."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO feedback_outcome SELECT (jsonb_populate_record(o, jsonb_build_object("
            "'id', gen_random_uuid()))).* FROM feedback_outcome o, generate_series(1, %s)"
            " WHERE o.id = (SELECT id FROM feedback_outcome WHERE run_id = %s"
            " ORDER BY recorded_at DESC LIMIT 1)",
            [number, UUID(run["context_id"].removeprefix("ctx_"))],
        )


@pytest.mark.parametrize("outcome", ["useful", "harmful"])
def test_a_thousand_outcomes_leave_everything_but_the_score(outcome: str, loop: Loop) -> None:
    claim = loop.claim(seen="verified")
    loop.claim("A neighbour of the smoke run.")
    run = loop.compile(TASK)
    asked = (f"claims/{claim['claim_id']}/evidence", "freshness")
    before = (
        {table: content()[table] for table in BELIEVED},
        json.dumps(loop.record(claim)),
        [json.dumps(loop.get(path).body.get("data")) for path in asked],
        loop.post("citations/resolve", {"id": record_id(claim)}).content,
        json.dumps(_recalled(loop)),
    )

    for _ in range(3):
        loop.told(run, outcome, claim)
    _vote_often(run, 997)

    assert Outcome.objects.filter(kind=outcome).count() == 1000
    assert _utility(loop, claim) == (1 if outcome == "useful" else 0)
    after = (
        {table: content()[table] for table in BELIEVED},
        json.dumps(loop.record(claim)),
        [json.dumps(loop.get(path).body.get("data")) for path in asked],
        loop.post("citations/resolve", {"id": record_id(claim)}).content,
        json.dumps(_recalled(loop)),
    )
    assert after == before


def _recalled(loop: Loop) -> Any:
    asked = {"question": TASK, "data_subject_id": PERSON, "source_roles": ["tool"]}
    return loop.post("recalls", asked).body


def test_an_outcome_writes_one_row_and_nothing_else(loop: Loop) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)
    told: list[Answer] = []

    changed = changed_tables(
        lambda: told.append(loop.tell(run, "incorrect", claim, reason_code="stale"))
    )

    assert changed == {"feedback_outcome": (0, 1)}
    assert entries_of(told[0]) == [("outcome.record", "allowed", "", 1)]
    assert loop.record(claim)["status"] == "current"


def test_outcomes_of_another_project_never_count(loop: Loop, foreigner: Foreigner) -> None:
    claim = loop.claim("The smoke run returned 200.")
    theirs = a_record(foreigner.actor, statement="The smoke run returned 200.", data_subject=PERSON)
    run = a_run(foreigner.actor, TASK, data_subject=PERSON)
    for _ in range(3):
        an_outcome(foreigner.actor, run, theirs.id)

    assert _utility(loop, claim) == 0.5
    assert loop.summary(claim)["outcomes"] == NONE
    assert _outcomes(loop) == []
    stranger = Loop(InProcess(foreigner.token))
    assert stranger.summary({"claim_id": f"claim_{theirs.id.hex}"})["utility"] == 1


def test_negative_outcomes_survive_a_retraction_and_are_listed(loop: Loop) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)
    told = [loop.told(run, "incorrect", claim, reason_code="wrong") for _ in range(3)]
    before = _outcomes(loop)
    loop.retract(claim)

    after = loop.told(run, "harmful", claim)

    assert _outcomes(loop)[1:] == before
    assert {row["feedback_id"] for row in before} == {row["feedback_id"] for row in told}
    assert _outcomes(loop)[0]["feedback_id"] == after["feedback_id"]
    assert loop.summary(claim)["outcomes"] == {**NONE, "incorrect": 3, "harmful": 1}
    assert loop.summary(claim)["utility"] == 0


def test_a_correction_starts_anew(loop: Loop) -> None:
    claim = loop.claim("The smoke run returned 200.")
    run = loop.compile(TASK)
    for _ in range(3):
        loop.told(run, "harmful", claim)
    new = loop.correct(claim, "The smoke run returned 200 again.")

    successor = {"claim_id": f"claim_{new['id'].replace('-', '')}"}

    assert _utility(loop, successor) == 0.5
    assert loop.summary(successor)["outcomes"] == NONE
    assert loop.summary(claim)["outcomes"] == {**NONE, "harmful": 3}


def test_utility_counts_the_outcomes_of_today_whatever_the_time_of_the_pack(loop: Loop) -> None:
    claim = loop.claim(valid_from="2019-01-01T00:00:00Z")
    run = loop.compile(TASK)
    for _ in range(3):
        loop.told(run, "useful", claim)

    assert _utility(loop, claim, at="2020-01-01T00:00:00Z") == 1


# --- The route --------------------------------------------------------------------------------


def test_an_outcome_is_answered_with_its_ids(loop: Loop) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)

    answer = loop.tell(run, "useful", claim)

    assert answer.status == 201
    assert answer.body == {
        "data": {
            "feedback_id": answer.body["data"]["feedback_id"],
            "context_id": run["context_id"],
            "claim_id": claim["claim_id"],
            "outcome": "useful",
            "recorded_at": answer.body["data"]["recorded_at"],
        },
        "meta": {"request_id": answer.request_id, "replayed": False},
    }
    assert re.fullmatch("fb_[0-9a-f]{32}", answer.body["data"]["feedback_id"])
    assert list(answer.body["data"])[:3] == ["feedback_id", "context_id", "claim_id"]


@pytest.mark.parametrize("outcome", ["ok", "Useful", "useful ", "", None, 1, ["useful"], True])
def test_any_other_outcome_is_refused(outcome: Any, loop: Loop) -> None:
    """Phoenix 15269: the built-in list could be renamed or deleted."""
    run = loop.compile(TASK)

    answer = loop.tell(run, outcome)

    words = "must be one of: used, useful, irrelevant, incorrect, harmful."
    assert answer.refusal == (400, "VALIDATION_ERROR")
    assert answer.message == (
        'Field "outcome" is required.' if outcome is None else f'Field "outcome" {words}'
    )
    assert Outcome.objects.count() == 0


def test_whoever_may_write_may_tell_and_a_reader_may_not(
    loop: Loop, another: Loop, call: InProcess, call_ro: InProcess
) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)

    answers = [Loop(who).tell(run, "used", claim) for who in (another.call, call)]
    refused = Loop(call_ro).tell(run, "used", claim)

    assert [answer.status for answer in answers] == [201, 201]
    assert refused.refusal == (403, "FORBIDDEN")
    assert loop.summary(claim)["distinct_actors"] == 2


def test_a_claim_that_was_not_in_the_pack_is_the_404_of_an_unknown_one(
    loop: Loop, foreigner: Foreigner
) -> None:
    """Feedback cannot be used to probe which claims exist."""
    loop.claim()
    run = loop.compile(TASK)
    outside = loop.claim("Something about a herd.")
    later = loop.claim()
    foreign = {"claim_id": f"claim_{a_record(foreigner.actor).id.hex}"}
    unknown = {"claim_id": f"claim_{'0123456789abcdef' * 2}"}
    loop.tell(run, "useful", unknown)
    work, answers = [], []
    for claim in (unknown, outside, later, foreign, {"claim_id": "claim_does_not_exist"}):
        with watched() as statements:
            answers.append(loop.tell(run, "useful", claim))
        work.append([sql for sql, _ in statements.sent])

    assert answers[0].refusal == (404, "NOT_FOUND")
    assert answers[0].message == "Resource was not found."
    assert [answer.nameless for answer in answers] == [answers[0].nameless] * 5
    assert work == [work[0]] * 5
    assert Outcome.objects.count() == 0


def test_outcomes_are_listed_newest_first_with_who_said_what(loop: Loop, another: Loop) -> None:
    claim = loop.claim()
    run = loop.compile(TASK)
    first = loop.told(run, "useful", claim, reason_code="saved an hour")
    second = another.told(run, "harmful")

    answer = loop.get("context/outcomes")

    assert answer.body["meta"] == {"request_id": answer.request_id}
    assert entries_of(answer) == [("outcome.list", "allowed", "", 2)]
    [newest, oldest] = answer.body["data"]["outcomes"]
    assert oldest == {
        **first,
        "reason_code": "saved an hour",
        "counts": True,
        "recorded_by": oldest["recorded_by"],
        "recorded_by_kind": "credential",
        "recorded_via": "api",
    }
    assert list(oldest) == [
        *("feedback_id", "context_id", "claim_id", "outcome", "reason_code", "counts"),
        *("recorded_by", "recorded_by_kind", "recorded_via", "recorded_at"),
    ]
    assert newest["feedback_id"] == second["feedback_id"]
    assert (newest["claim_id"], newest["reason_code"], newest["counts"]) == (None, None, False)
    assert newest["recorded_by"] != oldest["recorded_by"]


def test_outcomes_are_narrowed_by_run_claim_kind_and_actor(loop: Loop, another: Loop) -> None:
    claim, other = loop.claim(), loop.claim("The smoke run took long.")
    first, second = loop.compile(TASK), loop.compile(TASK)
    told = {
        "a": loop.told(first, "useful", claim),
        "b": loop.told(first, "harmful", other),
        "c": another.told(second, "useful", claim),
        "d": another.told(second, "used"),
    }
    names = {row["feedback_id"]: name for name, row in told.items()}
    actors = {row["feedback_id"]: row["recorded_by"] for row in _outcomes(loop)}
    mine = actors[told["a"]["feedback_id"]]

    def found(**asked: str) -> str:
        return "".join(names[row["feedback_id"]] for row in _outcomes(loop, **asked))

    assert found() == "dcba"
    assert found(context_id=first["context_id"]) == "ba"
    assert found(claim_id=claim["claim_id"]) == "ca"
    assert found(outcome="useful") == "ca"
    assert found(actor_id=mine) == "ba"
    assert found(actor_id=mine, outcome="useful") == "a"
    assert found(claim_id=claim["claim_id"], context_id=second["context_id"]) == "c"
    assert found(claim_id=other["claim_id"], outcome="useful") == ""
    both = {"claim_id": claim["claim_id"], "outcome": "useful", "context_id": first["context_id"]}
    assert found(**both, actor_id=mine) == "a"


def test_a_page_of_outcomes_leads_to_the_next(loop: Loop) -> None:
    run = loop.compile(TASK)
    ids = [loop.told(run, "used")["feedback_id"] for _ in range(5)]
    first = loop.get("context/outcomes", limit=2, outcome="used").body["data"]
    after = {"limit": 3, "outcome": "used", "after": first["next"]}
    rest = loop.get("context/outcomes", **after).body["data"]

    walked = [row["feedback_id"] for row in first["outcomes"] + rest["outcomes"]]
    assert walked == ids[::-1]
    assert "next" not in rest
    wrong = loop.get("context/outcomes", limit=3, outcome="useful", after=first["next"])
    assert wrong.refusal == (400, "VALIDATION_ERROR")


def test_a_summary_of_a_claim_that_nobody_graded(loop: Loop) -> None:
    claim = loop.claim()

    answer = loop.get(f"claims/{claim['claim_id']}/outcomes")

    assert answer.body == {
        "data": {
            "claim_id": claim["claim_id"],
            "outcomes": NONE,
            "counted": {"positive": 0, "negative": 0, "total": 0},
            "distinct_actors": 0,
            "minimum_actors": 1,
            "utility": 0.5,
        },
        "meta": {"request_id": answer.request_id},
    }
    assert list(answer.body["data"]["outcomes"]) == list(OUTCOMES)
    assert entries_of(answer) == [("outcome.summary", "allowed", "", 1)]


def test_the_round_of_the_client_of_titen_passes_again_and_again(loop: Loop) -> None:
    content_, statement = "The pyclient smoke returned 200 application/json.", SMOKE
    for round_ in range(1, 4):
        seen = loop.observe(content_, "user_pyclient")
        draft = loop.draft(statement, seen, confidence=0.9)
        [claim] = loop.consolidate(draft, person="user_pyclient").body["data"]["claims"]
        pack = loop.compile("smoke result", "user_pyclient", max_tokens=900)
        assert [item["claim"] for item in pack["items"]] == [statement]
        assert pack["budget"]["deduplicated_items"] == round_ - 1
        evidence = loop.get(f"claims/{claim['claim_id']}/evidence").body["data"]
        assert [row["observation_id"] for row in evidence["evidence"]["supporting"]] == [
            seen["observation_id"]
        ]
        told = loop.told(pack, "useful", pack["items"][0])
        assert told["feedback_id"].startswith("fb_")
