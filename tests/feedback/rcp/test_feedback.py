"""`feedback`: validated as a whole, stored as advice, changing nothing (`protocols.md` 1.9)."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

import pytest
from django.db import connection

from feedback.models import IntegrityItem, Signal
from feedback.operations.record_signals import SignalDraft, record_signals
from memory.actor import Actor
from memory.models import AuditEntry
from memory.operations.assert_records import AssertedRecord
from memory.operations.issue_credential import issue_credential
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Access, Edge
from tests.factories import MARKER, a_record, fresh, some_records
from tests.rcp import Client, HttpDoor, a_call
from tests.statements import watched
from tests.wire import Foreigner, InProcess

pytestmark = pytest.mark.django_db

SAID: Final = {
    "used": True,
    "cited": False,
    "helpful": True,
    "reward": 0.8,
    "poisonSuspected": False,
    "injectionSuspected": True,
}


def hit_id(record: AssertedRecord) -> str:
    """The id of a record's hit."""
    return f"{record.id}@{record.version}"


def say(rcp: Client, *signals: Any, **params: Any) -> int:
    """How many signals were accepted."""
    return int(rcp.result("feedback", {"signals": list(signals), **params})["accepted"])


def refusal(rcp: Client, *signals: Any, **params: Any) -> tuple[int, str]:
    """Code and named field of a refused call."""
    error = rcp.error("feedback", {"signals": list(signals), **params})
    return error["code"], error["data"]["field"]


# --- The call ------------------------------------------------------------------------------------


def test_the_example_of_the_specification_is_accepted(rcp: Client, agent: Actor) -> None:
    record = a_record(agent)

    accepted = say(
        rcp,
        {"hitId": hit_id(record), "used": True, "cited": True, "reward": 0.8},
        {"hitId": "blog:spam#1", "poisonSuspected": True},
        sessionId="traj-42",
        query="capital of Burundi",
    )

    assert accepted == 2
    bound, unbound = Signal.objects.order_by("record_id")
    assert (bound.record_id, bound.record_version) == (record.id, record.version)
    assert (bound.is_used, bound.is_cited, bound.reward) == (True, True, 0.8)
    assert (bound.is_helpful, bound.is_poison_suspected) == (None, None)
    assert (unbound.record_id, unbound.is_poison_suspected) == (None, True)
    assert {row.recorded_via for row in (bound, unbound)} == {"rcp"}
    assert {row.recorded_by_id for row in (bound, unbound)} == {agent.id}


def test_all_that_is_said_is_stored(rcp: Client, agent: Actor) -> None:
    record = a_record(agent)
    say(rcp, {"hitId": hit_id(record), **SAID})

    row = Signal.objects.get()

    said = (row.is_used, row.is_cited, row.is_helpful, row.reward)
    assert said == (True, False, True, 0.8)
    assert (row.is_poison_suspected, row.is_injection_suspected) == (False, True)


def test_no_signals_are_no_fault(rcp: Client) -> None:
    assert say(rcp) == 0
    assert AuditEntry.objects.filter(operation="signal.record", magnitude=0).count() == 1


@pytest.mark.parametrize("reward", [-1, 1, 0, -1.0, 0.25, 5e-324])
def test_a_reward_is_any_number_from_minus_one_to_one(reward: float, rcp: Client) -> None:
    assert say(rcp, {"hitId": "x", "reward": reward}) == 1
    assert Signal.objects.get().reward == reward


def test_null_means_that_nothing_is_said(rcp: Client) -> None:
    signal = {"hitId": "x", **dict.fromkeys(SAID), "new": {"a": 1}}

    assert say(rcp, signal, sessionId=None, query=None, _meta=None, new=5) == 1
    row = Signal.objects.get()
    assert (row.is_used, row.reward, row.session_digest, row.query_digest) == (None,) * 4


NO_FLAGS: Final[tuple[Any, ...]] = (1, 0, "true", [], {})
#: Values that each field of a signal refuses; the empty name is the signal itself.
BAD_SIGNALS: Final[dict[str, tuple[Any, ...]]] = {
    "hitId": (None, True, "", "x" * 201, [], {}),
    **{name: NO_FLAGS for name in SAID if name != "reward"},
    "reward": (1.01, -1.01, 2, "0.5", True, [], 10**40),
}
#: The same of params.
BAD_PARAMS: Final[dict[str, tuple[Any, ...]]] = {
    "signals": (None, 5, "x", {}, True),
    "sessionId": (5, True, "x" * 257),
    "query": (5, ["x"], "é" * 4_097),
    "_meta": (5, "x", []),
}


