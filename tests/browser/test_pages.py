"""The life of a page: how it looks, ages, is left, is kept, and is framed by others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Final

import pytest
from django.contrib.sessions.models import Session
from typing_extensions import override

from memory.models import AuditEntry
from tests.browser.scene import REPORTS, address
from tests.browser.screens.arriving import attempt
from tests.browser.screens.decision import CORRECT_NEXT
from tests.browser.windows import NARROW, Window
from tests.factories import MARKER
from tests.observed import content

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pytest_django.live_server_helper import LiveServer

    from memory.actor import Actor
    from tests.browser.scene import Scene

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MINUTE_MS: Final = 60_000
HIDE: Final = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
#: The height of a row, and whether its link is what one hits at its start, middle and end.
ROW: Final = """(row) => {
  row.scrollIntoView();
  const box = row.getBoundingClientRect();
  const hits = [4, box.width / 2, box.width - 4].map((x) =>
    document.elementFromPoint(box.x + x, box.bottom - 4).matches("[data-row]")
  );
  return [box.height, hits];
}"""
BACKGROUND: Final = "getComputedStyle(document.documentElement).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 23, 28)"


@pytest.fixture
def own_window(chromium: Browser, live_server: LiveServer) -> Iterator[Window]:
    """A window in a context that no other test uses."""
    window = Window.of(chromium, has_touch=True, is_mobile=True)
    window.start(live_server.url)
    yield window
    window.leave()
    window.context.close()
    assert window.watch.complaints == []


def test_a_page_that_lay_in_the_background_says_its_age_and_asks_for_nothing(
    own_window: Window, scene: Scene, reviewer: Actor
) -> None:
    window = own_window
    scene.correction()
    window.sign_in(reviewer)
    window.page.clock.install()
    window.goto(REPORTS)
    window.settle()
    status = window.page.locator("[data-status]")
    entries, asked = AuditEntry.objects.count(), len(window.watch.requests)
    for minutes, said in ((4, ""), (6, "This page is 10 minutes old. Refresh")):
        window.page.evaluate(HIDE, True)  # noqa: FBT003 - an argument of the page
        window.page.clock.fast_forward(minutes * MINUTE_MS)
        window.page.evaluate(HIDE, False)  # noqa: FBT003
        assert status.inner_text() == said
    assert (AuditEntry.objects.count(), len(window.watch.requests)) == (entries, asked)
    with window.page.expect_navigation():
        status.get_by_role("link", name="Refresh").click()
    assert window.path == REPORTS
    assert AuditEntry.objects.count() == entries + 1


def test_on_a_small_touch_screen_each_row_is_one_link_of_44_px(
    own_window: Window, scene: Scene, reviewer: Actor
) -> None:
    window = own_window
    report = scene.correction()
    scene.retraction()
    window.sign_in(reviewer)
    window.resize(NARROW)
    window.goto(REPORTS)
    for row in window.page.locator("tbody tr").all():
        assert row.get_by_role("link").count() == 1
        height, links = row.evaluate(ROW)
        assert height >= 44
        assert links == [True] * 3
    window.goto(address(report))
    primary = window.page.get_by_role("button", name=CORRECT_NEXT).bounding_box()
    assert primary is not None
    assert primary["height"] >= 44


def test_the_theme_follows_the_system_until_one_is_chosen_and_is_in_the_first_byte(
    plain_window: Window, reviewer: Actor
) -> None:
    window = plain_window
    window.sign_in(reviewer)
    window.goto(REPORTS)
    assert window.page.evaluate(BACKGROUND) == LIGHT
    window.page.emulate_media(color_scheme="dark")
    assert window.page.evaluate(BACKGROUND) == DARK
    window.page.emulate_media(color_scheme="light")
    window.page.get_by_text("Appearance and keys").click()
    window.page.get_by_label("Theme").select_option("Dark")
    window.page.get_by_label("Density").select_option("Compact")
    window.click("Save preferences")
    assert window.focused == "Saved."
    window.click("Sign out")
    for path in ("/sign-in/", "/nowhere/"):
        window.goto(path)
        assert window.answer is not None
        head = window.answer.text().partition("<head>")[0]
        assert 'data-theme="dark"' in head
        assert 'data-density="compact"' in head
        assert window.page.evaluate(BACKGROUND) == DARK


def test_back_after_signing_out_shows_nothing_from_memory(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    window.sign_in(reviewer)
    window.goto(REPORTS)
    window.goto(address(scene.correction()))
    assert MARKER in window.text
    window.click("Sign out")
    for _ in range(2):
        window.page.go_back()
        assert window.path.startswith("/sign-in/?next=")
        assert MARKER not in window.page.content()


@contextmanager
def page_elsewhere(html: str) -> Iterator[str]:
    """Serve a page at another port of this host; its address."""

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        @override
        def log_message(self, *_said: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_no_other_page_can_frame_the_console(window: Window, scene: Scene, reviewer: Actor) -> None:
    path = f"{window.watch.origin}{address(scene.correction())}"
    window.sign_in(reviewer)
    # On the same site, so that the frame would have the cookie.
    with page_elsewhere(f"<iframe src='{path}'></iframe>") as framing:
        window.page.goto(framing)
        window.settle()
    framed = window.page.frames[1]
    assert framed.url == "chrome-error://chromewebdata/"
    assert MARKER not in framed.content()
    assert any("frame-ancestors 'none'" in complaint for complaint in window.watch.complaints)
    window.watch.complaints.clear()


def test_who_was_signed_out_meanwhile_comes_back_to_the_same_report(
    plain_window: Window, scene: Scene, reviewer: Actor
) -> None:
    window = plain_window
    report = scene.correction()
    window.sign_in(reviewer)
    window.goto(address(report))
    Session.objects.all().delete()
    before = content()
    window.click(CORRECT_NEXT)
    assert window.path.startswith("/sign-in/?")
    assert (
        "You were signed out. Nothing was saved. After signing in you return to the same page."
    ) in window.text
    attempt(window, "reviewer")
    assert window.path == address(report)
    assert content() == before
    window.click(CORRECT_NEXT)
    assert "credited to you." in window.text


def test_after_a_decision_back_leads_to_the_same_page_of_the_same_view(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    for _ in range(24):
        scene.correction()
    window.sign_in(reviewer)
    window.goto(f"{REPORTS}?view=ready&order=newest")
    window.follow("Older reports")
    place, rows = window.path, window.page.locator("tbody").inner_text()
    assert "after=" in place
    row = window.page.locator("[data-row]").nth(1)
    with window.page.expect_navigation():
        row.click()
    with window.page.expect_navigation():
        window.page.go_back()
    assert (window.path, window.page.locator("tbody").inner_text()) == (place, rows)
    with window.page.expect_navigation():
        row.click()
    window.click(CORRECT_NEXT)
    window.follow("Back to reports ready to promote, newest first")
    assert window.path == place
    assert window.page.locator("[data-row]").count() == 3
    window.follow("Back to start")
    assert window.path == f"{REPORTS}?view=ready&order=newest"
