"""The audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.scene import AUDIT
from tests.browser.screens.matrix import shown
from tests.review.situations import promote

if TYPE_CHECKING:
    from tests.browser.scene import Scene
    from tests.browser.windows import Window


@shown("audit-list", "auditor")
def entries(window: Window, scene: Scene) -> None:
    for _ in range(26):
        scene.retraction()
    report = scene.correction()
    promote(scene.rival, report.id)
    window.goto(AUDIT)


@shown("audit-list", "owner")
def few_entries(window: Window, _scene: Scene) -> None:
    window.goto(AUDIT)


@shown("audit-list", "auditor")
def older_entries(window: Window, _scene: Scene) -> None:
    window.goto(AUDIT)
    window.follow("Older entries")


@shown("audit-list", "auditor")
def no_entries(window: Window, _scene: Scene) -> None:
    window.goto(f"{AUDIT}?from=2019-01-01&to=2019-01-02")


@shown("audit-list", "auditor", status=422)
def times_turned_round(window: Window, _scene: Scene) -> None:
    window.goto(f"{AUDIT}?from=2026-01-02&to=2026-01-01")


@shown("audit-list", "auditor", status=422)
def nothing_fits(window: Window, _scene: Scene) -> None:
    window.goto(f"{AUDIT}?op=nonsense&request=nonsense&from=nonsense")


@shown("audit-list", "auditor", status=422)
def foreign_cursor(window: Window, _scene: Scene) -> None:
    window.goto(f"{AUDIT}?after=nonsense")


@shown("audit-list", "reviewer", status=403)
def not_for_this_role(window: Window, _scene: Scene) -> None:
    window.goto(AUDIT)


@shown("audit-list", "nobody", status=404)
def no_role(window: Window, _scene: Scene) -> None:
    window.goto(AUDIT)
