"""Records: as they are, as they were, and what happened to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.scene import LONG, record_address
from tests.browser.screens.matrix import shown
from tests.factories import MARKER
from tests.review.situations import cite_again, correct, promote, retract

if TYPE_CHECKING:
    from memory.operations.assert_records import AssertedRecord
    from tests.browser.scene import Scene
    from tests.browser.windows import Window


def moved(scene: Scene) -> AssertedRecord:
    """A current record with two versions."""
    record = scene.record()
    scene.move(record)
    return record


@shown("record-get", "reader", "reviewer", "owner")
def current(window: Window, scene: Scene) -> None:
    record = scene.record(statement=LONG, data_subject=f"person of the {MARKER}")
    cite_again(record, 11)
    window.goto(record_address(record))


@shown("record-get", "reviewer")
def superseded(window: Window, scene: Scene) -> None:
    record = scene.record()
    correct(scene.agent, record)
    window.goto(record_address(record))


@shown("record-get", "reviewer")
def replacement(window: Window, scene: Scene) -> None:
    window.goto(record_address(correct(scene.agent, scene.record())))


@shown("record-get", "reviewer")
def retracted(window: Window, scene: Scene) -> None:
    record = scene.record()
    retract(scene.agent, record)
    window.goto(record_address(record))


@shown("record-versions", "reviewer")
def versions(window: Window, scene: Scene) -> None:
    window.goto(record_address(moved(scene), "versions/"))


@shown("record-version", "reviewer")
def old_version(window: Window, scene: Scene) -> None:
    window.goto(record_address(moved(scene), "versions/1/"))


@shown("record-compare", "reviewer")
def comparison(window: Window, scene: Scene) -> None:
    record = scene.record()
    correct(scene.agent, record)
    window.goto(record_address(record, "versions/"))
    window.click("Compare the chosen versions")


@shown("record-compare", "reviewer")
def equal_versions(window: Window, scene: Scene) -> None:
    window.goto(record_address(moved(scene), "compare/?from=1&to=2"))


@shown("record-history", "reader")
def history(window: Window, scene: Scene) -> None:
    record = scene.record()
    report = scene.correction(record)
    scene.retraction(record)
    promote(scene.rival, report.id)
    window.goto(record_address(record, "history/"))


@shown("record-reports", "reviewer")
def reports(window: Window, scene: Scene) -> None:
    record = scene.record()
    report = scene.correction(record)
    scene.retraction(record)
    promote(scene.rival, report.id)
    window.goto(record_address(record, "reports/"))


@shown("record-reports", "reviewer")
def no_reports(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.record(), "reports/"))


@shown("record-versions", "reviewer", status=422)
def foreign_cursor(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.record(), "versions/?after=nonsense"))
