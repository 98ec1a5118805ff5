"""Who may report, promote, compile and grade, from actor alone."""

from __future__ import annotations

from memory.policies import Allowed, Answer, Denied, can_change_records, can_read, can_write

__all__ = [
    "Allowed",
    "Answer",
    "Denied",
    "can_compile",
    "can_promote",
    "can_record_outcome",
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
