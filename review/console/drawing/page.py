"""What the screens of reports are drawn with, besides what was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.actor import Actor
    from review.console.links import Links
    from review.console.place import Place
    from review.screens import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """Who looks, from which place of the queue, and the frame around it."""

    frame: Frame
    actor: Actor
    links: Links
    place: Place
