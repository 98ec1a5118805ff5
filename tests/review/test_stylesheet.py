"""Rules of the stylesheet (`console.md` 10.8) and the size of what a page loads."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from typing_extensions import override

from review.console.components import components_screen
from tests.review.samples import screens

BASE = Path(settings.BASE_DIR)
FOLDER = BASE / "static/review"
CSS = (FOLDER / "console.css").read_text()
SCRIPT = (FOLDER / "console.js").read_text()
RULES = re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL)
SELECTORS = [
    selector.strip()
    for line in re.findall(r"([^{};]+)\{", RULES)
    if not line.strip().startswith("@")
    for selector in re.split(r",(?![^(]*\))", line)
]
DECLARATIONS = [
    (name, value.strip()) for name, value in re.findall(r"([\w-]+)\s*:\s*([^;{}]+);", RULES)
]
CLASSES = {name for selector in SELECTORS for name in re.findall(r"\.([a-z][\w-]*)", selector)}

#: Not to be used: they name a side of the screen and not of the text.
PHYSICAL = re.compile(
    r"(?:(?:margin|padding|border)-(?:top|right|bottom|left)(?:-\w+)?|top|right|bottom|left|width"
    r"|height|(?:min|max)-(?:width|height)|border-(?:top|bottom)-(?:left|right)-radius"
    r"|overflow-[xy]|float|clear)"
)


class ClassNames(HTMLParser):
    """The classes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.update((dict(attrs).get("class") or "").split())


def classes_in_pages() -> set[str]:
    parser = ClassNames()
    for template, screen in screens().values():
        parser.feed(render_to_string(f"review/{template}.html", {"screen": screen}))
    parser.feed(render_to_string("review/components.html", {"screen": components_screen()}))
    return parser.names


def test_files_keep_their_budgets() -> None:
    for text, raw, packed in ((CSS, 20_000, 6_000), (SCRIPT, 10_000, 4_000)):
        assert len(text.encode()) <= raw
        assert len(gzip.compress(text.encode())) <= packed


def test_the_first_line_names_the_layers_and_everything_is_in_one() -> None:
    layers = ["reset", "tokens", "base", "layout", "components", "utilities"]
    assert CSS.splitlines()[0] == f"@layer {', '.join(layers)};"
    assert re.findall(r"^@layer (\w+) \{", CSS, re.MULTILINE) == layers
    outside = re.sub(r"^@layer \w+ \{.*?^\}", "", RULES, flags=re.DOTALL | re.MULTILINE)
    assert outside.strip() == CSS.splitlines()[0]


def test_colours_stand_only_in_tokens() -> None:
    tokens = re.search(r"^@layer tokens \{.*?^\}", RULES, re.DOTALL | re.MULTILINE)
    assert tokens
    assert re.search(r"#[0-9a-fA-F]{3,8}\b", RULES.replace(tokens[0], "")) is None
    assert re.search(r"\b(?:rgb|hsl|oklch|color-mix)\(", RULES) is None
    used = set(re.findall(r"var\(--([\w-]+)\)", RULES))
    defined = {name.removeprefix("--") for name, _value in DECLARATIONS if name.startswith("--")}
    assert used <= defined


def test_nothing_is_imported_forced_or_found_by_id() -> None:
    assert "@import" not in RULES
    assert "url(" not in RULES
    assert "!important" not in RULES
    assert not [selector for selector in SELECTORS if re.search(r"#[a-z]", selector)]


def test_no_selector_is_deeper_than_one_class() -> None:
    assert not [selector for selector in SELECTORS if selector.count(".") > 1]


def test_no_property_names_a_side_of_the_screen() -> None:
    assert not [name for name, _value in DECLARATIONS if PHYSICAL.fullmatch(name)]
    assert not [
        (name, value)
        for name, value in DECLARATIONS
        if name == "text-align" and value in {"left", "right"}
    ]


def test_nothing_moves_and_nothing_fades_by_opacity() -> None:
    names = {name for name, _value in DECLARATIONS}
    assert not names & {"transition", "animation", "opacity", "box-shadow", "filter"}


def test_every_class_of_a_page_is_defined_and_every_defined_class_is_on_a_page() -> None:
    assert classes_in_pages() == CLASSES


def test_the_script_makes_no_request_and_builds_no_markup() -> None:
    for word in ("fetch", "XMLHttpRequest", "WebSocket", "sendBeacon", "EventSource", "import("):
        assert word not in SCRIPT
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ):
        assert word not in SCRIPT
    assert "submit()" not in SCRIPT
    assert "Backspace" not in SCRIPT


def test_the_icon_refers_to_nothing_outside() -> None:
    icon = (FOLDER / "icon.svg").read_text()
    assert re.findall(r"https?://[^\"]+", icon) == ["http://www.w3.org/2000/svg"]
    assert "style" not in icon
