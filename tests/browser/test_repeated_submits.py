"""No act on a wrong item and none twice, however keys and buttons are mashed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

import pytest

from feedback.models import Report
from memory.models import Record
from tests.amounts import PATIENCE, amount
from tests.browser.scene import REPORTS, address, record_address
from tests.browser.screens.decision import CORRECT_NEXT, asked
from tests.browser.screens.doubt import SEND, written
from tests.browser.windows import Window
from tests.invariants import assert_invariants

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, ConsoleMessage, FloatRect
    from pytest_django.live_server_helper import LiveServer

    from feedback.operations.record_report import ReportReceipt
    from memory.actor import Actor
    from tests.browser.scene import Scene

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROUNDS: Final = amount(quick=20, full=60)
SLOW_MS: Final = 600
HELD: Final = 25  # key events of a key that is held for most of a second
KEYS: Final = ("p", "Enter", "o", "j", "k", "s", "u", " ", "Tab")
#: Tells which forms a page was drawn with, as soon as it is.
TELL: Final = """
addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form[action$='/promote/']")) {
    const fields = Object.fromEntries(new FormData(form));
    console.debug(JSON.stringify({ ...fields, action: form.action }));
  }
});
"""


class Drawn(dict[str, dict[str, str]]):
    """The forms that were drawn, by their key."""

    def hear(self, message: ConsoleMessage) -> None:
        """Take up what a page tells."""
        if message.type == "debug":
            form = json.loads(message.text)
            self[form["form_key"]] = form


@pytest.fixture
def telling(chromium: Browser, live_server: LiveServer) -> Iterator[tuple[Window, Drawn]]:
    """A window whose pages tell which forms they were drawn with."""
    window, drawn = Window.of(chromium), Drawn()
    window.start(live_server.url)
    window.context.add_init_script(TELL)
    window.context.on("console", drawn.hear)
    yield window, drawn
    window.leave()
    window.context.close()
    assert window.watch.complaints == []
    assert_invariants()


def sent(window: Window) -> list[dict[str, str]]:
    """The fields of each form that was sent, and where it went."""
    posts = []
    for post in window.watch.posts:
        fields = {name: values[0] for name, values in parse_qs(post.post_data or "").items()}
        posts.append({**fields, "action": post.url})
    return posts


def promoted() -> set[str]:
    return {
        str(id_) for id_ in Report.objects.exclude(promoted_at=None).values_list("id", flat=True)
    }


def assert_each_page_acted_once_on_what_it_showed(window: Window, drawn: Drawn) -> None:
    posts = sent(window)
    for post in posts:
        form = drawn[post["form_key"]]
        assert {name: post[name] for name in ("action", "expected_version")} == {
            name: form[name] for name in ("action", "expected_version")
        }
    assert len({post["form_key"] for post in posts}) == len(posts), "a page was sent twice"
    assert {post["action"].split("/")[-3] for post in posts} == promoted()
    closed = Record.objects.exclude(status="current").values_list("id", flat=True)
    targets = Report.objects.exclude(promoted_at=None).values_list("record_id", flat=True)
    assert sorted(closed) == sorted(targets)


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("seed", [1, 2])
def test_mashed_keys_and_clicks_act_once_on_what_was_shown(
    telling: tuple[Window, Drawn], scene: Scene, reviewer: Actor, seed: int
) -> None:
    window, drawn = telling
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice of keys
    for number in range(2 * ROUNDS):
        (scene.retraction if number % 3 == 2 else scene.correction)()
    window.sign_in(reviewer)
    window.goto(REPORTS)
    network = window.context.new_cdp_session(window.page)
    for _ in range(ROUNDS):
        box = primary(window)
        slow(network, chance.choice((0, 30, 90)))
        for _ in range(chance.randint(1, 3)):
            mash(window, chance, box)
        slow(network, 0)
        window.settle()
    assert len(window.watch.posts) >= ROUNDS // 3
    assert_each_page_acted_once_on_what_it_showed(window, drawn)


def primary(window: Window) -> FloatRect:
    """Where the primary action stands; on the first report of the list if this page has none."""
    action = window.page.locator("main .button-primary, main .button-danger")
    if window.status != 200 or not action.count():
        window.goto(REPORTS)
        with window.page.expect_navigation():
            window.page.keyboard.press("o")
    box = action.bounding_box()
    assert box is not None
    return box


def slow(network: CDPSession, milliseconds: int) -> None:
    """Let every answer take this much longer."""
    unlimited = {"downloadThroughput": -1, "uploadThroughput": -1}
    conditions = {"offline": False, "latency": milliseconds, **unlimited}
    network.send("Network.emulateNetworkConditions", conditions)


def mash(window: Window, chance: random.Random, box: FloatRect) -> None:
    """Keys, keys that are held, or a double click where the primary action stood."""
    page = window.page
    kind = chance.random()
    if kind < 0.4:
        page.keyboard.press("p")
        page.keyboard.press("Enter")
    elif kind < 0.65:
        page.keyboard.press(chance.choice(KEYS))
    elif kind < 0.85:
        key = chance.choice(("p", "Enter", " "))
        for _ in range(chance.randint(2, 8)):
            page.keyboard.down(key)
        page.keyboard.up(key)
    else:
        page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(chance.choice((0, 0, 5, 30)))


def test_keys_that_are_held_send_each_page_at_most_once(
    telling: tuple[Window, Drawn], scene: Scene, reviewer: Actor
) -> None:
    window, drawn = telling
    for _ in range(4):
        scene.correction()
    window.sign_in(reviewer)
    window.goto(REPORTS)
    with window.page.expect_navigation():
        window.page.keyboard.press("o")
    for key in ("p", "Enter"):
        for _ in range(HELD):
            window.page.keyboard.down(key)
    window.settle()
    for key in ("Enter", "p"):
        window.page.keyboard.up(key)
    assert len(window.watch.posts) == 1
    assert_each_page_acted_once_on_what_it_showed(window, drawn)


@pytest.mark.parametrize(("lent", "posts"), [("window", 1), ("plain_window", 2)])
@pytest.mark.parametrize("proposes", ["correction", "retraction"])
@pytest.mark.usefixtures("live_server")
def test_a_second_click_before_the_answer_changes_nothing_and_ends_on_the_success_page(
    lent: str,
    posts: int,
    proposes: str,
    scene: Scene,
    reviewer: Actor,
    request: pytest.FixtureRequest,
) -> None:
    window: Window = request.getfixturevalue(lent)
    window.sign_in(reviewer)
    report: ReportReceipt = getattr(scene, proposes)()
    if proposes == "correction":
        window.goto(address(report))
        name = "Correct, stay here"
    else:
        asked(window, report)
        name = "Retract, stay here"
    box = window.page.get_by_role("button", name=name).bounding_box()
    assert box is not None
    network = window.context.new_cdp_session(window.page)
    slow(network, SLOW_MS)
    for _ in range(2):
        window.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        while not promoted():
            window.page.wait_for_timeout(10)
    slow(network, 0)
    window.page.get_by_text("promoted by reviewer (person).").wait_for()
    window.settle()
    network.detach()
    assert window.status == 200
    assert "stay here" not in window.text
    assert len(window.watch.posts) == posts
    assert promoted() == {str(report.id)}


@pytest.mark.parametrize(("lent", "posts"), [("window", 1), ("plain_window", 2)])
@pytest.mark.usefixtures("live_server")
def test_a_doubt_sent_by_two_clicks_is_one_report(
    lent: str, posts: int, scene: Scene, reviewer: Actor, request: pytest.FixtureRequest
) -> None:
    window: Window = request.getfixturevalue(lent)
    window.sign_in(reviewer)
    record = scene.record()
    written(window, record)
    box = window.page.get_by_role("button", name=SEND).bounding_box()
    assert box is not None
    network = window.context.new_cdp_session(window.page)
    slow(network, SLOW_MS)
    for _ in range(2):
        window.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        while not Report.objects.exists():
            window.page.wait_for_timeout(10)
    slow(network, 0)
    window.page.get_by_text("Reported. Nothing has changed yet").wait_for()
    window.settle()
    network.detach()
    assert window.path == record_address(record)
    assert len(window.watch.posts) == posts
    assert Report.objects.count() == 1


def test_a_submit_says_that_it_is_under_way_and_back_makes_the_page_usable_again(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    report = scene.correction()
    scene.retraction()
    window.sign_in(reviewer)
    window.goto(address(report))
    window.page.evaluate(
        "addEventListener('submit', (event) => event.preventDefault(), { capture: true })"
    )
    button = window.page.get_by_role("button", name=CORRECT_NEXT)
    form = window.page.locator("[data-guard]")
    button.click()
    assert form.locator("button").first.inner_text() == "Saving…"
    assert form.locator("[aria-disabled=true]").count() == 2
    window.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
    assert button.is_visible()
    assert form.locator("[aria-disabled]").count() == 0
