"""What the keyboard does, and how little of it a decision needs (`console.md` 8 and 12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from memory.vocabulary import Role
from tests.browser.measures import probe
from tests.browser.scene import (
    AUDIT,
    INTEGRITY,
    LONG,
    REPORTS,
    RUNS,
    TROUBLE,
    address,
    item_address,
    record_address,
    run_address,
)
from tests.browser.screens.decision import CORRECT_NEXT, promoted_by_somebody
from tests.factories import grant
from tests.review.situations import compiled, correct, suspected

if TYPE_CHECKING:
    from memory.actor import Actor
    from tests.browser.scene import Scene
    from tests.browser.windows import Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]
EVERY_KEY: Final = "jkonfpsaueh?[]dvx/r12345gqga"


@dataclass
class Keyboard:
    """A keyboard whose keys are counted."""

    window: Window
    pressed: int = 0

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.window.page.keyboard.press(key)
            self.pressed += 1

    def leads(self, *keys: str) -> None:
        """Press keys, of which the last leads to another page."""
        with self.window.page.expect_navigation():
            self.press(*keys)


@pytest.fixture
def keyboard(window: Window, reviewer: Actor) -> Keyboard:
    window.sign_in(reviewer)
    return Keyboard(window)


def open_reports(window: Window) -> int:
    window.goto(REPORTS)
    return window.page.locator("[data-row]").count()


def test_ten_corrections_take_21_keys(keyboard: Keyboard, scene: Scene) -> None:
    for _ in range(10):
        scene.correction()
    keyboard.window.goto(REPORTS)
    keyboard.leads("o")
    for _ in range(10):
        keyboard.leads("p", "Enter")
    assert "That was the last report in this view." in keyboard.window.text
    assert open_reports(keyboard.window) == 0
    assert keyboard.pressed <= 21


def test_a_retraction_takes_four_keys(keyboard: Keyboard, scene: Scene) -> None:
    for _ in range(4):
        scene.retraction()
    keyboard.window.goto(REPORTS)
    keyboard.leads("o")
    for _ in range(4):
        keyboard.leads("p", "Enter")
        keyboard.leads("p", "Enter")
    assert open_reports(keyboard.window) == 0
    assert keyboard.pressed <= 1 + 4 * 4


def test_a_correction_takes_a_click_without_script(
    plain_window: Window, reviewer: Actor, scene: Scene
) -> None:
    for _ in range(4):
        scene.correction()
    plain_window.sign_in(reviewer)
    plain_window.goto(REPORTS)
    with plain_window.page.expect_navigation():
        plain_window.page.locator("tbody a").first.click()
    assert plain_window.page.get_by_role("table", name="What will change").is_visible()
    for _ in range(4):
        plain_window.click(CORRECT_NEXT)
    assert open_reports(plain_window) == 0


def test_without_script_the_primary_action_is_three_tabs_behind_the_skip_link(
    plain_window: Window, reviewer: Actor, scene: Scene
) -> None:
    record = scene.record(statement=LONG, object=LONG[:900])
    report = scene.correction(record, note=LONG, proposed_object=LONG[:900])
    plain_window.sign_in(reviewer)
    plain_window.goto(address(report))
    focused = plain_window.page.locator(":focus")
    plain_window.page.keyboard.press("Tab")
    assert focused.inner_text() == "Skip to content"
    plain_window.page.keyboard.press("Enter")
    tabs = 0
    while tabs == 0 or focused.get_attribute("name") != "then":
        plain_window.page.keyboard.press("Tab")
        tabs += 1
    assert tabs <= 3
    with plain_window.page.expect_navigation():
        plain_window.page.keyboard.press("Enter")
    assert "credited to you." in plain_window.text


def test_keys_move_through_the_list_and_back(keyboard: Keyboard, scene: Scene) -> None:
    reports = [scene.correction() for _ in range(21)]
    window = keyboard.window
    window.goto(REPORTS)
    rows = window.page.locator("[data-row]")
    for keys, row in (("j", 0), ("jj", 2), ("k", 1), ("kkk", 0)):
        keyboard.press(*keys)
        assert rows.nth(row).evaluate("row => row === document.activeElement")
    keyboard.leads("j", "o")
    assert window.path == address(reports[1])
    keyboard.leads("s")
    assert window.path == address(reports[2])
    keyboard.leads("k")
    keyboard.leads("k")
    assert window.path == address(reports[0])
    keyboard.leads("u")
    assert window.path == REPORTS
    keyboard.leads("n")
    assert rows.count() == 1
    keyboard.leads("o")
    assert window.path.startswith(f"{address(reports[20])}?from=")
    with window.page.expect_navigation():
        window.page.go_back()
    keyboard.leads("2")
    assert window.path == f"{REPORTS}?view=ready"
    keyboard.leads("4")
    assert window.path == f"{REPORTS}?view=all"


def test_keys_reach_the_parts_of_a_report_and_no_key_submits(
    keyboard: Keyboard, scene: Scene
) -> None:
    window = keyboard.window
    window.goto(address(scene.correction()))
    for key, part in (("e", "evidence"), ("h", "history")):
        keyboard.press(key)
        assert window.page.evaluate("document.activeElement.id") == part
    keyboard.press("p")
    assert CORRECT_NEXT in window.focused
    assert window.watch.posts == []
    keyboard.leads("?")
    assert window.path == "/help/keys/"
    assert window.page.locator("main kbd:visible").count() > 20


def test_keys_move_through_the_versions_of_a_record(keyboard: Keyboard, scene: Scene) -> None:
    record = scene.record()
    scene.move(record)
    correct(scene.agent, record)
    window = keyboard.window
    window.goto(record_address(record))
    for key, tab in (("h", "history/"), ("v", "versions/"), ("d", "compare/?from=2&to=3")):
        keyboard.leads(key)
        assert window.path == record_address(record, tab)
    window.goto(record_address(record, "versions/1/"))
    for key, tab in (("]", "versions/2/"), ("[", "versions/1/"), ("]", "versions/2/"), ("]", "")):
        keyboard.leads(key)
        assert window.path == record_address(record, tab)
    keyboard.leads("u")
    assert window.path == REPORTS


def test_keys_move_from_a_list_of_runs_into_one_and_back(keyboard: Keyboard, scene: Scene) -> None:
    record = scene.record()
    older, newer = compiled(scene.agent), compiled(scene.agent)
    window = keyboard.window
    listed = f"{RUNS}?by={scene.agent.id}"
    window.goto(listed)
    keyboard.leads("j", "o")
    assert window.path.startswith(f"{run_address(newer)}?from=")
    for key, part in (("e", "items"), ("h", "outcomes")):
        keyboard.press(key)
        assert window.page.evaluate("document.activeElement.id") == part
    keyboard.leads("u")
    assert window.path == listed
    keyboard.leads("j", "j", "o")
    assert window.path.startswith(run_address(older))
    keyboard.leads("o")
    assert window.path == record_address(record)


def test_the_keys_of_suspected_records_lead_through_the_list_and_back(
    keyboard: Keyboard, scene: Scene
) -> None:
    window = keyboard.window
    items = [suspected(scene.record(), scene.agent, scene.rival) for _ in range(2)]
    listed = f"{INTEGRITY}?state=open"
    window.goto(listed)
    keyboard.press("f")
    assert window.page.evaluate("document.activeElement.name") == "kind"
    window.page.evaluate("document.activeElement.blur()")
    keyboard.leads("j", "j", "o")
    assert window.path.startswith(item_address(items[0]))
    keyboard.press("e")
    assert window.page.evaluate("document.activeElement.id") == "suspects"
    keyboard.leads("u")
    assert window.path == listed


def test_two_keys_lead_to_the_places_of_the_navigation(
    window: Window, owner: Actor, scene: Scene
) -> None:
    scene.correction()
    window.sign_in(owner)
    keyboard = Keyboard(window)
    window.goto(REPORTS)
    keyboard.leads("g", "a")
    assert window.path == AUDIT
    keyboard.press("f")
    assert window.page.evaluate("document.activeElement.form.matches('[data-filters]')")
    window.page.evaluate("document.activeElement.blur()")
    keyboard.leads("j", "o")
    assert "request=req_" in window.path
    keyboard.leads("g", "c")
    assert window.path == RUNS
    keyboard.leads("g", "t")
    assert window.path == TROUBLE
    keyboard.leads("g", "i")
    assert window.path == INTEGRITY
    keyboard.leads("g", "q")
    assert window.path == REPORTS
    keyboard.press("g")
    window.page.wait_for_timeout(1_600)
    keyboard.press("a")
    assert window.path == REPORTS


def test_keys_are_ignored_while_typing_with_a_modifier_and_when_repeated(
    window: Window, owner: Actor, operator: Actor, scene: Scene
) -> None:
    scene.correction()
    grant(operator, "owner", Role.AUDITOR)
    window.sign_in(owner)
    window.goto(AUDIT)
    field = window.page.locator("[data-filters] input:not([type=hidden])").first
    field.focus()
    window.page.keyboard.type("ga")
    assert field.input_value() == "ga"
    window.goto(REPORTS)
    for modifier in ("Control", "Alt", "Meta"):
        window.page.keyboard.press(f"{modifier}+j")
    window.page.evaluate(
        "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'o', repeat: true}))"
    )
    assert window.path == REPORTS
    assert window.page.evaluate("document.activeElement.localName") == "body"


def test_no_key_acts_on_a_page_that_refuses(keyboard: Keyboard, scene: Scene) -> None:
    promoted_by_somebody(keyboard.window, scene)
    assert_no_key_acts(keyboard)


def test_no_key_acts_once_they_are_switched_off_and_tab_reaches_everything(
    keyboard: Keyboard, scene: Scene
) -> None:
    report = scene.correction()
    window = keyboard.window
    window.goto(address(report))
    window.page.get_by_text("Appearance and keys").click()
    window.page.get_by_label("Keyboard shortcuts").uncheck()
    window.click("Save preferences")
    assert window.path == address(report)
    assert window.page.locator("kbd:visible").count() == 0
    assert_no_key_acts(keyboard)
    reached = set()
    for _ in range(30):
        keyboard.press("Tab")
        reached.add(window.focused)
    wanted = {CORRECT_NEXT, "Correct, stay here", "Back to open reports, oldest first"}
    assert wanted <= {name.removesuffix("p").removesuffix("u") for name in reached}


def test_tab_stops_everywhere_in_the_order_of_the_page(
    window: Window, owner: Actor, scene: Scene
) -> None:
    record = scene.record()
    report = scene.correction(record)
    window.sign_in(owner)
    run = compiled(scene.agent)
    paths = (REPORTS, address(report), record_address(record), AUDIT, RUNS, run_address(run))
    item = suspected(record, scene.agent, scene.rival)
    for path in (*paths, TROUBLE, INTEGRITY, item_address(item)):
        window.goto(path)
        wanted, reached = probe(window, "stops"), []
        for _ in wanted:
            window.page.keyboard.press("Tab")
            reached.append(probe(window, "stop"))
        assert reached == wanted


def assert_no_key_acts(keyboard: Keyboard) -> None:
    window = keyboard.window
    path, focused, posts = window.path, window.focused, len(window.watch.posts)
    window.page.evaluate("window.isSame = true")
    keyboard.press(*EVERY_KEY)
    assert window.page.evaluate("window.isSame")
    assert (window.path, window.focused, len(window.watch.posts)) == (path, focused, posts)
