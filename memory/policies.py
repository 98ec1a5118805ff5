"""Who may do what, from actor alone. Whether the state allows it is the operation's check."""

from __future__ import annotations

from dataclasses import dataclass

from memory import errors
from memory.actor import Actor
from memory.vocabulary import Edge, Role


@dataclass(frozen=True, slots=True)
class Allowed:
    """Yes."""

    is_allowed: bool = True
    reason: str = ""

    def require(self) -> None:
        """Pass."""


@dataclass(frozen=True, slots=True)
class Denied:
    """No, and why; the reason serves console and tests, the wire says `forbidden`."""

    reason: str
    is_allowed: bool = False

    def require(self) -> None:
        """Refuse with `errors.Denied`."""
        raise errors.Denied(self.reason)


Answer = Allowed | Denied


def can_read(actor: Actor) -> Answer:
    """Records, sources and reports: readers and every credential; auditors see no content."""
    return Allowed() if actor.can_read else Denied("needs_reader")


def can_write(actor: Actor) -> Answer:
    """Report, assert, correct, retract: reviewers and read-write credentials."""
    return Allowed() if actor.can_write else Denied("needs_reviewer")


def can_change_records(actor: Actor) -> Answer:
    """Assert, correct, retract; no tool of a model does that."""
    if actor.edge is Edge.MCP:
        return Denied("changing_records_is_not_a_tool")
    return can_write(actor)


#: Append evidence; a tool of a model may, since evidence changes no belief.
can_observe = can_write


def can_read_audit(actor: Actor) -> Answer:
    """The audit log: auditors and owners; no credential."""
    return Allowed() if Role.AUDITOR in actor.roles else Denied("needs_auditor")


def can_own(actor: Actor) -> Answer:
    """Members, credentials, settings: owners and the operator."""
    return Allowed() if Role.OWNER in actor.roles else Denied("needs_owner")


def can_operate(actor: Actor) -> Answer:
    """Projects and accounts, which belong to no project: the operator, at the command line."""
    if actor.edge is not Edge.CLI:
        return Denied("needs_operator")
    return can_own(actor)
