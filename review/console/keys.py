"""The keys of the console (`console.md` 8): what each does, screen by screen.

A page hints at those that do something on it; `/help/keys/` lists them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from review.screens import KeyHint

if TYPE_CHECKING:
    from collections.abc import Iterable

EVERYWHERE_KEYS: Final = (KeyHint(keys="?", does=_("This list of keys")),)

QUEUE_KEYS: Final = (
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("Open the current row, or the first")),
    KeyHint(keys="n", does=_("Next page")),
    KeyHint(keys="1", does=_("View: Open")),
    KeyHint(keys="2", does=_("View: Ready to promote")),
    KeyHint(keys="3", does=_("View: Target changed")),
    KeyHint(keys="4", does=_("View: All")),
)

REPORT_KEYS: Final = (
    KeyHint(keys="p", does=_("Move to the primary action")),
    KeyHint(keys="s", does=_("Skip to the next report")),
    KeyHint(keys="j", does=_("Next report in this view")),
    KeyHint(keys="k", does=_("Previous report in this view")),
    KeyHint(keys="u", does=_("Up to the list")),
    KeyHint(keys="e", does=_("Evidence")),
    KeyHint(keys="h", does=_("History")),
)

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

AUDIT_KEYS: Final = (
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("All entries of the row's request")),
    KeyHint(keys="n", does=_("Older entries")),
    KeyHint(keys="f", does=_("First filter")),
)

DOUBT_KEYS: Final = (KeyHint(keys="u", does=_("Up to the record")),)

RUNS_KEYS: Final = (
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("Open the current row, or the first")),
    KeyHint(keys="n", does=_("Older runs")),
    KeyHint(keys="f", does=_("First filter")),
)

RUN_KEYS: Final = (
    KeyHint(keys="u", does=_("Up to the list")),
    KeyHint(keys="e", does=_("Items")),
    KeyHint(keys="h", does=_("Outcomes")),
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("Open the record of the current row, or of the first")),
    KeyHint(keys="n", does=_("Further items")),
)

TROUBLE_KEYS: Final = (
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("Open the current row, or the first")),
)

INTEGRITY_KEYS: Final = (
    KeyHint(keys="j", does=_("Next row")),
    KeyHint(keys="k", does=_("Previous row")),
    KeyHint(keys="o", does=_("Open the current row, or the first")),
    KeyHint(keys="n", does=_("Older items")),
    KeyHint(keys="f", does=_("First filter")),
)

INTEGRITY_ITEM_KEYS: Final = (
    KeyHint(keys="u", does=_("Up to the list")),
    KeyHint(keys="e", does=_("Who suspects it")),
)

#: What works wherever there are rows.
ROW_KEYS: Final = ("j", "k", "o")


def working(hints: Iterable[KeyHint], keys: Iterable[str]) -> tuple[KeyHint, ...]:
    """The hints of those keys, for a page on which only they do something."""
    bound = set(keys)
    return tuple(hint for hint in hints if hint.keys in bound)
