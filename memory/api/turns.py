"""A turn as edges take it: the draft that it is, and what of it a repetition has to equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.operations.append_source import MessageDraft, SourceDraft
from memory.operations.record_rows import Origin
from memory.vocabulary import SourceKind

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The field of a turn that is its idempotency key.
TURN_KEY: Final = "idempotency_key"

_ORIGIN: Final = Origin("turn")


def turn_of(values: Mapping[str, Any]) -> SourceDraft:
    """The draft of a turn: `values` are those of `TurnInput`."""
    return SourceDraft(
        kind=SourceKind.TURN,
        messages=tuple(
            MessageDraft(m["role"], m["content"], m["occurred_at"], m["group_ordinal"])
            for m in values["messages"]
        ),
        origin=_ORIGIN,
        data_subject=values["data_subject_id"],
        occurred_at=values["occurred_at"],
    )


def compared_turn(body: Mapping[str, Any]) -> dict[str, Any]:
    """What of an accepted turn is compared: not its key, and no times: a retry may tell others."""
    messages = [
        {name: value for name, value in message.items() if name != "occurred_at"}
        for message in body["messages"]
    ]
    compared = {name: value for name, value in body.items() if name != TURN_KEY}
    return {**compared, "messages": messages, "occurred_at": None}
