"""The published client `taisce` 0.1.2, unchanged, against the live server.

It raises for any status but the one that it expects. Rules: `contract.md` 8 and 3.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, Final
from uuid import uuid4

import pytest
from taisce import Client, Freshness, TaisceError, bundle_is_empty

from memory.actor import Actor
from tests.factories import MARKER, a_record
from tests.serving import Server
from tests.wire import OverHttp

pytestmark = [pytest.mark.slow]

PERSON: Final = f"person of the {MARKER}"
TIME: Final = "2026-11-30T09:00:00.000000Z"
TURN: Final = [
    {"role": "user", "content": f"I moved to the town of the {MARKER}."},
    {"role": "assistant", "content": f"Noted, {MARKER}."},
]
#: A control of a recall, how many of one record's facts it leaves, and what is degraded by it.
CONTROLS: Final[list[tuple[dict[str, Any], int, list[str]]]] = [
    ({"max_characters": 800}, 1, []),
    ({"max_characters": 8}, 0, []),
    ({"source_roles": ["tool", "user"]}, 1, []),
    ({"source_roles": ["assistant"]}, 0, []),
    ({"surfaces": ["facts"]}, 1, []),
    ({"surfaces": ["facts", "passages"]}, 1, ["passages"]),
    ({"surfaces": ["reports"]}, 0, ["reports"]),
    ({"hops": 1}, 1, []),
    ({"hops": 2}, 1, ["hops"]),
    ({"themes": True}, 1, []),
    ({"include_shared": True}, 1, []),
    ({"as_of": "2999-01-01T00:00:00Z"}, 1, []),
    ({"as_of": "1999-01-01T00:00:00Z"}, 0, []),
    ({"as_known_at": "2999-01-01T00:00:00+01:00"}, 1, []),
    ({"as_known_at": "1999-01-01T00:00:00+01:00"}, 0, []),
    ({"max_characters": None, "source_roles": None, "as_of": None}, 1, []),
]
#: What the client can call and this server does not have.
NOT_OFFERED: Final[dict[str, dict[str, Any]]] = {
    "search_passages": {
        "question": f"Where is the {MARKER}?",
        "limit": 3,
        "data_subject_id": PERSON,
        "source_role": "user",
    },
    "put_artifact": {
        "artifact_id": "a",
        "data_subject_id": PERSON,
        "kind": "state",
        "content": b"0",
        "name": "n",
    },
    "get_artifact": {"artifact_id": "a", "data_subject_id": PERSON},
    "delete_artifact": {"artifact_id": "a", "data_subject_id": PERSON},
}


@dataclass(frozen=True, slots=True)
class Asking:
    """Runs one method of the client to its end."""

    url: str
    token: str

    def __call__(self, method: str, **arguments: Any) -> Any:
        """What the client returns or raises."""

        async def ask() -> Any:
            async with Client(self.url, self.token, timeout=10) as client:
                return await getattr(client, method)(**arguments)

        return asyncio.run(ask())

    def refusal(self, method: str, **arguments: Any) -> tuple[int, str, str]:
        """Status, code and message that the client read from a refusal."""
        with pytest.raises(TaisceError) as refused:
            self(method, **arguments)
        return refused.value.status, refused.value.code, refused.value.message


@pytest.fixture
def ask(live: OverHttp, server: Server) -> Asking:
    """Ask as the read-write agent."""
    return Asking(server.url, live.default_token)


def test_the_client_is_the_published_one() -> None:
    assert version("taisce") == "0.1.2"


def test_a_turn_is_observed_once_under_its_key(ask: Asking) -> None:
    turn = {"idempotency_key": str(uuid4()), "messages": TURN, "data_subject_id": PERSON}

    first = ask("observe", **turn)

    assert first == {"id": first["id"], "scope": "demo", "log_offset": 0, "replayed": False}
    assert ask("observe", **turn) == first | {"replayed": True}
    assert ask("observe", **turn, occurred_at=TIME) == first | {"replayed": True}
    assert ask("freshness").stored == 0


def test_freshness_follows_the_log(ask: Asking) -> None:
    assert ask("freshness") == Freshness("demo", None, None, 0)
    for offset in range(3):
        ask("observe", idempotency_key=str(uuid4()), messages=TURN)
        assert ask("freshness") == Freshness("demo", offset, offset, 0)


def test_a_question_is_answered_with_facts(ask: Asking, agent: Actor) -> None:
    record = a_record(agent, subject=f"Land of the {MARKER}", statement=f"The {MARKER} meets here.")

    answer = ask("recall", question=f"Where does the {MARKER} meet?")

    [fact] = answer["facts"]
    assert (fact["fact_id"], fact["version"]) == (str(record.id), str(record.version))
    assert fact["statement"] == fact["evidence"]["quote"] == f"The {MARKER} meets here."
    assert (answer["reports"], answer["passages"], answer["degraded"]) == ([], [], [])
    assert answer["controls"]["max_characters"] == 16_000
    assert answer["reach"]["anchored"] == 1


def test_a_question_about_a_person_sees_only_them(ask: Asking, agent: Actor) -> None:
    theirs = a_record(agent, data_subject=PERSON)
    nobodys = a_record(agent)
    question = f"Where is the land of the {MARKER}?"

    def facts(**controls: Any) -> set[str]:
        answer = ask("recall", question=question, **controls)
        return {fact["fact_id"] for fact in answer["facts"]}

    assert facts() == {str(nobodys.id)}
    assert facts(data_subject_id=PERSON) == {str(theirs.id)}
    assert facts(data_subject_id=PERSON, include_shared=True) == {str(theirs.id), str(nobodys.id)}


@pytest.mark.parametrize(("control", "facts", "degraded"), CONTROLS, ids=str)
def test_each_control_of_a_recall_goes_by_its_name(
    ask: Asking, agent: Actor, control: dict[str, Any], facts: int, degraded: list[str]
) -> None:
    a_record(agent)

    answer = ask("recall", question=f"The {MARKER}?", **control)

    assert len(answer["facts"]) == facts
    assert answer["degraded"] == degraded
    assert answer["truncated"] is (control.get("max_characters") == 8)
    told = {name: control.get(name) or value for name, value in answer["controls"].items()}
    assert answer["controls"] == told


@pytest.mark.parametrize(
    ("controls", "code", "message"),
    [
        (
            {"max_characters": 0},
            "invalid_recall_controls",
            'Field "max_characters" must be an integer from 1 to 16000.',
        ),
        ({"hops": 3}, "invalid_recall_controls", 'Field "hops" must be an integer from 1 to 2.'),
        ({"colour": "grey"}, "invalid_body", 'Field "colour" is not known here.'),
    ],
)
def test_a_faulty_control_is_named_in_the_error(
    ask: Asking, controls: dict[str, Any], code: str, message: str
) -> None:
    refusal = ask.refusal("recall", question=f"The {MARKER}?", **controls)
    assert refusal == (400, code, message)


def test_a_subject_nobody_wrote_about_has_an_empty_bundle(ask: Asking, agent: Actor) -> None:
    a_record(agent)
    question = f"Where is the land of the {MARKER}?"
    answer = ask("recall", question=question, data_subject_id=PERSON)
    assert bundle_is_empty(answer)
    assert answer["reach"]["anchored"] == 0


def test_a_context_is_the_turns_of_a_person_as_they_were_said(ask: Asking) -> None:
    for person in (PERSON, f"other {PERSON}"):
        key = str(uuid4())
        ask(
            "observe",
            idempotency_key=key,
            messages=TURN,
            data_subject_id=person,
            occurred_at="2026-11-30T10:00:00+01:00",
        )
    characters = sum(len(message["content"]) for message in TURN)
    whole = {
        "segments": [],
        "turns": [{"log_offset": 0, "occurred_at": TIME, "messages": TURN}],
        "watermark": {"scope": "demo", "stored": 1, "formed": 1, "parked": 0},
        "characters": characters,
        "truncated": False,
    }
    empty = whole | {"turns": [], "characters": 0}

    assert ask("context", data_subject_id=PERSON) == whole
    assert ask("context", data_subject_id=PERSON, max_characters=characters) == whole
    assert ask("context", data_subject_id=PERSON, max_characters=characters - 1) == (
        empty | {"truncated": True}
    )
    assert ask("context", data_subject_id=f"no {PERSON}") == empty


@pytest.mark.parametrize("limit", [None, 1])
def test_a_fact_of_a_recall_is_resolved(ask: Asking, agent: Actor, limit: int | None) -> None:
    record = a_record(agent)
    [fact] = ask("recall", question=f"The {MARKER}?")["facts"]

    resolved = ask("resolve_citation", fact_id=fact["fact_id"], limit=limit)

    assert (resolved["id"], resolved["status"]) == (str(record.id), "current")
    [evidence] = resolved["evidence"]
    assert evidence["source_observation_id"] == str(record.source_id)
    assert evidence["quote"] == resolved["statement"]


@pytest.mark.parametrize("method", NOT_OFFERED)
def test_what_is_not_offered_is_an_unknown_route(ask: Asking, method: str) -> None:
    refusal = ask.refusal(method, **NOT_OFFERED[method])
    assert refusal == (404, "unknown_route", "No such route.")


def test_code_and_message_of_a_refusal_are_read(ask: Asking, agent_ro_token: str) -> None:
    key = str(uuid4())
    reader, stranger = replace(ask, token=agent_ro_token), replace(ask, token="nobody")
    ask("observe", idempotency_key=key, messages=TURN)

    refusals = [
        ask.refusal("observe", idempotency_key=key, messages=TURN[:1]),
        ask.refusal("observe", idempotency_key=key, messages=[]),
        ask.refusal("resolve_citation", fact_id=str(uuid4())),
        ask.refusal("resolve_citation", fact_id="fact"),
        ask.refusal("recall", question=""),
        reader.refusal("observe", idempotency_key=str(uuid4()), messages=TURN),
        stranger.refusal("freshness"),
    ]

    assert [refusal[:2] for refusal in refusals] == [
        (409, "idempotency_conflict"),
        (400, "invalid_turn"),
        (404, "not_found"),
        (400, "invalid_citation"),
        (400, "invalid_question"),
        (403, "forbidden"),
        (401, "unauthenticated"),
    ]
    assert all(message.endswith(".") for _, _, message in refusals)
    assert refusals[2][2] == "Resource was not found."


def test_a_read_only_credential_may_ask(ask: Asking, agent: Actor, agent_ro_token: str) -> None:
    a_record(agent)
    reader = replace(ask, token=agent_ro_token)
    assert reader("freshness").stored == 0
    [fact] = reader("recall", question=f"The {MARKER}?")["facts"]
    assert reader("resolve_citation", fact_id=fact["fact_id"])["status"] == "current"
    assert reader("context", data_subject_id=PERSON)["turns"] == []
