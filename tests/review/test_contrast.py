"""The colours of the stylesheet against the floors of WCAG 2 (`console.md` 10.2)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = (Path(settings.BASE_DIR) / "static/review/console.css").read_text()
TOKENS: dict[str, tuple[str, str]] = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS
    )
}
TINTS = ("ok-bg", "warn-bg", "bad-bg", "info-bg")

#: foreground, backgrounds, floor, and the ratios of the specification in light and in dark.
TABLE: list[tuple[str, tuple[str, ...], float, tuple[float, ...], tuple[float, ...]]] = [
    ("fg", ("bg",), 4.5, (16.88,), (14.91,)),
    ("fg", ("subtle", "inset", "sel"), 4.5, (15.61, 14.38, 14.67), (13.72, 11.82, 11.86)),
    (
        "muted",
        ("bg", "subtle", "inset", "sel"),
        4.5,
        (6.84, 6.33, 5.83, 5.95),
        (8.03, 7.39, 6.37, 6.39),
    ),
    ("link", ("bg", "subtle", "sel"), 4.5, (6.65, 6.15, 5.78), (8.42, 7.75, 6.70)),
    ("visited", ("bg", "subtle", "sel"), 4.5, (7.42, 6.86, 6.44), (8.64, 7.95, 6.87)),
    ("accent-fg", ("accent",), 4.5, (6.65,), (8.58,)),
    ("danger-fg", ("danger",), 4.5, (6.83,), (8.44,)),
    ("edge", ("bg", "subtle", "inset"), 3, (4.04, 3.73, 3.44), (5.09, 4.69, 4.03)),
    ("focus", ("bg", "subtle", "sel"), 3, (6.65, 6.15, 5.78), (10.21, 9.39, 8.12)),
    ("ok-fg", ("ok-bg",), 4.5, (6.61,), (8.14,)),
    ("warn-fg", ("warn-bg",), 4.5, (7.14,), (8.38,)),
    ("bad-fg", ("bad-bg",), 4.5, (7.00,), (7.73,)),
    ("info-fg", ("info-bg",), 4.5, (7.31,), (8.00,)),
    ("neu-fg", ("neu-bg",), 4.5, (7.21,), (7.52,)),
    ("ins-fg", ("ins-bg",), 4.5, (6.91,), (8.93,)),
    ("del-fg", ("del-bg",), 4.5, (7.31,), (8.47,)),
    ("c1", ("bg",), 3, (6.65,), (8.42,)),
    ("c2", ("bg",), 3, (5.16,), (8.66,)),
    ("c3", ("bg",), 3, (5.95,), (9.63,)),
    ("c4", ("bg",), 3, (6.14,), (8.27,)),
    ("c5", ("bg",), 3, (5.80,), (8.03,)),
    ("rule", ("bg",), 1, (1.42,), (1.57,)),
]

#: On every tint of a notice; the ratio is the lowest of the four.
ON_TINTS = [
    ("fg", 4.5, 14.28, 11.42),
    ("link", 4.5, 5.63, 6.45),
    ("muted", 4.5, 5.79, 6.15),
    ("focus", 3, 5.63, 7.82),
    ("edge", 3, 3.41, 3.90),
]


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` by WCAG 2."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(first: str, second: str) -> float:
    """Contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_the_highest_ratio() -> None:
    assert ratio("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("name", "backgrounds", "floor", "light", "dark"), TABLE)
def test_a_colour_keeps_its_contrast(
    *,
    name: str,
    backgrounds: tuple[str, ...],
    floor: float,
    light: tuple[float, ...],
    dark: tuple[float, ...],
    theme: int,
) -> None:
    for background, expected in zip(backgrounds, (light, dark)[theme], strict=True):
        measured = ratio(TOKENS[name][theme], TOKENS[background][theme])
        assert measured >= floor
        assert measured == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("name", "floor", "light", "dark"), ON_TINTS)
def test_a_colour_keeps_its_contrast_on_notices(
    *, name: str, floor: float, light: float, dark: float, theme: int
) -> None:
    lowest = min(ratio(TOKENS[name][theme], TOKENS[tint][theme]) for tint in TINTS)
    assert lowest >= floor
    assert lowest == pytest.approx((light, dark)[theme], abs=0.006)


def test_every_colour_token_is_in_the_table() -> None:
    named = {row[0] for row in TABLE} | {name for row in TABLE for name in row[1]}
    assert set(TOKENS) == named
