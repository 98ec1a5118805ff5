"""What is measured on every screen; a measure returns what is wrong, in words."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from tests.amounts import IS_FULL
from tests.browser.windows import NARROW, WIDE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser.windows import Window

PROBES: Final = Path(__file__).with_name("probes.js").read_text()
AXE: Final = files("axe_playwright_python").joinpath("axe.min.js").read_text()
RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
Look: TypeAlias = tuple[tuple[int, int], Literal["light", "dark"]]
#: A width and a theme; a theme changes colours alone, and a width changes none.
LOOKS: Final[tuple[Look, ...]] = (
    (WIDE, "light"),
    (WIDE, "dark"),
    (NARROW, "light"),
    (NARROW, "dark"),
)
HTML_BYTES, GZIPPED_BYTES, LIST_GZIPPED_BYTES = 60 * 1024, 14 * 1024, 8 * 1024
LIST: Final = re.compile(r"/p/[a-z]+/(reports|runs|trouble|integrity)/(\?.*)?")
TITLE: Final = re.compile(r"(Error: |Changed: )?[A-Z][a-z]+( [a-z]+)*( · [a-z]+)? · Errata")
POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "strict-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}


def faults_of(window: Window, turn: int) -> Iterator[str]:
    """All that is wrong with the page that is shown, the state number `turn` of its screen."""
    yield from answer_faults(window)
    yield from key_faults(window)
    yield from look_faults(window, turn)


def look_faults(window: Window, turn: int) -> Iterator[str]:
    """What cannot be read, reached or understood.

    The slow suite looks at every state in all four ways, wide and narrow, light and dark. The
    quick one looks at each wide and narrow, in a theme each that take turns, and axe sees the first
    two states of a screen in both, so a screen in all four ways, and every further one in one of
    them. Of contrast, which is dear, axe is asked anyway, but only for texts that look unlike any
    that it has seen in that theme.
    """
    probe(window, "openFolds")
    for number, (size, scheme) in enumerate(LOOKS if IS_FULL else _quick_looks(turn)):
        window.resize(size)
        window.page.emulate_media(color_scheme=scheme)
        is_whole = IS_FULL or turn < 2 or number == turn // 2 % 2
        faults = probe(window, "lookFaults", RULES if is_whole else ())
        yield from (f"in {scheme} at {size[0]} px: {fault}" for fault in faults)


def _quick_looks(turn: int) -> list[Look]:
    """Wide and narrow, each in the other theme than at the last turn."""
    return [LOOKS[turn % 2], LOOKS[3 - turn % 2]]


def probe(window: Window, name: str, argument: object = None) -> Any:
    """Ask the page, which has the probes from its start."""
    return window.page.evaluate(f"argument => probes.{name}(argument)", argument)


def answer_faults(window: Window) -> Iterator[str]:
    """Headers, weight and title."""
    assert window.answer is not None
    headers = window.answer.headers
    policy = headers.get("content-security-policy", "")
    if set(policy.split("; ")) != set(POLICY.split("; ")):
        yield f"policy {policy!r}"
    for name, value in HEADERS.items():
        if headers.get(name) != value:
            yield f"{name}: {headers.get(name)}"
    body = window.answer.body()
    if len(body) > HTML_BYTES:
        yield f"{len(body)} bytes"
    most = LIST_GZIPPED_BYTES if LIST.fullmatch(window.path) else GZIPPED_BYTES
    if (gzipped := len(gzip.compress(body))) > most:
        yield f"{gzipped} bytes gzipped"
    if not TITLE.fullmatch(window.page.title()):
        yield f"title {window.page.title()!r}"


def key_faults(window: Window) -> Iterator[str]:
    """Keys that are hinted at do something; Backspace and Delete do nothing outside a field."""
    yield from (f"hints at {key}, which does nothing" for key in probe(window, "idleKeys"))
    window.page.evaluate("document.activeElement.blur(); window.isSame = true")
    for key in ("Backspace", "Delete"):
        window.page.keyboard.press(key)
    if not window.page.evaluate("window.isSame"):
        yield "Backspace or Delete left the page"
