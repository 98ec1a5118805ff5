"""The published client `rcp-protocol` 1.0.1, unchanged, against the live server and over stdio.

Its HTTP transport sends no `Authorization`: the subclass below, which adds it, is the one of
`docs/agents.md`. Over stdio nothing is needed. Rules: `protocols.md` 1.11.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import rcp
from typing_extensions import override

from feedback.models import Signal
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.issue_credential import CredentialReceipt
from memory.operations.revoke_credential import revoke_credential
from tests.commands import command_line, environment
from tests.factories import MARKER, fresh, some_records
from tests.racing import race
from tests.serving import Server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("transactional_db"),
]

ROUNDS: Final = 5


class WithToken(rcp.HttpTransport):  # type: ignore[misc]
    """The client's HTTP transport, with a credential."""

    token = ""

    @override
    def call(self, request: dict[str, Any]) -> Any:
        """Post a call; a refusal is a frame, too."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        body = json.dumps(request).encode()
        posted = Request(f"{self._base}/{request['method']}", body, headers)  # noqa: S310 - ours
        try:
            with urlopen(posted) as response:  # noqa: S310 - our own server
                return json.load(response)
        except HTTPError as refusal:
            with refusal:
                return json.load(refusal)


def over_http(url: str, token: str) -> rcp.Client:
    """A client at a base, after its handshake."""
    client = rcp.Client()
    client._transport = WithToken(url)
    client._transport.token = token
    client._handshake()
    return client


@contextmanager
def over_stdio(home: Path, token: str) -> Iterator[rcp.Client]:
    """A client of a process of its own, made as `connect_stdio` does, on the test's database."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**environment(home), "ERRATA_TOKEN": token}.items():
            patch.setenv(name, value)
        transport = rcp.StdioTransport.spawn(command_line("rcp", "--stdio"))
    client = rcp.Client()
    client._transport = transport
    try:
        client._handshake()
        yield client
    finally:
        client.shutdown()
        transport.close()


@pytest.fixture
def records(agent: Actor) -> tuple[AssertedRecord, ...]:
    """Five records that one word finds."""
    return some_records(agent, 5)


@pytest.fixture(params=["stateless", "session", "stdio"])
def client(
    request: pytest.FixtureRequest,
    server: Server,
    agent_token: str,
    records: tuple[AssertedRecord, ...],  # noqa: ARG001 - what it finds
    tmp_path: Path,
) -> Iterator[rcp.Client]:
    """The agent's client, by each way in."""
    if request.param == "stdio":
        with over_stdio(tmp_path, agent_token) as found:
            yield found
    else:
        base = "/rcp" if request.param == "stateless" else f"/rcp/s/{tmp_path.name[:60]}"
        yield over_http(f"{server.url}{base}", agent_token)


def code_of(call: Callable[[], object]) -> int:
    """The code with which a call fails."""
    with pytest.raises(rcp.RcpError) as refused:
        call()
    return int(refused.value.code)


def test_the_client_is_the_one_that_the_contract_names() -> None:
    assert version("rcp-protocol") == "1.0.1"


def test_the_handshake_tells_what_there_is(client: rcp.Client) -> None:
    assert client.server["name"] == "errata"
    assert client.protocol_version == 1
    for capability in ("retrieve", "filter", "citations", "pagination", "feedback"):
        assert client.supports(capability)
    for capability in ("embed", "rerank", "graph", "index", "memory", "catalog", "streaming"):
        assert not client.supports(capability)
    assert client.info()["_meta"] == {"conformance": "L0"}
    assert client.ping(777) == {"nonce": 777}
    assert client.ping() == {}


def test_a_search_finds_and_its_signals_are_accepted(
    client: rcp.Client, records: tuple[AssertedRecord, ...]
) -> None:
    found = client.search(MARKER, k=3)
    assert len(found["hits"]) == 3
    assert found["usage"]["candidates"] == 5
    rest = client.search(MARKER, 3, {"cursor": found["next_cursor"]})
    hits = found["hits"] + rest["hits"]
    assert rest["next_cursor"] is None
    assert {hit["meta"]["recordId"] for hit in hits} == {str(record.id) for record in records}
    for hit in hits:
        assert MARKER in hit["text"]
        assert hit["trust"]["level"] == "community"
        assert hit["citation"]["source"] in hit["provenance"]["leaves"]

    signals: list[dict[str, Any]] = [
        {"hitId": hit["id"], "used": True, "reward": 0.5} for hit in hits
    ]
    told = client.feedback(
        [*signals, {"hitId": "elsewhere#1", "poisonSuspected": True}], MARKER, "run-1"
    )

    assert told == {"accepted": 6}
    bound = Signal.objects.filter(record__isnull=False)
    assert set(bound.values_list("record_id", flat=True)) == {record.id for record in records}
    assert set(bound.values_list("recorded_via", flat=True)) == {"rcp"}


