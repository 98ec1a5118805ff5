"""The project that the running transaction belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from memory.digests import Digester
    from memory.vocabulary import UtilityScope


@dataclass(frozen=True, slots=True)
class UtilityRules:
    """How a project lets outcomes count in the ranking (`design.md`, Ranking)."""

    one_vote_per_run: bool
    minimum_actors: int
    scope: UtilityScope
    are_signals_counted: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """The project of the running transaction, and when it began by the database's clock."""

    project_id: UUID
    name: str
    search_language: str
    utility: UtilityRules
    digests: Digester
    opened_at: datetime

    @property
    def search_configuration(self) -> str:
        """The database's text search configuration of the project's language."""
        return f"errata_{self.search_language}"


scope_var: Final[ContextVar[Scope | None]] = ContextVar("errata_scope", default=None)


def current_scope() -> Scope:
    """The scope of the running transaction. Raises RuntimeError outside of one."""
    scope = scope_var.get()
    if scope is None:
        raise RuntimeError("rows of a project are reached inside project_scope only")
    return scope
