"""The screen of the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen

if TYPE_CHECKING:
    from datetime import datetime

    from review.screens.frame import ActorLabel, Empty, Filters, FormProblem, Pager


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """An entry of the audit log. `is_same_request`: it stands under the entry it belongs to."""

    at: datetime
    operation: str
    is_refused: bool
    code: str
    actor: ActorLabel
    magnitude: int
    request_id: str
    request_url: str
    is_same_request: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditScreen(Screen):
    """S20."""

    now: datetime | None  # None: nothing was read
    filters: Filters
    problems: tuple[FormProblem, ...] = ()
    rows: tuple[AuditRow, ...]
    empty: Empty | None = None
    pager: Pager | None = None
