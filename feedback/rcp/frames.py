"""JSON-RPC 2.0: bytes to calls, and answers to frames (`protocols.md` 1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from feedback.rcp.errors import RcpError, invalid_request, parse_error, too_large
from memory.http.errors import InvalidBody, PayloadTooLarge
from memory.http.strict_json import BODY_BYTES, parse_value

if TYPE_CHECKING:
    from collections.abc import Callable

RequestId: TypeAlias = str | int | float

CALLS_PER_BATCH: Final = 50


@dataclass(frozen=True, slots=True)
class Call:
    """What a frame asks for. Without an id it is a notification, which is never answered."""

    method: str
    params: Any
    id: RequestId | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call is answered: a result or an error, never both."""

    id: RequestId | None
    result: dict[str, Any] | None = None
    error: RcpError | None = None

    @property
    def frame(self) -> dict[str, Any]:
        """The object that is sent."""
        head = {"jsonrpc": "2.0", "id": self.id}
        if self.error is not None:
            return {**head, "error": self.error.member}
        return {**head, "result": self.result}


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to the calls of a batch."""

    members: tuple[Answer, ...]

    @property
    def frame(self) -> list[dict[str, Any]]:
        """The list that is sent."""
        return [answer.frame for answer in self.members]


def parse(raw: bytes) -> Any:
    """The JSON value that a frame is. Raises RcpError."""
    try:
        return parse_value(raw)
    except PayloadTooLarge:
        raise too_large("body", f"must be at most {BODY_BYTES} bytes.") from None
    except InvalidBody as error:
        raise parse_error(error.message) from None


def id_of(value: Any) -> RequestId | None:
    """The id that can be read from a frame, None if there is none."""
    found = value.get("id") if isinstance(value, dict) else None
    if isinstance(found, str) or type(found) in (int, float):
        return found
    return None


def call_of(value: Any) -> Call:
    """The call that an object is. Raises RcpError, -32600."""
    if not isinstance(value, dict):
        raise invalid_request("A request must be an object.")
    if value.get("jsonrpc") != "2.0":
        raise invalid_request('"jsonrpc" must be "2.0".')
    if not isinstance(value.get("method"), str):
        raise invalid_request('"method" must be a string.')
    if "id" in value and id_of(value) is None:
        raise invalid_request('"id" must be a string or a number.')
    return Call(value["method"], value.get("params"), id_of(value))


def answer_frame(value: Any, answer: Callable[[Call], Answer]) -> Answer | Answers | None:
    """Answer the calls of a frame in order; None where it holds notifications only."""
    if isinstance(value, list):
        return answer_batch(value, answer)
    return _answer_one(value, answer, id_of(value))


def answer_batch(value: list[Any], answer: Callable[[Call], Answer]) -> Answer | Answers | None:
    """Answer the calls of a batch in order; the batch itself may be refused as one."""
    if not value:
        return Answer(None, error=invalid_request("A batch must not be empty."))
    if len(value) > CALLS_PER_BATCH:
        rule = f"must hold at most {CALLS_PER_BATCH} calls."
        return Answer(None, error=too_large("batch", rule))
    found = [_answer_one(member, answer, None) for member in value]
    answers = tuple(one for one in found if one is not None)
    return Answers(answers) if answers else None


def _answer_one(
    value: Any, answer: Callable[[Call], Answer], id_if_malformed: RequestId | None
) -> Answer | None:
    try:
        call = call_of(value)
    except RcpError as error:
        return Answer(id_if_malformed, error=error)
    return None if call.id is None else answer(call)
