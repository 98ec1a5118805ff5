"""JSON-RPC 2.0 as RCP narrows it: frames, ids, notifications, batches (`protocols.md` 1.2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from feedback.rcp import frames
from feedback.rcp.errors import RcpError
from tests.hostile_frames import assert_met, hostile_frames, is_notification, path_of
from tests.rcp import Client, HttpDoor, PipeDoor, a_call
from tests.wire import InProcess

pytestmark = pytest.mark.django_db

#: Where frames go that name no method that a path could end in.
ANY_PATH: Final = "ping"


@pytest.fixture(params=["http", "pipe"])
def door(request: pytest.FixtureRequest, call: InProcess, agent_token: str) -> Callable[[Any], Any]:
    """Sends a frame, or bytes, to an initialized server; what it answers, None for silence."""
    if request.param == "http":
        at = HttpDoor(call)
        return lambda frame: at.send(frame, _method_of(frame))
    pipe = Client(PipeDoor(agent_token)).initialized().door
    return lambda frame: pipe.send(frame)


def _method_of(frame: Any) -> str:
    """What the path of a frame has to end in."""
    if isinstance(frame, bytes):
        try:
            frame = json.loads(frame)
        except ValueError:
            return ANY_PATH
    method = frame.get("method") if isinstance(frame, dict) else None
    return method if isinstance(method, str) and method.isprintable() and method else ANY_PATH


def refused(code: int, id_: Any = None) -> dict[str, Any]:
    """An answer that refuses, without its words."""
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code}}


def wordless(answer: Any) -> Any:
    """An answer without the words and data of its errors."""
    if isinstance(answer, list):
        return [wordless(member) for member in answer]
    if isinstance(answer, dict) and "error" in answer:
        return {**answer, "error": {"code": answer["error"]["code"]}}
    return answer


#: The exchanges of the JSON-RPC 2.0 text: what is sent, what RCP answers.
EXCHANGES: Final[dict[str, tuple[bytes, Any]]] = {
    "positional params": (
        b'{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
        refused(-32004, 1),
    ),
    "positional params of a method there is": (
        b'{"jsonrpc": "2.0", "method": "ping", "params": [23, 42], "id": 2}',
        refused(-32602, 2),
    ),
    "named params": (
        b'{"jsonrpc": "2.0", "method": "ping", "params": {"nonce": 23, "minuend": 42}, "id": 3}',
        {"jsonrpc": "2.0", "id": 3, "result": {"nonce": 23}},
    ),
    "named params in another order": (
        b'{"jsonrpc": "2.0", "method": "ping", "params": {"minuend": 42, "nonce": 23}, "id": 4}',
        {"jsonrpc": "2.0", "id": 4, "result": {"nonce": 23}},
    ),
    "a notification": (b'{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', None),
    "a notification without params": (b'{"jsonrpc": "2.0", "method": "foobar"}', None),
    "a method there is not": (
        b'{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
        refused(-32004, "1"),
    ),
    "invalid JSON": (
        b'{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
        refused(-32700),
    ),
    "an invalid request": (
        b'{"jsonrpc": "2.0", "method": 1, "params": "bar"}',
        refused(-32600),
    ),
    "a batch of invalid JSON": (
        b'[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},'
        b' {"jsonrpc": "2.0", "method"]',
        refused(-32700),
    ),
    "an empty batch": (b"[]", refused(-32600)),
    "a batch of one that is no request": (b"[1]", [refused(-32600)]),
    "a batch of what are no requests": (b"[1,2,3]", [refused(-32600)] * 3),
    "a batch": (
        b'[{"jsonrpc": "2.0", "method": "ping", "params": {"nonce": 7}, "id": "1"},'
        b' {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},'
        b' {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},'
        b' {"foo": "boo"},'
        b' {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},'
        b' {"jsonrpc": "2.0", "method": "ping", "id": "9"}]',
        [
            {"jsonrpc": "2.0", "id": "1", "result": {"nonce": 7}},
            refused(-32004, "2"),
            refused(-32600),
            refused(-32004, "5"),
            {"jsonrpc": "2.0", "id": "9", "result": {}},
        ],
    ),
    "a batch of notifications": (
        b'[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},'
        b' {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
        None,
    ),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_exchanges_of_json_rpc_have_rcp_s_codes(name: str, door: Callable[[Any], Any]) -> None:
    sent, expected = EXCHANGES[name]

    assert wordless(door(sent)) == expected


#: Single frames that are no calls; the id is echoed where one can be read.
MALFORMED: Final[dict[str, tuple[Any, dict[str, Any]]]] = {
    "no version": ({"id": 5, "method": "ping"}, refused(-32600, 5)),
    "the compact form": ({"method": "ping", "params": {}}, refused(-32600)),
    "another version": ({"jsonrpc": "1.0", "id": 5, "method": "ping"}, refused(-32600, 5)),
    "a number as version": ({"jsonrpc": 2.0, "id": "a", "method": "ping"}, refused(-32600, "a")),
    "no method": ({"jsonrpc": "2.0", "id": 5}, refused(-32600, 5)),
    "a null method": ({"jsonrpc": "2.0", "id": 5, "method": None}, refused(-32600, 5)),
    "a list as method": ({"jsonrpc": "2.0", "id": 5, "method": ["ping"]}, refused(-32600, 5)),
    "a null id": ({"jsonrpc": "2.0", "id": None, "method": "ping"}, refused(-32600)),
    "a boolean id": ({"jsonrpc": "2.0", "id": True, "method": "ping"}, refused(-32600)),
    "a list as id": ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, refused(-32600)),
    "an object as id": ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, refused(-32600)),
    "a string": ("ping", refused(-32600)),
    "a number": (5, refused(-32600)),
    "null": (None, refused(-32600)),
    "cancelling with an id": (a_call("notifications/cancel", {"id": 1}, id=5), refused(-32600, 5)),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_request_is_refused(name: str, door: Callable[[Any], Any]) -> None:
    sent, expected = MALFORMED[name]

    assert wordless(door(json.dumps(sent).encode())) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"{}{}",
        b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1,"a":2}}}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}',
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
        b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 64 + b"]" * 64 + b"}",
        b"'ping'",
    ],
    ids=repr,
)
def test_what_is_not_acceptable_json_is_a_parse_error(
    raw: bytes, call: InProcess, agent_token: str
) -> None:
    at_door = HttpDoor(call).post("/ping", raw)

    assert (at_door.status, wordless(at_door.body)) == (400, refused(-32700))
    assert wordless(PipeDoor(agent_token).send(raw)) == refused(-32700)


@pytest.mark.parametrize("params", [[], [1], "x", 5, True], ids=repr)
def test_params_are_an_object_or_absent(params: object, door: Callable[[Any], Any]) -> None:
    answer = door(a_call("info", params, id=1))

    assert wordless(answer) == refused(-32602, 1)
    assert answer["error"]["data"]["field"] == "params"
    assert "result" in door({"jsonrpc": "2.0", "id": 1, "method": "info", "params": None})


def test_unknown_names_are_ignored_everywhere(door: Callable[[Any], Any]) -> None:
    params = {"nonce": 1, "new": {"a": []}, "_meta": {"progressToken": 1, "x": None}}

    answer = door({**a_call("ping", params, id=1), "new": 5, "trace": {}})

    assert answer["result"] == {"nonce": 1}


def test_a_batch_holds_at_most_fifty_calls_in_order(door: Callable[[Any], Any]) -> None:
    batch = [a_call("ping", {"nonce": number}, id=number) for number in range(51)]

    assert [member["result"]["nonce"] for member in door(batch[:50])] == list(range(50))
    refusal = door(batch)
    assert wordless(refusal) == refused(-32013)
    assert refusal["error"]["data"] == {"field": "batch"}


def test_a_malformed_member_of_a_batch_has_no_id(door: Callable[[Any], Any]) -> None:
    answers = door([{"id": 5, "method": "ping"}, [], a_call("ping", id=6)])

    assert wordless(answers[:2]) == [refused(-32600)] * 2
    assert answers[2]["id"] == 6


def test_an_answer_is_a_result_or_an_error() -> None:
    for raw in (b"[]", b"null", b"true"):
        with pytest.raises(RcpError):
            frames.call_of(frames.parse(raw))


# --- Hostile frames ------------------------------------------------------------------------------


def test_a_thousand_hostile_frames_are_answered_or_met_with_silence(call: InProcess) -> None:
    at = HttpDoor(call)
    made = hostile_frames()
    assert sum(is_notification(value) for _, value in made) > 100
    for raw, value in made:
        answer = at.post(f"/{path_of(value)}", raw)
        assert answer.status in (200, 204, 400), (raw, answer.content)
        assert_met(raw, value, answer.body if answer.content else None)


def test_the_same_frames_over_pipes(agent_token: str) -> None:
    pipe = Client(PipeDoor(agent_token)).initialized().door
    for raw, value in hostile_frames():
        if raw.strip():
            assert_met(raw, value, pipe.send(raw))
