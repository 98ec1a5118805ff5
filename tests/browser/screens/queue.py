"""The lists of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.vocabulary import Role
from tests.browser.scene import LONG, REPORTS
from tests.browser.screens.matrix import shown
from tests.factories import MARKER, a_project, grant
from tests.review.situations import correct, promote, retract

if TYPE_CHECKING:
    from tests.browser.scene import Scene
    from tests.browser.windows import Window


@shown("report-list", "reviewer")
def no_report_ever(window: Window, _scene: Scene) -> None:
    grant(a_project("empty")[1], "reviewer", Role.REVIEWER)
    window.goto("/p/empty/reports/")


@shown("report-list", "reviewer")
def nothing_ready(window: Window, scene: Scene) -> None:
    record = scene.record()
    scene.correction(record)
    correct(scene.agent, record)
    window.goto(f"{REPORTS}?view=ready&order=newest&size=50")


@shown("report-list", "reader")
def open_reports(window: Window, scene: Scene) -> None:
    scene.correction(note=LONG, proposed_object=LONG[:400])
    scene.retraction()
    window.goto(REPORTS)


@shown("report-list", "reviewer")
def first_and_last_page(window: Window, scene: Scene) -> None:
    scene.correction(note=LONG)
    for number in range(20):
        scene.retraction(note=f"No {MARKER} was ever there, says witness {number}.")
    window.goto(REPORTS)


@shown("report-list", "reviewer")
def later_page(window: Window, _scene: Scene) -> None:
    window.goto(REPORTS)
    window.follow("Newer reports")


@shown("report-list", "reviewer")
def every_state(window: Window, scene: Scene) -> None:
    record = scene.record()
    scene.correction(record)
    scene.move(record)
    promote(scene.rival, scene.correction(proposed_object=LONG[:300]).id)
    promote(scene.rival, scene.retraction().id)
    for close in (correct, retract):
        record = scene.record()
        scene.correction(record)
        close(scene.agent, record)
    window.goto(f"{REPORTS}?view=all")


@shown("report-list", "reviewer")
def changed_targets(window: Window, _scene: Scene) -> None:
    window.goto(f"{REPORTS}?view=changed")


@shown("report-list", "reviewer", status=422)
def foreign_cursor(window: Window, _scene: Scene) -> None:
    window.goto(f"{REPORTS}?after=nonsense")


@shown("report-list", "auditor", status=403)
def not_for_this_role(window: Window, _scene: Scene) -> None:
    window.goto(REPORTS)
