"""RCP against a real server: the checker's probes, clients at once, hostile frames, stdio beside it."""

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
from tests.feedback.rcp.test_frames import assert_met, hostile_frames
from tests.feedback.rcp.test_stdio import ProcessDoor, started
from tests.racing import race
from tests.rcp import Client, Door, HttpDoor, a_call
from tests.serving import HOST, Server
from tests.wire import OverHttp

pytestmark = [pytest.mark.xdist_group("live"), pytest.mark.slow]

ROUNDS: Final = 8


def probe(door: Door) -> list[str]:
    """The public checker's probes, in its order; the names of those that fail."""
    client = Client(door)
    failed: list[str] = []

    def check(name: str, *, holds: bool) -> None:
        if not holds:
            failed.append(name)

    check("info first", holds="server" in client.result("info"))
    check("ping first", holds=client.result("ping", {"nonce": 777}) == {"nonce": 777})
    check("locked", holds=client.ask("retrieve", {"query": "test", "k": 3}).get("error", {}).get("code") == -32001)  # fmt: skip
    version_zero = client.ask("initialize", {"protocolVersion": 0})
    check("version 0", holds=version_zero.get("error", {}).get("code") == -32002)
    check("still locked", holds=client.ask("retrieve", {"query": "test", "k": 3}).get("error", {}).get("code") == -32001)  # fmt: skip
    found = client.result("initialize", {"protocolVersion": 1, "client": {"name": "probe"}})
    check("version", holds=found["protocolVersion"] >= 1)
    check("retrieval", holds="retrieve" in found["capabilities"])
    check("server name", holds=bool(found["server"]["name"]))
    second = client.ask("initialize", {"protocolVersion": 1})
    check("second initialize", holds=second.get("error", {}).get("code") == -32600)
    check("unknown", holds=client.code("does/not/exist") == -32004)
    check("missing", holds=client.code("index/add", {"documents": []}) == -32003)
    echoed = door.send(a_call("ping", id="string-id"))
    check("string id", holds=echoed["id"] == "string-id")
    check("jsonrpc", holds=echoed["jsonrpc"] == "2.0")
    hits = client.hits("test", k=3)
    check("hits", holds=isinstance(hits, list) and len(hits) <= 3)
    check("ids and scores", holds=all("id" in hit and "score" in hit for hit in hits))
    scores = [hit["score"] for hit in hits]
    check("falling", holds=scores == sorted(scores, reverse=True))
    check("unique", holds=len({hit["id"] for hit in hits}) == len(hits))
    most = found["capabilities"]["retrieve"]["maxK"]
    check("clamped", holds=len(client.hits("test", k=most + 1_000)) <= most)
    check("k below 1", holds=client.code("retrieve", {"query": "test", "k": -5}) == -32602)
    funnel = {"query": "test", "k": 10, "candidateK": 2}
    check("funnel", holds=client.code("retrieve", funnel) == -32602)
    return failed


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
        return answer.get("error", {}).get("code")

    outcomes = race([initialize] * 12)

    assert sorted(outcomes, key=str) == [*[-32600] * 11, None]


def test_a_thousand_hostile_frames_lose_no_connection(server: Server, live: OverHttp) -> None:
    kept = OverHttp(HOST, server.port, live.default_token, keeps_alive=True)
    door = HttpDoor(kept)
    try:
        for raw, value in hostile_frames():
            method = value.get("method") if isinstance(value, dict) else None
            is_path = isinstance(method, str) and method and method.isascii() and method.isprintable()  # fmt: skip
            path = method if is_path and " " not in str(method) else "ping"
            answer = door.post(f"/{path}", raw)
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
