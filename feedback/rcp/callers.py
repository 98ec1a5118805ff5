"""Who calls, in which session, and until when."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from django.conf import settings

from memory.http import rates
from memory.http.errors import RateLimited

if TYPE_CHECKING:
    from feedback.rcp.sessions import Session
    from memory.actor import Actor

#: Of one request, however many calls it holds (`contract.md` 0.8).
REQUEST_SECONDS: Final = 10.0


def _deadline() -> float:
    return time.monotonic() + REQUEST_SECONDS


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated client during one request."""

    actor: Actor
    session: Session
    deadline: float = field(default_factory=_deadline)

    @property
    def is_late(self) -> bool:
        """Whether the time of the request is over."""
        return time.monotonic() > self.deadline


def take_rate(actor: Actor, *, is_write: bool) -> None:
    """Count a call of the credential. Raises RateLimited."""
    if is_write:
        wait = rates.writes.take(actor.id, settings.WRITES_PER_MINUTE)
    else:
        wait = rates.reads.take(actor.id, settings.READS_PER_MINUTE)
    if wait:
        raise RateLimited(wait)
