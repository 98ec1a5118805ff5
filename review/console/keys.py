"""The keys of the console (`console.md` 8): what each does, screen by screen.

A page hints at those that do something on it; `/help/keys/` lists them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from review.screens import KeyHint

if TYPE_CHECKING:
    from collections.abc import Iterable

RECORD_KEYS: Final = (
    KeyHint(keys="u", does=_("Up to the list")),
    KeyHint(keys="v", does=_("Versions")),
    KeyHint(keys="h", does=_("History")),
    KeyHint(keys="e", does=_("Evidence")),
    KeyHint(keys="[", does=_("Older version")),
    KeyHint(keys="]", does=_("Newer version")),
    KeyHint(keys="d", does=_("Compare with the previous version")),
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("Open the current row, or the first")),
    KeyHint(keys="n", does=_("Next page")),
)

#: What works wherever there are rows.
ROW_KEYS: Final = ("j", "k", "o")


def working(hints: Iterable[KeyHint], keys: Iterable[str]) -> tuple[KeyHint, ...]:
    """The hints of those keys, for a page on which only they do something."""
    bound = set(keys)
    return tuple(hint for hint in hints if hint.keys in bound)
