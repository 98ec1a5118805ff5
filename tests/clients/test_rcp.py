"""RCP against a real server: the checker's probes, clients at once, hostile frames, stdio."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from feedback.models import Signal
from memory.actor import Actor
from memory.operations.issue_credential import CredentialReceipt, issue_credential
from memory.operations.revoke_credential import revoke_credential
from memory.vocabulary import Access
from tests.factories import MARKER, fresh, some_records
from tests.hostile_frames import assert_met, hostile_frames, path_of
from tests.racing import race
from tests.rcp import Client, Door, HttpDoor, a_call
from tests.rcp_process import ProcessDoor, started
from tests.serving import HOST, Server
from tests.wire import OverHttp

pytestmark = [pytest.mark.slow]

ROUNDS: Final = 8


#: The public checker's probes before `initialize`: calls, and the code each has to have.
LOCKED: Final = {
    "locked": ("retrieve", {"query": "test", "k": 3}, -32001),
    "version 0": ("initialize", {"protocolVersion": 0}, -32002),
    "still locked": ("retrieve", {"query": "test", "k": 3}, -32001),
}
#: The same afterwards.
OPEN: Final = {
    "second initialize": ("initialize", {"protocolVersion": 1}, -32600),
    "unknown": ("does/not/exist", {}, -32004),
    "missing": ("index/add", {"documents": []}, -32003),
    "k below 1": ("retrieve", {"query": "test", "k": -5}, -32602),
    "funnel": ("retrieve", {"query": "test", "k": 10, "candidateK": 2}, -32602),
}


def probe(door: Door) -> list[str]:
    """All probes, in the checker's order; the names of those that fail."""
    client = Client(door)
    assert "server" in client.result("info")
    assert client.result("ping", {"nonce": 777}) == {"nonce": 777}
    failed = _with_other_codes(client, LOCKED)
    found = client.result("initialize", {"protocolVersion": 1, "client": {"name": "probe"}})
    assert found["protocolVersion"] >= 1
    assert "retrieve" in found["capabilities"]
    assert found["server"]["name"]
    failed += _with_other_codes(client, OPEN)
    echoed = door.send(a_call("ping", id="string-id"))
    assert (echoed["id"], echoed["jsonrpc"]) == ("string-id", "2.0")
    hits = client.hits("test", k=3)
    assert len(hits) == len({hit["id"] for hit in hits}) == 3
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    most = found["capabilities"]["retrieve"]["maxK"]
    assert 3 < len(client.hits("test", k=most + 1_000)) <= most
    return failed


def _with_other_codes(client: Client, probes: dict[str, tuple[str, Any, int]]) -> list[str]:
    return [
        name
        for name, (method, params, code) in probes.items()
        if client.ask(method, params).get("error", {}).get("code") != code
    ]


def a_base() -> str:
    """A base that nobody has used."""
    return f"/rcp/s/{secrets.token_hex(8)}"


@pytest.fixture
def tested(agent: Actor) -> None:
    """Records that the checker's query finds."""
    some_records(agent, 8, predicate="was_tested", statement=f"A test of the {MARKER}.")


@pytest.mark.usefixtures("tested")
def test_the_checker_s_probes_pass_over_http_sessions(live: OverHttp) -> None:
    assert probe(HttpDoor(live, a_base())) == []


@pytest.mark.usefixtures("tested", "server")
def test_the_checker_s_probes_pass_over_stdio_beside_the_server(
    transactional_db: None,  # noqa: ARG001
    tmp_path: Path,
    agent_token: str,
) -> None:
    with started(tmp_path, agent_token) as process:
        assert probe(ProcessDoor(process)) == []


@pytest.mark.usefixtures("tested")
def test_at_the_stateless_base_only_the_probes_of_sessions_differ(live: OverHttp) -> None:
    assert probe(HttpDoor(live)) == ["locked", "still locked", "second initialize"]


