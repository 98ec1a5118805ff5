"""Speaking RCP as a client does: through the middleware, to a server, or over pipes.

Every frame that comes back is checked against `docs/rcp.schema.json`, and every frame whose call
succeeded was a valid one by it, too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, Final, Protocol

from django.conf import settings
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from feedback.rcp.stdio import StdioServer
from tests.wire import Answer, Call, encoded

#: Definitions of params and results, by method.
PARAMS: Final = {
    "initialize": "InitializeParams",
    "ping": "PingParams",
    "retrieve": "RetrieveParams",
    "feedback": "FeedbackParams",
}
RESULTS: Final = {
    "initialize": "InitializeResult",
    "info": "InitializeResult",
    "ping": "PingResult",
    "shutdown": "ShutdownResult",
    "retrieve": "RetrieveResult",
    "feedback": "FeedbackResult",
}
_numbers: Final = count(1)


@cache
def validator(name: str = "") -> Any:
    """The validator of one definition, or of any frame."""
    document = json.loads((settings.BASE_DIR / "docs" / "rcp.schema.json").read_text())
    part = {"$ref": f"#/$defs/{name}"} if name else {"oneOf": document["oneOf"]}
    return Draft202012Validator({**part, "$defs": document["$defs"]})


def assert_valid(value: Any, name: str = "") -> None:
    """Fail with the first fault that the schema finds."""
    faults = [f"{fault.json_path}: {fault.message}" for fault in validator(name).iter_errors(value)]
    assert faults == [], faults[:3]


def assert_answer(frame: Any, method: str = "") -> None:
    """Fail unless a frame is an answer, to this method where it is known."""
    for member in frame if isinstance(frame, list) else [frame]:
        assert_valid(member)
        assert ("result" in member) != ("error" in member)
    if isinstance(frame, dict) and "result" in frame and method in RESULTS:
        assert_valid(frame["result"], RESULTS[method])


def a_call(method: str, params: Any = None, *, id: Any = None) -> dict[str, Any]:
    """The frame of a call."""
    frame = {"jsonrpc": "2.0", "id": next(_numbers) if id is None else id, "method": method}
    return frame if params is None else {**frame, "params": params}


class Door(Protocol):
    """A way to a server: sends one frame, or bytes, and gives back what is answered."""

    def send(self, frame: Any, method: str = ...) -> Any:
        """The answered frame, None for silence."""


@dataclass(slots=True)
class HttpDoor:
    """RCP over HTTP at a base."""

    call: Call
    base: str = "/rcp"
    token: str = ""

    def post(self, path: str, body: object, **how: Any) -> Answer:
        """Send one request below the base; what comes back is a frame, or nothing."""
        how.setdefault("token", self.token)
        answer = self.call(f"{self.base}{path}", body, **how)
        if answer.content and answer.headers["content-type"].startswith("application/json"):
            body_sent = answer.body
            if not (isinstance(body_sent, dict) and "meta" in body_sent):
                assert_answer(body_sent, path.removeprefix("/"))
        return answer

    def send(self, frame: Any, method: str = "") -> Any:
        """Post a frame where it belongs."""
        if not method and isinstance(frame, dict) and isinstance(frame.get("method"), str):
            method = frame["method"]
        answer = self.post(f"/{method}" if method else "", frame)
        assert answer.status < 500, answer.content
        assert bool(answer.content) == (answer.status != 204)
        return answer.body if answer.content else None


@dataclass(slots=True)
class PipeDoor:
    """RCP over stdio, in this process."""

    token: str
    server: StdioServer = field(init=False)

    def __post_init__(self) -> None:
        self.server = StdioServer(self.token)

    def send(self, frame: Any, method: str = "") -> Any:
        """Answer one line."""
        answered = self.server.answer(encoded(frame))
        if answered is None:
            return None
        sent = json.loads(json.dumps(answered.frame))
        assert_answer(sent, method)
        return sent


@dataclass(slots=True)
class Client:
    """Asks and expects."""

    door: Door

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The answer to a call, which has its id."""
        frame = a_call(method, params)
        answer: dict[str, Any] = self.door.send(frame)
        assert answer["id"] == frame["id"]
        if "result" in answer:
            assert_valid(frame, "Request")
            if method in RESULTS:
                assert_valid(answer["result"], RESULTS[method])
        return answer

    def result(self, method: str, params: Any = None) -> dict[str, Any]:
        """The result of a call that succeeds."""
        answer = self.ask(method, params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def error(self, method: str, params: Any = None) -> dict[str, Any]:
        """The error of a call that fails."""
        answer = self.ask(method, params)
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    def code(self, method: str, params: Any = None) -> int:
        """The code of a call that fails."""
        return int(self.error(method, params)["code"])

    def hits(self, query: str, **params: Any) -> list[dict[str, Any]]:
        """The hits of a query."""
        hits: list[dict[str, Any]] = self.result("retrieve", {"query": query, **params})["hits"]
        return hits

    def initialized(self) -> Client:
        """The same client, after `initialize`."""
        self.result("initialize", {"protocolVersion": 1})
        return self
