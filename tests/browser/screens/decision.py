"""Promoting: what it leads to, and every way in which it does not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.scene import PROPOSED, address
from tests.browser.screens.matrix import shown
from tests.review.situations import correct, promote, retract

if TYPE_CHECKING:
    from feedback.operations.record_report import ReportReceipt
    from tests.browser.scene import Scene
    from tests.browser.windows import Window

CORRECT_NEXT = f"Correct to “{PROPOSED}”, open next"


@shown("report-promote", "reviewer")
def corrected_and_stayed(window: Window, scene: Scene) -> None:
    record = scene.record()
    report = scene.correction(record)
    scene.retraction(record)
    window.goto(address(report))
    window.click("Correct, stay here")


@shown("report-promote", "owner")
def corrected_and_next(window: Window, scene: Scene) -> None:
    report = scene.correction()
    scene.correction()
    window.goto(address(report))
    window.click(CORRECT_NEXT)


@shown("report-promote", "reviewer")
def retracted_as_the_last(window: Window, scene: Scene) -> None:
    scene.correction()
    report = scene.retraction()
    asked(window, report)
    window.click("Retract record, open next")


@shown("report-retract", "reviewer")
def retraction_asked(window: Window, scene: Scene) -> None:
    asked(window, scene.retraction())


@shown("report-retract", "reviewer", status=409)
def retraction_asked_too_late(window: Window, scene: Scene) -> None:
    record = scene.record()
    report = scene.retraction(record)
    window.goto(address(report))
    scene.move(record)
    window.follow("Retract this record")


@shown("report-promote", "reviewer", status=409)
def record_moved(window: Window, scene: Scene) -> None:
    record = scene.record()
    window.goto(address(scene.correction(record)))
    scene.move(record)
    window.click(CORRECT_NEXT)


@shown("report-promote", "reviewer", status=409)
def record_corrected(window: Window, scene: Scene) -> None:
    record = scene.record()
    window.goto(address(scene.correction(record)))
    correct(scene.agent, record)
    window.click(CORRECT_NEXT)


@shown("report-promote", "reviewer", status=409)
def record_retracted(window: Window, scene: Scene) -> None:
    record = scene.record()
    asked(window, scene.retraction(record))
    retract(scene.agent, record)
    window.click("Retract record, open next")


@shown("report-promote", "reviewer", status=409)
def promoted_by_somebody(window: Window, scene: Scene) -> None:
    report = scene.correction()
    window.goto(address(report))
    promote(scene.rival, report.id)
    window.click(CORRECT_NEXT)


@shown("report-promote", "owner", status=409)
def promoted_by_oneself(window: Window, scene: Scene) -> None:
    report = scene.correction()
    window.goto(address(report))
    with window.context.expect_page() as opened:
        window.page.evaluate("open(location.href)")
    other = opened.value
    other.get_by_role("button", name=CORRECT_NEXT).click()
    other.get_by_text("credited to you.").wait_for()
    other.close()
    window.click(CORRECT_NEXT)


@shown("report-promote", "reviewer", status=422)
def form_altered(window: Window, scene: Scene) -> None:
    window.goto(address(scene.correction()))
    window.page.locator("[name=form_key]").evaluate("field => { field.value = 'nonsense' }")
    window.click(CORRECT_NEXT)


@shown("report-promote", "reviewer", status=403)
def form_without_token(window: Window, scene: Scene) -> None:
    window.goto(address(scene.correction()))
    token = window.page.locator("main [name=csrfmiddlewaretoken]")
    token.evaluate("field => { field.value = 'nonsense' }")
    window.click(CORRECT_NEXT)


@shown("report-promote", "reader", status=403)
def form_of_a_reader(window: Window, scene: Scene) -> None:
    report = scene.correction()
    window.goto(address(report))
    out = window.page.locator("header form[method=post]")
    out.evaluate("(form, path) => { form.action = path }", f"{address(report)}promote/")
    window.click("Sign out")


@shown("report-promote", "reviewer", status=405)
def form_address_opened(window: Window, scene: Scene) -> None:
    window.goto(f"{address(scene.correction())}promote/")


def asked(window: Window, report: ReportReceipt) -> None:
    """Open the page before a retraction."""
    window.goto(address(report))
    window.follow("Retract this record")
