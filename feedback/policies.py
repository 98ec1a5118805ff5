"""Who may report, promote, compile and grade, from actor alone."""

from __future__ import annotations

from memory.actor import Actor
from memory.policies import Allowed, Answer, Denied, can_change_records, can_read, can_write
from memory.vocabulary import ActorKind

__all__ = [
    "Allowed",
    "Answer",
    "Denied",
    "can_compile",
    "can_decide_integrity",
    "can_promote",
    "can_record_outcome",
    "can_record_signals",
    "can_report",
]

#: Whoever may write may report; the one write that an MCP tool may do, since it changes nothing.
can_report = can_write

#: Whoever may correct and retract without review may promote, and a model never may.
can_promote = can_change_records

#: A compile leaves a run and changes nothing that anybody believes, so reading is enough.
can_compile = can_read

#: Whoever may write may say what became of a pack; a tool of a model may too.
can_record_outcome = can_write

#: Signals are advice of whoever may write.
can_record_signals = can_write


def can_decide_integrity(actor: Actor) -> Answer:
    """Say that a suspected record is of no concern: people who review; no credential."""
    if actor.kind is not ActorKind.USER:
        return Denied("deciding_is_for_people")
    return can_write(actor)
