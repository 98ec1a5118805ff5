"""`feedback`: what a client says of hits, untrusted advice (`protocols.md` 1.9)."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from typing_extensions import override

from feedback.operations.record_signals import SignalDraft, record_signals
from feedback.rcp.errors import too_large
from feedback.rcp.params import AnyObject, Hint, read
from memory.errors import FieldInvalid
from memory.http.fields import StrictBoolean, StrictNumber
from memory.http.strict_field import StrictField, refuse
from memory.keys import IdempotencyRequest, fingerprint

if TYPE_CHECKING:
    from feedback.rcp.callers import Caller

SIGNALS: Final = 256
HIT_ID_CHARACTERS: Final = 200
SESSION_ID_CHARACTERS: Final = 256
QUERY_BYTES: Final = 8_192
#: One for HTTP and stdio: a key stands for a call, however it came.
ROUTE: Final = "rcp:feedback"

_ID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_HIT: Final = re.compile(f"({_ID})(?:@({_ID}))?", re.ASCII)


class HitId(StrictField):
    """The id of a hit of any server: a string or a number, which is kept as its text."""

    @override
    def accept(self, value: Any, path: str) -> str:
        """The id as text."""
        if type(value) in (int, float):
            return repr(value)
        if not isinstance(value, str) or not 1 <= len(value) <= HIT_ID_CHARACTERS:
            refuse(path, f"must be a string of 1 to {HIT_ID_CHARACTERS} characters or a number.")
        return value


class Key(StrictField):
    """An idempotency key: visible ASCII."""

    form: Final = re.compile(r"[!-~]{1,255}", re.ASCII)

    @override
    def accept(self, value: Any, path: str) -> str:
        """The key."""
        if not isinstance(value, str) or not self.form.fullmatch(value):
            refuse(path, "must be 1 to 255 visible ASCII characters.")
        return value


class Signals(StrictField):
    """A list of signals, read as a whole before anything is stored."""

    @override
    def accept(self, value: Any, path: str) -> list[SignalDraft]:
        """The signals. Raises RcpError for too many."""
        if not isinstance(value, list):
            refuse(path, "must be a list.")
        if len(value) > SIGNALS:
            raise too_large(path, f"must hold at most {SIGNALS} signals.")
        return [_draft(part, f"{path}[{place}]") for place, part in enumerate(value)]


_SIGNAL: Final[dict[str, StrictField]] = {
    "hitId": HitId(),
    "used": StrictBoolean(),
    "cited": StrictBoolean(),
    "helpful": StrictBoolean(),
    "reward": StrictNumber(minimum=-1, maximum=1),
    "poisonSuspected": StrictBoolean(),
    "injectionSuspected": StrictBoolean(),
}
_FIELDS: Final[dict[str, StrictField]] = {
    "signals": Signals(),
    "sessionId": Hint(max_characters=SESSION_ID_CHARACTERS),
    "query": Hint(max_bytes=QUERY_BYTES),
    "_meta": AnyObject(idempotencyKey=Key()),
}


def feedback(caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
    """Store all signals or none; the number tells nothing about what exists."""
    if params.get("signals") is None:
        raise FieldInvalid("signals", "is required.")
    values = read(params, _FIELDS)
    drafts: list[SignalDraft] = values["signals"]
    session, query = values.get("sessionId"), values.get("query")
    key = values.get("_meta", {}).get("idempotencyKey")
    receipt = record_signals(
        actor=caller.actor,
        drafts=drafts,
        session=session,
        query=query,
        key=None if key is None else _request_of(key, drafts, session, query),
    )
    return {"accepted": receipt.accepted}


def _request_of(
    key: str, drafts: list[SignalDraft], session: str | None, query: str | None
) -> IdempotencyRequest:
    """The key with what has to be equal in a repetition: all that is stored."""
    said = {
        "signals": [
            {
                name: str(part) if isinstance(part, UUID) else part
                for name, part in asdict(draft).items()
            }
            for draft in drafts
        ],
        "sessionId": session,
        "query": query,
    }
    return IdempotencyRequest(key, ROUTE, fingerprint("POST", ROUTE, said))


def _draft(value: Any, path: str) -> SignalDraft:
    if not isinstance(value, dict):
        refuse(path, "must be an object.")
    if value.get("hitId") is None:
        refuse(f"{path}.hitId", "is required.")
    said = read(value, _SIGNAL, f"{path}.")
    form = _HIT.fullmatch(said["hitId"])
    version = form[2] if form else None
    return SignalDraft(
        hit=said["hitId"],
        record_id=UUID(form[1]) if form else None,
        version=UUID(version) if version else None,
        is_used=said.get("used"),
        is_cited=said.get("cited"),
        is_helpful=said.get("helpful"),
        reward=said.get("reward"),
        is_poison_suspected=said.get("poisonSuspected"),
        is_injection_suspected=said.get("injectionSuspected"),
    )
