"""Who may report and promote, from actor alone."""

from __future__ import annotations

from memory.policies import Allowed, Answer, Denied, can_change_records, can_write

__all__ = ["Allowed", "Answer", "Denied", "can_promote", "can_report"]

#: Whoever may write may report; the one write that an MCP tool may do, since it changes nothing.
can_report = can_write

#: Whoever may correct and retract without review may promote, and a model never may.
can_promote = can_change_records
