"""What a project shows in which nobody has compiled or suspected anything yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.scene import INTEGRITY, RUNS, TROUBLE
from tests.browser.screens.matrix import shown

if TYPE_CHECKING:
    from tests.browser.scene import Scene
    from tests.browser.windows import Window


@shown("run-list", "reviewer")
def never_a_run(window: Window, _scene: Scene) -> None:
    window.goto(RUNS)


@shown("trouble-list", "reviewer")
def no_trouble(window: Window, _scene: Scene) -> None:
    window.goto(TROUBLE)


@shown("integrity-list", "reviewer")
def no_suspicion(window: Window, _scene: Scene) -> None:
    window.goto(INTEGRITY)
