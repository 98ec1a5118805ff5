"""One Chromium for the package, windows that tests share, and what holds after each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from memory.vocabulary import Role
from tests.browser.measures import PROBES
from tests.browser.scene import Scene
from tests.browser.windows import Window, running_browser
from tests.invariants import assert_invariants
from tests.personas import person

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pytest_django.live_server_helper import LiveServer

    from memory.actor import Actor


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser."""
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
def scripted(chromium: Browser) -> Window:
    """The one window with scripting; tests take `window`."""
    window = Window.of(chromium)
    window.context.add_init_script(PROBES)
    return window


@pytest.fixture(scope="package")
def unscripted(chromium: Browser) -> Window:
    """The one window without; tests take `plain_window`."""
    return Window.of(chromium, java_script_enabled=False)


def lent(window: Window, server: LiveServer) -> Iterator[Window]:
    """A window at the console, and what must hold after a test that used it."""
    window.start(server.url)
    yield window
    window.leave()
    assert window.watch.complaints == []
    assert_invariants()


@pytest.fixture
def window(scripted: Window, live_server: LiveServer) -> Iterator[Window]:
    """A window at the console; nothing it must not do happens, and the invariants hold after it."""
    yield from lent(scripted, live_server)


@pytest.fixture
def plain_window(unscripted: Window, live_server: LiveServer) -> Iterator[Window]:
    """The same, with scripting off."""
    yield from lent(unscripted, live_server)


@pytest.fixture
def rival(operator: Actor) -> Actor:
    """Another person who decides in the project."""
    return person(operator, "rival", Role.REVIEWER)


@pytest.fixture
def scene(agent: Actor, rival: Actor) -> Scene:
    """The project, an agent that writes to it, and a rival of whoever looks at it."""
    return Scene(agent, rival)