@pytest.mark.usefixtures("tested")
def test_clients_at_once_do_not_see_each_other_s_state(
    server: Server, live: OverHttp, operator: Actor
) -> None:
    """Each in a session of its own, or without one: with two processes of four threads."""
    tokens = [live.default_token] + [
        issue_credential(actor=fresh(operator), name=f"client {n}", access=Access.READ_WRITE).token
        for n in range(2)
    ]

    def conversation(token: str, base: str) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            call = OverHttp(HOST, server.port, token)
            client = Client(HttpDoor(call, base))
            found = []
            if base != "/rcp":
                found.append(client.code("retrieve", {"query": "test"}))
            client.initialized()
            for number in range(ROUNDS):
                hits = client.hits("test", k=3)
                signals = [{"hitId": hit["id"], "used": True} for hit in hits]
                found.append(client.result("feedback", {"signals": signals})["accepted"])
                found.append(client.result("ping", {"nonce": number})["nonce"])
            client.result("shutdown")
            if base != "/rcp":
                found.append(client.code("retrieve", {"query": "test"}))
            return found

        return run

    bases = ["/rcp", "/rcp", "same-name", a_base()]
    calls = [
        conversation(token, f"/rcp/s/{base}" if base == "same-name" else base)
        for token in tokens
        for base in (bases if token == tokens[0] else bases[:3])
    ]
    outcomes = race(calls)

    middle = [part for number in range(ROUNDS) for part in (3, number)]
    for outcome in outcomes:
        assert outcome in (middle, [-32001, *middle, -32001])
    assert Signal.objects.count() == len(calls) * ROUNDS * 3


def test_one_of_many_initializes_wins(server: Server, live: OverHttp) -> None:
    base = a_base()

    def initialize() -> int | None:
        door = HttpDoor(OverHttp(HOST, server.port, live.default_token), base)
        answer = door.send(a_call("initialize", {"protocolVersion": 1}))
        code: int | None = answer.get("error", {}).get("code")
        return code

    outcomes = race([initialize] * 12)

    assert sorted(outcomes, key=str) == [*[-32600] * 11, None]


def test_a_thousand_hostile_frames_lose_no_connection(server: Server, live: OverHttp) -> None:
    kept = OverHttp(HOST, server.port, live.default_token, keeps_alive=True)
    door = HttpDoor(kept)
    try:
        for raw, value in hostile_frames():
            answer = door.post(f"/{path_of(value)}", raw)
            assert answer.status in (200, 204, 400), (raw, answer.content)
            assert_met(raw, value, answer.body if answer.content else None)
        assert Client(door).result("ping", {"nonce": 1}) == {"nonce": 1}
    finally:
        kept.close()


def test_one_key_at_once_is_stored_once(server: Server, live: OverHttp) -> None:
    frame = a_call(
        "feedback",
        {"signals": [{"hitId": "x", "used": True}], "_meta": {"idempotencyKey": "one"}},
    )

    def send() -> dict[str, Any]:
        answer: dict[str, Any] = HttpDoor(OverHttp(HOST, server.port, live.default_token)).send(
            frame
        )
        return answer

    assert [answer["result"] for answer in race([send] * 8)] == [{"accepted": 1}] * 8  # type: ignore[index]
    assert Signal.objects.count() == 1


def test_a_revoked_credential_ends_its_sessions(
    live: OverHttp, agent_credential: CredentialReceipt, operator: Actor
) -> None:
    door = HttpDoor(live, a_base())
    client = Client(door).initialized()
    assert client.hits("test") == []
    revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)

    answer = door.post("/retrieve", a_call("retrieve", {"query": "test"}))

    assert (answer.status, answer.body["error"]["code"]) == (401, -32012)
    assert answer.headers["www-authenticate"] == "Bearer"


def test_the_log_of_the_server_names_routes_alone(server: Server, live: OverHttp) -> None:
    secret = "xylophone"
    Client(HttpDoor(live, f"/rcp/s/{secret}")).initialized()
    for base in ("/rcp", f"/rcp/s/{secret}"):
        client = Client(HttpDoor(live, base))
        client.ask("retrieve", {"query": secret, "sessionId": secret})
        client.ask("feedback", {"signals": [{"hitId": secret}], "query": secret})
        client.ask(secret, {secret: secret})
        live(f"{base}/{secret}", json.dumps([a_call(secret, id=secret)]).encode())

    said = server.said()
    for route in ("method", "session-method"):
        assert f'"route": "rcp:{route}"' in said
    assert secret not in said
    assert "/rcp" not in said
