"""The list of what is shown, which the other modules fill.

The states of a group follow each other in one project, in the order in which they stand here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from tests.browser.scene import Scene
from tests.browser.windows import Window

Show: TypeAlias = Callable[[Window, Scene], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """One state of a screen: whose, at which route, answered how, and the way there."""

    persona: str
    route: str
    status: int
    show: Show
    turn: int  # which state of the screen this is

    @property
    def name(self) -> str:
        """How a failure names it."""
        return f"{self.persona} {self.route} {self.show.__name__}"

    @property
    def group(self) -> str:
        """The states of a persona share one test; a reviewer has one for each part."""
        part = self.show.__module__.rpartition(".")[2]
        return f"{self.persona}-{part}" if self.persona == "reviewer" else self.persona


MATRIX: Final[list[Shown]] = []
VISITOR: Final = "visitor"  # nobody has signed in


def shown(route: str, *personas: str, status: int = 200) -> Callable[[Show], Show]:
    """Enter a way of showing a screen, for each of these personas."""

    def enter(show: Show) -> Show:
        for persona in personas:
            turn = sum(entry.route == route for entry in MATRIX)
            MATRIX.append(Shown(persona, route, status, show, turn))
        return show

    return enter
