"""Every screen in every state: accessible, readable, light, locked down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pytest
from django.urls import URLPattern, URLResolver

from review.console.urls import urlpatterns
from tests.amounts import PATIENCE
from tests.browser.conftest import lent
from tests.browser.measures import AXE, PROBES, faults_of, look_faults
from tests.browser.screens import MATRIX
from tests.browser.screens.matrix import VISITOR
from tests.browser.windows import WIDE, Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pytest_django.live_server_helper import LiveServer

    from tests.browser.scene import Scene

pytestmark = [pytest.mark.browser, pytest.mark.slow]
GROUPS = sorted({entry.group for entry in MATRIX})


@pytest.fixture(scope="module")
def measured(chromium: Browser) -> Window:
    """A window whose pages have axe from their start: compiled once, not for each page."""
    window = Window.of(chromium)
    for script in (AXE, PROBES):
        window.context.add_init_script(script)
    return window


@pytest.fixture
def window(measured: Window, live_server: LiveServer) -> Iterator[Window]:
    """That window at the console."""
    yield from lent(measured, live_server)


def route_names(patterns: Iterable[object]) -> set[str]:
    names = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            names |= route_names(pattern.url_patterns)
        else:
            assert isinstance(pattern, URLPattern)
            names.add(pattern.name or f"a route without a name: {pattern.pattern}")
    return names


def test_the_matrix_holds_every_route_of_the_console() -> None:
    assert {entry.route for entry in MATRIX} == route_names(urlpatterns)


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("group", GROUPS)
def test_every_screen_is_sound(
    group: str, window: Window, scene: Scene, request: pytest.FixtureRequest
) -> None:
    persona = group.partition("-")[0]
    if persona != VISITOR:
        window.sign_in(request.getfixturevalue(persona))
    faults = []
    for entry in MATRIX:
        if entry.group == group:
            window.resize(WIDE)
            entry.show(window, scene)
            if window.status == entry.status:
                faults += [f"{entry.name}: {fault}" for fault in faults_of(window, entry.turn)]
            else:
                faults.append(f"{entry.name}: answered {window.status}")
    assert not faults, "\n".join(faults)


def test_the_manual_of_the_wire_is_readable_too(window: Window) -> None:
    window.goto("/docs/")
    assert window.status == 200
    assert list(look_faults(window, 0)) == []