@pytest.mark.parametrize("name", BAD_SIGNALS)
def test_one_malformed_signal_stores_none(name: str, rcp: Client) -> None:
    for value in BAD_SIGNALS[name]:
        signal = {"hitId": "x", name: value}
        found = refusal(rcp, {"hitId": "fine"}, signal, {"hitId": "fine"})
        assert found == (-32602, f"signals[1].{name}"), value
    assert not Signal.objects.exists()


def test_a_signal_is_an_object_with_a_hit(rcp: Client) -> None:
    values: tuple[Any, ...] = (5, "x", None, [], True)
    for value in values:
        assert refusal(rcp, {"hitId": "fine"}, value) == (-32602, "signals[1]"), value
    assert refusal(rcp, {"used": True}) == (-32602, "signals[0].hitId")
    assert not Signal.objects.exists()


@pytest.mark.parametrize("name", BAD_PARAMS)
def test_a_malformed_param_is_refused_by_name(name: str, rcp: Client) -> None:
    for value in BAD_PARAMS[name]:
        error = rcp.error("feedback", {"signals": [], name: value})
        assert (error["code"], error["data"]["field"]) == (-32602, name), value


def test_a_key_is_visible_ascii(rcp: Client) -> None:
    for value in (5, "", "two words", "é", "x" * 256, True):
        error = rcp.error("feedback", {"signals": [], "_meta": {"idempotencyKey": value}})
        assert (error["code"], error["data"]["field"]) == (-32602, "_meta.idempotencyKey"), value


def test_too_many_signals_are_too_large(rcp: Client) -> None:
    assert say(rcp, *[{"hitId": "x"}] * 256) == 256
    assert refusal(rcp, *[{"hitId": "x"}] * 257) == (-32013, "signals")
    assert Signal.objects.count() == 256


def test_texts_may_be_as_long_as_they_may_be(rcp: Client) -> None:
    assert say(rcp, {"hitId": "🦓" * 200}, sessionId="🦓" * 256, query="é" * 4_096) == 1
    assert say(rcp, {"hitId": "\u0000"}, sessionId="", query="\u0000 ") == 1


# --- What hits are -------------------------------------------------------------------------------


def test_a_hit_resolves_to_record_and_version(rcp: Client, agent: Actor) -> None:
    record, other = some_records(agent, 2)
    for given, expected in (
        (hit_id(record), (record.id, record.version)),
        (str(record.id), (record.id, None)),
        (f"{record.id}@{other.version}", (None, None)),
        (f"{record.id}@{uuid4()}", (None, None)),
        (f"{record.id}@", (None, None)),
        (f"{record.id}@{record.version}@", (None, None)),
        (f" {record.id}", (None, None)),
        (str(record.id).upper(), (None, None)),
        (record.id.hex, (None, None)),
        (str(uuid4()), (None, None)),
        (f"{uuid4()}@{record.version}", (None, None)),
        (5, (None, None)),
        (-1.5, (None, None)),
        (10**60, (None, None)),
    ):
        before = set(Signal.objects.values_list("id", flat=True))
        assert say(rcp, {"hitId": given}) == 1
        row = Signal.objects.exclude(id__in=before).get()
        assert (row.record_id, row.record_version) == expected, given
        assert (row.hit_digest is None) == (row.record_id is not None)


def test_a_closed_record_resolves(rcp: Client, agent: Actor) -> None:
    record = a_record(agent)
    drafts = [RetractionDraft(record_id=record.id, expected_version=record.version)]
    retract_records(actor=fresh(agent), retractions=drafts)

    say(rcp, {"hitId": hit_id(record), "used": True})

    assert Signal.objects.get().record_id == record.id


