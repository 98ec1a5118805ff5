"""Windows of a real browser, and the watch over all that happens in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from playwright.sync_api import Error, sync_playwright

from tests.review.visitors import visitor

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Page,
        Request,
        Response,
        ViewportSize,
        WebError,
    )

    from memory.actor import Actor

#: Tall enough for the bar at the top to stay, low enough for most pages to scroll.
WIDE: Final = (1280, 720)
NARROW: Final = (320, 640)
PATIENCE_MS: Final = 10_000
STEP_MS, QUIET_STEPS = 15, 3
FLAGS: Final = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    # Pages live for seconds here: what a script is compiled to is kept, and compiled no further.
    "--js-flags=--no-opt --no-maglev --no-flush-bytecode --single-threaded-gc"
    " --min-semi-space-size=16",
)
#: What Chromium writes to its console for every page that answers 4xx or 5xx.
_STATUS: Final = "Failed to load resource: the server responded with a status of"
#: Schemes of what a page brings along or what stands in its place.
_LOCAL: Final = ("about:", "data:", "blob:", "chrome-error:")


def executable() -> str:
    """The Chromium of this run: CHROME, or the one that `.ci/browser` finds."""
    named = shutil.which(os.environ.get("CHROME", ""))
    if named:
        return named
    script = settings.BASE_DIR / ".ci" / "browser"
    found = subprocess.run([script, sys.executable], capture_output=True, text=True, check=True)
    return found.stdout.strip()


@contextmanager
def running_browser() -> Iterator[Browser]:
    """One Chromium; Playwright's loop in this thread makes Django take it for asynchronous."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
            yield chromium
            chromium.close()
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def _is_abandoned(request: Request) -> bool:
    """Whether the page that asked was closed, so that nobody is told of an answer."""
    try:
        return request.frame.page.is_closed()
    except Error:  # the page that it is to draw is not there yet
        return False


@dataclass
class Watch:
    """What a context asked for, and what it must not have done."""

    origin: str = ""
    complaints: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    pending: set[Request] = field(default_factory=set)

    def attach(self, context: BrowserContext) -> None:
        """Listen to every page of a context."""
        context.on("request", self._asked)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)
        context.on("response", self._answered)
        context.on("console", self._said)
        context.on("weberror", self._failed)
        context.on("dialog", self._interrupted)

    def start(self, origin: str) -> None:
        """Forget what was, for a new test."""
        self.origin = origin
        self.complaints.clear()
        self.requests.clear()
        self.pending.clear()

    @property
    def posts(self) -> list[Request]:
        """The forms that were sent."""
        return [request for request in self.requests if request.method == "POST"]

    @property
    def has_pending(self) -> bool:
        """Whether an answer is still to come to a page that is there."""
        self.pending = {request for request in self.pending if not _is_abandoned(request)}
        return bool(self.pending)

    def _asked(self, request: Request) -> None:
        self.requests.append(request)
        self.pending.add(request)
        if not request.url.startswith((f"{self.origin}/", *_LOCAL)):
            self.complaints.append(f"a request to another host: {request.url}")

    def _ended(self, request: Request) -> None:
        self.pending.discard(request)

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.request.resource_type != "document":
            self.complaints.append(f"{response.status} for {response.url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(_STATUS):
            self.complaints.append(f"console: {message.text}")

    def _failed(self, error: WebError) -> None:
        self.complaints.append(f"script: {error.error}")

    def _interrupted(self, dialog: Dialog) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


@dataclass
class Window:
    """One window, used by one test after the other; `page` is Playwright's."""

    context: BrowserContext
    page: Page
    watch: Watch
    answer: Response | None = None

    @classmethod
    def of(cls, browser: Browser, **options: Any) -> Window:
        """A new window in a context of its own."""
        context = browser.new_context(color_scheme="light", **options)
        context.set_default_timeout(PATIENCE_MS)
        watch = Watch()
        watch.attach(context)
        page = context.new_page()
        window = cls(context, page, watch)
        page.on("response", window.note)
        return window

    def start(self, origin: str) -> None:
        """Make it as good as new, in front of this server."""
        self.watch.start(origin)
        self.context.clear_cookies()
        self.answer = None
        self.resize(WIDE)
        self.page.emulate_media(color_scheme="light")

    def leave(self) -> None:
        """Let nothing of it be under way when the rows are flushed. The page stays: a new one would
        cost a process."""
        for page in self.context.pages:
            if page is not self.page:
                page.close()
        self.settle()

    def sign_in(self, actor: Actor) -> None:
        """Be somebody, without the detour over the form."""
        cookie = visitor(actor).cookies["sessionid"].value
        self.context.add_cookies(
            [{"name": "sessionid", "value": cookie, "url": self.watch.origin, "httpOnly": True}]
        )

    def goto(self, path: str) -> None:
        """Open an address of the console."""
        self.page.goto(f"{self.watch.origin}{path}")

    def click(self, name: str, *, role: Any = "button") -> None:
        """Click what has exactly this name, and wait for the page that it leads to."""
        with self.page.expect_navigation():
            self.page.get_by_role(role, name=name, exact=True).first.click()

    def settle(self) -> None:
        """Wait until nothing has been under way for a moment."""
        quiet, deadline = 0, time.monotonic() + PATIENCE_MS / 1_000
        while quiet < QUIET_STEPS and time.monotonic() < deadline:
            self.page.wait_for_timeout(STEP_MS)
            quiet = 0 if self.watch.has_pending else quiet + 1
        self.page.wait_for_load_state()

    def follow(self, name: str) -> None:
        """Follow the link of this name."""
        self.click(name, role="link")

    def resize(self, size: tuple[int, int]) -> None:
        """Change the size of the window, which it takes a while to draw anew."""
        wanted: ViewportSize = {"width": size[0], "height": size[1]}
        if self.page.viewport_size != wanted:
            self.page.set_viewport_size(wanted)

    def note(self, response: Response) -> None:
        """Keep the answer that drew the page."""
        request = response.request
        if request.is_navigation_request() and request.frame is self.page.main_frame:
            self.answer = response

    @property
    def status(self) -> int:
        """How the server answered with the page that is shown."""
        assert self.answer is not None
        return self.answer.status

    @property
    def path(self) -> str:
        """Where it is, without the host."""
        return self.page.url.removeprefix(self.watch.origin)

    @property
    def text(self) -> str:
        """What the main part of the page says, with single spaces."""
        return " ".join(self.page.locator("main").inner_text().split())

    @property
    def focused(self) -> str:
        """What has the focus says this.

        The focus that a page asks for comes with its first picture, a moment after it is loaded.
        """
        for _ in range(20):
            if self.page.evaluate("document.activeElement !== document.body"):
                break
            self.page.wait_for_timeout(50)
        said: str = self.page.evaluate("document.activeElement.textContent")
        return " ".join(said.split())
