"""The first failure ends a call, in the order of `protocols.md` 1.5 and `contract.md` 0.5."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, Final

import pytest
from django.conf import LazySettings

from feedback.models import Signal
from feedback.rcp import errors, methods
from feedback.rcp.errors import Code
from memory.http import rates
from memory.http.strict_json import BODY_BYTES
from tests.rcp import Client, HttpDoor, PipeDoor, a_call
from tests.wire import InProcess

pytestmark = pytest.mark.django_db

#: What is wrong with a POST, earlier checks first, and how it is refused.
DOOR: Final[dict[str, tuple[int, int]]] = {
    "credential": (401, -32012),
    "rate": (429, -32011),
    "access": (403, -32012),
    "size": (413, -32013),
    "headers": (400, -32600),
    "body": (400, -32700),
    "request": (200, -32600),
    "path": (200, -32600),
    "state": (200, -32001),
    "params": (200, -32602),
}


def post(door: HttpDoor, read_only: str, *faults: str) -> tuple[int, int]:
    """Status and code of a feedback with these faults, in a session."""
    frame: dict[str, Any] = a_call("feedback", {"signals": 5 if "params" in faults else []})
    if "path" in faults:
        frame["method"] = "retrieve"
    if "request" in faults:
        frame["jsonrpc"] = "1.0"
    body: object = frame
    if "body" in faults:
        body = b"{"
    if "size" in faults:
        body = b"{" * (BODY_BYTES + 1)
    token = read_only if "access" in faults else ""
    answer = door.post(
        "/feedback",
        body,
        token=None if "credential" in faults else token,
        headers={"Content-Encoding": "gzip"} if "headers" in faults else {},
    )
    return answer.status, answer.body["error"]["code"]


def test_an_earlier_failure_at_the_door_wins(
    call: InProcess,
    agent_ro_token: str,
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 0
    ready = HttpDoor(call, "/rcp/s/ready")
    Client(ready).initialized()
    for faults in [*combinations(DOOR, 1), *combinations(DOOR, 2)]:
        monkeypatch.setattr(rates, "writes", rates.Rate())
        if "rate" in faults:
            monkeypatch.setattr(rates.writes, "take", lambda *_: 7)
        door = HttpDoor(call, "/rcp/s/new") if "state" in faults else ready
        assert post(door, agent_ro_token, *faults) == DOOR[faults[0]], faults
    assert not Signal.objects.exists()


#: Faults of one call, as what they make of it.
CALL: Final[dict[str, tuple[Code, dict[str, Any]]]] = {
    "method": (Code.UNKNOWN_METHOD, {"method": "no/such"}),
    "advertised": (Code.CAPABILITY_MISSING, {"method": "index/add"}),
    "params": (Code.INVALID_PARAMS, {"params": {"query": "x", "k": 0}}),
    "options": (Code.OPTION_UNSUPPORTED, {"params": {"query": "x", "mode": "dense"}}),
    "cursor": (Code.INVALID_PARAMS, {"params": {"query": "x", "cursor": "forged"}}),
}


def test_in_a_call_state_comes_before_method_before_params(
    new_session: Callable[[], Client],
) -> None:
    locked, ready = new_session(), new_session().initialized()
    for code, change in CALL.values():
        frame = {**a_call("retrieve", {"query": "x"}), **change}
        assert locked.door.send(frame)["error"]["code"] == Code.NOT_INITIALIZED
        assert ready.door.send(frame)["error"]["code"] == code
    bad_params = {**a_call("no/such", {}), "params": [1]}
    assert ready.door.send(bad_params)["error"]["code"] == Code.UNKNOWN_METHOD
    bad_params["method"] = "embed"
    assert ready.door.send(bad_params)["error"]["code"] == Code.CAPABILITY_MISSING


def test_access_comes_before_state_and_params(call: InProcess, agent_ro_token: str) -> None:
    batch = [a_call("feedback", {"signals": 5})]
    for session in (
        Client(HttpDoor(call, "/rcp/s/one", agent_ro_token)),
        Client(PipeDoor(agent_ro_token)),
    ):
        assert session.door.send(batch)[0]["error"]["code"] == Code.UNAUTHORIZED
        session.initialized()
        assert session.door.send(batch)[0]["error"]["code"] == Code.UNAUTHORIZED


def test_the_codes_are_those_of_the_table() -> None:
    assert len(Code) == 16
    assert {-32601, -32006, -32000}.isdisjoint(Code)
    assert errors.internal().member == {
        "code": -32603,
        "message": "The server failed. Repeat the call once.",
    }


def test_no_method_is_both_there_and_not() -> None:
    assert not methods.METHODS.keys() & (methods.UNADVERTISED | methods.NOTIFICATIONS)
