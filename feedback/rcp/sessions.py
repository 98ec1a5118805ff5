"""Who has said `initialize` (`protocols.md` 1.3 and 1.5): nobody needs to, or one session has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from feedback.operations.close_rcp_session import close_rcp_session
from feedback.operations.open_rcp_session import open_rcp_session
from feedback.operations.use_rcp_session import use_rcp_session

if TYPE_CHECKING:
    from memory.actor import Actor


class Session(Protocol):
    """The state between the calls of one client."""

    #: Whether `initialize` may come once only.
    is_strict: bool

    def is_open(self, actor: Actor) -> bool:
        """Whether `initialize` has succeeded."""

    def open(self, actor: Actor) -> bool:
        """Whether this call initialized it; False if another one did."""

    def close(self, actor: Actor) -> None:
        """Forget it."""


@dataclass(slots=True)
class Stateless:
    """Every request counts as initialized."""

    is_strict: bool = False

    def is_open(self, actor: Actor) -> bool:  # noqa: ARG002 - of anybody
        """Yes."""
        return True

    def open(self, actor: Actor) -> bool:  # noqa: ARG002 - for anybody
        """Yes, as often as one likes."""
        return True

    def close(self, actor: Actor) -> None:
        """Nothing to forget."""


@dataclass(slots=True)
class ProcessSession:
    """The one session of a process."""

    is_strict: bool = True
    is_initialized: bool = False

    def is_open(self, actor: Actor) -> bool:  # noqa: ARG002 - the process has one client
        """Whether `initialize` has succeeded."""
        return self.is_initialized

    def open(self, actor: Actor) -> bool:  # noqa: ARG002 - the same
        """Note that it has."""
        was_initialized, self.is_initialized = self.is_initialized, True
        return not was_initialized

    def close(self, actor: Actor) -> None:  # noqa: ARG002 - the same
        """Forget that it had."""
        self.is_initialized = False


@dataclass(slots=True)
class NamedSession:
    """A session of a credential under a name, kept in the database for all processes."""

    name: str
    is_strict: bool = True

    def is_open(self, actor: Actor) -> bool:
        """Whether it is open; keeps it alive."""
        return use_rcp_session(actor=actor, name=self.name)

    def open(self, actor: Actor) -> bool:
        """Open it, unless it is open."""
        return open_rcp_session(actor=actor, name=self.name)

    def close(self, actor: Actor) -> None:
        """Drop it."""
        close_rcp_session(actor=actor, name=self.name)