@pytest.mark.parametrize("said", ["used", "poisonSuspected"])
def test_nobody_can_tell_which_hits_exist(
    said: str, call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    ours, theirs = a_record(agent), a_record(foreigner.actor)
    answers, sent = [], []
    HttpDoor(call).post("/ping", a_call("ping"))
    for given in (
        hit_id(ours), hit_id(theirs), str(theirs.id), f"{uuid4()}@{uuid4()}", "no id", 5,
    ):  # fmt: skip
        frame = a_call("feedback", {"signals": [{"hitId": given, said: True}]}, id=1)
        with watched() as statements:
            answer = HttpDoor(call).post("/feedback", frame)
        answers.append((answer.status, answer.content, sorted(answer.headers)))
        sent.append(len(statements))

    assert len({str(answer) for answer in answers}) == 1
    # A suspicion of one's own record is counted, too; what others have is like what nobody has.
    assert set(sent[1 if said == "poisonSuspected" else 0 :]) == {sent[1]}
    bound = Signal.objects.filter(record__isnull=False)
    assert [row.record_id for row in bound] == [ours.id]


def test_no_text_of_a_call_is_kept(rcp: Client, agent: Actor) -> None:
    secret = "xylophone"
    say(
        rcp,
        {"hitId": f"{secret}-hit", "used": True, "note": secret},
        sessionId=f"{secret}-session",
        query=f"{secret} query",
        _meta={"idempotencyKey": f"{secret}-key", "trace": secret},
    )
    a_record(agent)

    with connection.cursor() as cursor:
        for table in ("feedback_signal", "memory_auditentry", "memory_idempotencykey"):
            cursor.execute(f"SELECT string_agg(to_jsonb(t)::text, ' ') FROM {table} t")  # noqa: S608 - ours
            text = str(cursor.fetchone()[0])
            assert secret not in text
            assert secret.encode().hex() not in text
    row = Signal.objects.get()
    assert len({bytes(row.hit_digest), bytes(row.session_digest), bytes(row.query_digest)}) == 3  # type: ignore[arg-type]


def test_equal_sessions_are_known_as_such_within_a_project_only(
    rcp: Client, call: InProcess, foreigner: Foreigner
) -> None:
    stranger = Client(HttpDoor(call, token=foreigner.token))
    for client in (rcp, rcp, stranger):
        say(client, {"hitId": "x"}, sessionId="s", query="q")

    for column in ("hit_digest", "session_digest", "query_digest"):
        digests = [bytes(value) for value in Signal.objects.values_list(column, flat=True)]
        assert (len(digests), len(set(digests))) == (3, 2)


# --- Repeating -----------------------------------------------------------------------------------


def test_without_a_key_every_call_adds_rows(rcp: Client) -> None:
    for _ in range(2):
        say(rcp, {"hitId": "x"})
    assert Signal.objects.count() == 2


def test_with_a_key_a_call_is_stored_once(rcp: Client, new_session: Any, rcp_ro: Client) -> None:
    signals = [{"hitId": "x", "reward": 1}, {"hitId": "y", "used": False}]
    meta = {"_meta": {"idempotencyKey": "key-1"}}
    assert say(rcp, *signals, sessionId="s", **meta) == 2

    again = [{"hitId": "x", "reward": 1.0, "cited": None, "new": 1}, signals[1]]
    assert say(rcp, *again, sessionId="s", query=None, **meta) == 2
    assert say(new_session().initialized(), *signals, sessionId="s", **meta) == 2
    assert Signal.objects.count() == 2
    assert rcp_ro.result("info")  # another credential exists
    magnitudes = AuditEntry.objects.filter(operation="signal.record").order_by("recorded_at")
    assert sorted(magnitudes.values_list("magnitude", flat=True)) == [0, 0, 2]


@pytest.mark.parametrize(
    "change",
    [
        {"signals": [{"hitId": "x", "reward": 0.5}]},
        {"signals": [{"hitId": "y", "reward": 1}]},
        {"signals": [{"hitId": "x"}]},
        {"signals": [{"hitId": "x", "reward": 1}] * 2},
        {"signals": []},
        {"sessionId": "other"},
        {"query": "other"},
    ],
    ids=str,
)
def test_a_key_of_other_content_is_a_conflict(change: dict[str, Any], rcp: Client) -> None:
    params = {"signals": [{"hitId": "x", "reward": 1}], "_meta": {"idempotencyKey": "key-1"}}
    rcp.result("feedback", params)

    error = rcp.error("feedback", {**params, **change})

    assert error["code"] == -32016
    assert Signal.objects.count() == 1
    refused = AuditEntry.objects.get(operation="signal.record", outcome="refused")
    assert (refused.code, refused.edge) == ("idempotency_conflict", Edge.RCP)


def test_a_key_belongs_to_one_credential(
    rcp: Client, call: InProcess, foreigner: Foreigner
) -> None:
    meta = {"_meta": {"idempotencyKey": "key-1"}}
    stranger = Client(HttpDoor(call, token=foreigner.token))

    assert (say(rcp, {"hitId": "x"}, **meta), say(stranger, {"hitId": "y"}, **meta)) == (1, 1)


def test_a_refused_call_leaves_no_key(rcp: Client) -> None:
    meta = {"_meta": {"idempotencyKey": "key-1"}}
    assert refusal(rcp, {"hitId": ""}, **meta)[0] == -32602

    assert say(rcp, {"hitId": "x"}, **meta) == 1


# --- Suspicion -----------------------------------------------------------------------------------


def test_a_quorum_of_actors_opens_one_item(
    rcp: Client, call: InProcess, agent: Actor, operator: Actor
) -> None:
    record = a_record(agent)
    suspicion = {"hitId": hit_id(record), "poisonSuspected": True}
    for _ in range(5):
        say(rcp, suspicion, suspicion)
    assert not IntegrityItem.objects.exists()

    token = issue_credential(actor=fresh(operator), name="second", access=Access.READ_WRITE).token
    second = Client(HttpDoor(call, token=token))
    say(second, {"hitId": hit_id(record), "used": True})
    assert not IntegrityItem.objects.exists()
    say(second, {"hitId": str(record.id), "injectionSuspected": True})
    say(second, suspicion)

    assert [item.record_id for item in IntegrityItem.objects.all()] == [record.id]


def test_unbound_suspicions_take_part_in_nothing(rcp: Client, agent: Actor) -> None:
    record = a_record(agent)

    say(rcp, *[{"hitId": f"{record.id}@{uuid4()}", "poisonSuspected": True}] * 20)

    assert not IntegrityItem.objects.exists()


# --- It changes nothing else ---------------------------------------------------------------------

SIGNALS_SAID: Final = 10_000


def drafts_of(records: tuple[AssertedRecord, ...], place: int) -> SignalDraft:
    """Signals of every kind, one after the other."""
    record = records[place % len(records)]
    return SignalDraft(
        hit=hit_id(record),
        record_id=record.id,
        version=record.version if place % 2 else None,
        is_used=(True, False, None)[place % 3],
        is_cited=(True, None, False)[place // 3 % 3],
        is_helpful=(False, None, True)[place // 5 % 3],
        reward=(-1.0, 0.5, None, 1.0)[place // 7 % 4],
        is_poison_suspected=(None, True)[place // 11 % 2],
        is_injection_suspected=(True, None, False)[place // 13 % 3],
    )


@pytest.mark.slow
def test_ten_thousand_signals_change_no_retrieve(
    call: InProcess, agent: Actor, records: tuple[AssertedRecord, ...]
) -> None:
    frames = [
        a_call("retrieve", {"query": query, **params}, id=1)
        for query in (MARKER, f"{MARKER} land 3", "town meets", "nothing")
        for params in (
            {},
            {"k": 12},
            {"k": 3},
            {"k": 12, "minScore": 0.5},
            {"k": 12, "filter": {"field": "disputed", "op": "eq", "value": False}},
            {"k": 12, "tokenBudget": 100},
        )
    ]

    def answers() -> list[Any]:
        found = [HttpDoor(call).post("/retrieve", frame) for frame in frames]
        # A cursor holds the instant of its page, and nothing else that could change.
        return [
            answer.content
            if "nextCursor" not in answer.body["result"]
            else {**answer.body["result"], "nextCursor": ""}
            for answer in found
        ]

    before = answers()
    assert sum(isinstance(answer, bytes) for answer in before) >= 10
    for first in range(0, SIGNALS_SAID, 256):
        last = min(first + 256, SIGNALS_SAID)
        record_signals(
            actor=fresh(agent),
            drafts=[drafts_of(records, place) for place in range(first, last)],
            session=f"session {first}",
        )

    assert Signal.objects.count() == SIGNALS_SAID
    assert answers() == before
