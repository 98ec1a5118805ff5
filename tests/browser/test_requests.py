"""What a page asks for, from the real server with its hashed and cached files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from tests.browser.scene import REPORTS, address
from tests.browser.screens.arriving import attempt
from tests.browser.windows import Window
from tests.factories import PASSWORD
from tests.leaks import leaks_in
from tests.personas import account

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from memory.actor import Actor
    from tests.browser.scene import Scene
    from tests.serving import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def window(
    chromium: Browser,
    transactional_db: None,  # noqa: ARG001 - the server sees committed rows only
    server: Server,
) -> Iterator[Window]:
    """A window that has never been at the console."""
    fresh_window = Window.of(chromium)
    fresh_window.start(server.url)
    yield fresh_window
    fresh_window.leave()
    fresh_window.context.close()
    assert fresh_window.watch.complaints == []
    assert leaks_in(server.said()) == []


def test_a_page_is_three_requests_at_first_and_one_later(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    user = account(reviewer)
    user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1_000)
    user.save(update_fields=["password"])
    report = scene.correction()
    asked: list[str] = []
    cached: set[str] = set()
    network = window.context.new_cdp_session(window.page)
    network.send("Network.enable")
    network.on("Network.requestServedFromCache", lambda event: cached.add(event["requestId"]))

    def answered(event: Any) -> None:
        answer = event["response"]
        is_cached = event["requestId"] in cached or answer.get("fromDiskCache")
        if not is_cached and not answer["url"].endswith(".svg"):
            asked.append(answer["url"])

    network.on("Network.responseReceived", answered)
    window.goto("/sign-in/")
    window.settle()
    assert len(asked) <= 3, asked
    attempt(window, "reviewer")
    for path in (REPORTS, address(report), REPORTS):
        asked.clear()
        window.goto(path)
        window.settle()
        assert asked == [f"{window.watch.origin}{path}"]
