"""Reporting a doubt about a record, and every way in which it does not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.scene import LONG, PROPOSED, record_address
from tests.browser.screens.matrix import shown
from tests.factories import MARKER
from tests.review.situations import correct, retract

if TYPE_CHECKING:
    from memory.operations.assert_records import AssertedRecord
    from tests.browser.scene import Scene
    from tests.browser.windows import Window

SEND = "Report this doubt"
NOTE = f"It is {PROPOSED}, {MARKER}."


def written(window: Window, record: AssertedRecord, note: str = NOTE) -> None:
    """Open the form and fill it in."""
    window.goto(record_address(record, "report/"))
    window.page.get_by_label("What is wrong?").fill(note)
    window.page.get_by_label("It should say").fill(PROPOSED)


@shown("record-report", "reviewer", "owner")
def asked(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.record(), "report/"))


@shown("record-report", "reviewer")
def asked_about_long_texts(window: Window, scene: Scene) -> None:
    record = scene.record(object=LONG[:1000], statement=LONG, subject=f"{MARKER * 30}")
    window.goto(record_address(record, "report/"))


@shown("record-report", "reviewer")
def asked_about_a_closed_record(window: Window, scene: Scene) -> None:
    record = scene.record()
    correct(scene.agent, record)
    window.goto(record_address(record, "report/"))


@shown("record-report", "reviewer")
def reported(window: Window, scene: Scene) -> None:
    written(window, scene.record())
    window.click(SEND)


@shown("record-report", "reviewer", status=422)
def nothing_seen(window: Window, scene: Scene) -> None:
    written(window, scene.record(), note=" ")
    window.page.get_by_label("It should say").fill("\u200b")
    window.click(SEND)


@shown("record-report", "reviewer", status=409)
def record_moved(window: Window, scene: Scene) -> None:
    record = scene.record()
    written(window, record, note=LONG)
    scene.move(record)
    window.click(SEND)


@shown("record-report", "reviewer", status=409)
def record_corrected(window: Window, scene: Scene) -> None:
    record = scene.record()
    written(window, record)
    correct(scene.agent, record)
    window.click(SEND)


@shown("record-report", "reviewer", status=409)
def record_retracted(window: Window, scene: Scene) -> None:
    record = scene.record()
    written(window, record, note=LONG)
    retract(scene.agent, record)
    window.click(SEND)


@shown("record-report", "reader", status=403)
def not_for_this_role(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.record(), "report/"))


@shown("record-report", "reviewer", status=404)
def missing(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.correction().id, "report/"))
