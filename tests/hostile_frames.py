"""Frames that somebody hostile or careless could send to an RCP server; the same in every run."""

from __future__ import annotations

import json
import random
from typing import Any, Final

from feedback.rcp import frames
from feedback.rcp.errors import RcpError
from tests.rcp import assert_answer

HOSTILE_FRAMES: Final = 1_000

VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 10**63, 1.5, -0.0, 5e-324, "", " ", "\u0000", "🦓", "x" * 9_000),
    *([], {}, [[]], [{}], {"type": "text"}, {"and": []}, {"field": "kind"}, [None], ["x"] * 300),
    *("' OR 1=1 --", "%s", "{0}", "../../etc", "<script>", "\u202e", "2026-01-01T00:00:00Z"),
)
METHODS: Final = (
    *("initialize", "info", "ping", "shutdown", "retrieve", "feedback", "index/add", "embed"),
    *("notifications/cancel", "notifications/progress", "x-a/b", "no/such", "__init__", "s/a"),
)
NAMES: Final = (
    *("query", "k", "candidateK", "filter", "minScore", "unit", "mode", "tokenBudget", "cursor"),
    *("strict", "rerank", "seed", "signals", "sessionId", "nonce", "protocolVersion", "_meta"),
    *("x-errata-subject", "x-errata-include-shared", "includeText", "level", "fusion", "new"),
)


def hostile(chance: random.Random) -> Any:
    """Something that somebody could send: often almost right."""
    match chance.randrange(8):
        case 0:
            return chance.choice(VALUES)
        case 1:
            return [_call_like(chance) for _ in range(chance.randrange(4))]
        case 2:
            raw = json.dumps(_call_like(chance)).encode()
            place = chance.randrange(len(raw))
            return raw[:place] + bytes([chance.randrange(256)]) + raw[place + 1 :]
        case _:
            return _call_like(chance)


def _call_like(chance: random.Random) -> dict[str, Any]:
    call = {
        "jsonrpc": "2.0",
        "id": chance.choice((1, "a", 2.5)),
        "method": chance.choice(METHODS),
        "params": {
            name: _value(chance, 3) for name in chance.sample(NAMES, chance.randrange(1, 6))
        },
    }
    if chance.random() < 0.3:
        del call["id"]
    if chance.random() < 0.2:
        call[chance.choice(("jsonrpc", "id", "method", "params"))] = chance.choice(VALUES)
    return call


def _value(chance: random.Random, depth: int) -> Any:
    if not depth or chance.random() < 0.6:
        return chance.choice(VALUES)
    if chance.random() < 0.5:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(3))]
    names = ("field", "op", "value", "and", "or", "not", "hitId", "reward", "type", "text", "topN")
    return {name: _value(chance, depth - 1) for name in chance.sample(names, 2)}


def is_notification(value: Any) -> bool:
    """Whether a frame is never answered."""
    return (
        isinstance(value, dict)
        and value.get("jsonrpc") == "2.0"
        and isinstance(value.get("method"), str)
        and "id" not in value
    )


def path_of(value: Any) -> str:
    """What the path of a frame has to end in; of one without a usable method, of another."""
    method = value.get("method") if isinstance(value, dict) else None
    return method if method in METHODS else "ping"


def hostile_frames() -> list[tuple[bytes, Any]]:
    """The same thousand in every run, as bytes, with what they are if they can be read."""
    chance = random.Random(4)  # noqa: S311 - repeatable, not secret
    made = []
    for _ in range(HOSTILE_FRAMES):
        frame = hostile(chance)
        while isinstance(frame, bytes) and b"\n" in frame:
            frame = hostile(chance)
        raw = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
        try:
            made.append((raw, frames.parse(raw)))
        except RcpError:
            made.append((raw, None))
    return made


def assert_met(raw: bytes, value: Any, answer: Any) -> None:
    """Fail if a notification was answered, or anything else was not answered well."""
    silent = is_notification(value)
    if isinstance(value, list):
        silent = bool(value) and all(map(is_notification, value))
    assert (answer is None) == silent, raw
    if answer is None:
        return
    assert_answer(answer)
    codes = {
        member["error"]["code"]
        for member in (answer if isinstance(answer, list) else [answer])
        if "error" in member
    }
    assert not codes & {-32603, -32010}, raw