def test_filters_and_hits_of_the_client_work(client: rcp.Client) -> None:
    asserted = {"field": "trust", "op": "eq", "value": "asserted"}

    assert len(client.retrieve(MARKER, 10, {"filter": asserted})) == 5
    assert client.retrieve(MARKER, 10, {"filter": {"not": asserted}}) == []
    assert client.retrieve("nothing of the kind") == []


def test_bad_params_are_errors_of_the_client_s_kind(client: rcp.Client) -> None:
    for params, code in (
        ({}, rcp.Errc.INVALID_PARAMS),
        ({"query": "x", "k": "3"}, rcp.Errc.INVALID_PARAMS),
        ({"query": "x", "mode": "dense"}, rcp.Errc.OPTION_UNSUPPORTED),
        ({"query": "x", "filter": {"field": "x", "op": "eq"}}, rcp.Errc.INVALID_PARAMS),
    ):
        assert code_of(lambda params=params: client.call("retrieve", params)) == code  # type: ignore[misc]
    assert code_of(lambda: client.call("no/such")) == rcp.Errc.UNKNOWN_METHOD
    assert code_of(lambda: client.call("index/add", {})) == rcp.Errc.CAPABILITY_MISSING
    with pytest.raises(rcp.RcpError) as refused:
        client.feedback([{"hitId": "x", "reward": 2}])
    assert refused.value.data["field"] == "signals[0].reward"
    assert not refused.value.retryable()


def test_a_key_in_meta_makes_a_repetition_safe(client: rcp.Client) -> None:
    params = {"signals": [{"hitId": "x", "used": True}], "_meta": {"idempotencyKey": "k-1"}}

    assert [client.call("feedback", params) for _ in range(2)] == [{"accepted": 1}] * 2
    assert Signal.objects.count() == 1
    changed = {**params, "signals": []}
    assert code_of(lambda: client.call("feedback", changed)) == rcp.Errc.CONFLICT


def test_two_clients_at_once_do_not_see_each_other(
    server: Server, agent_token: str, records: tuple[AssertedRecord, ...]
) -> None:
    def conversation() -> list[int]:
        client = over_http(f"{server.url}/rcp", agent_token)
        found = []
        for _ in range(ROUNDS):
            hits = client.retrieve(MARKER, k=2)
            found.append(client.feedback([{"hitId": hit["id"]} for hit in hits])["accepted"])
        client.shutdown()
        return found

    assert race([conversation, conversation]) == [[2] * ROUNDS] * 2
    assert len(records) == 5


def test_a_read_only_client_is_told_that_there_is_no_feedback(
    server: Server, agent_ro_token: str
) -> None:
    client = over_http(f"{server.url}/rcp", agent_ro_token)

    assert not client.supports("feedback")
    assert code_of(lambda: client.feedback([])) == rcp.Errc.CAPABILITY_MISSING
    sent_anyway: dict[str, Any] = {"signals": []}
    assert code_of(lambda: client.call("feedback", sent_anyway)) == rcp.Errc.UNAUTHORIZED


def test_a_wrong_token_is_refused(server: Server, tmp_path: Path) -> None:
    assert code_of(lambda: over_http(f"{server.url}/rcp", "wrong")) == rcp.Errc.UNAUTHORIZED
    with pytest.raises(rcp.RcpError, match="32012"), over_stdio(tmp_path, "wrong"):
        pass


def test_a_credential_revoked_in_mid_use_is_refused(
    client: rcp.Client, agent_credential: CredentialReceipt, operator: Actor
) -> None:
    assert client.retrieve(MARKER, k=1)
    revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)

    assert code_of(lambda: client.retrieve(MARKER, k=1)) == rcp.Errc.UNAUTHORIZED


def test_the_client_s_own_http_transport_has_no_way_to_name_a_credential(server: Server) -> None:
    with pytest.raises(rcp.RcpError, match="32012"):
        rcp.connect_http(f"{server.url}/rcp")
