"""S4: the help. It shows nothing of any project, so a look at it is not audited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from review.console import keys
from review.console.access import person_view
from review.console.frame import PLACES, frame_of, render
from review.console.meanings import ROLES, SETTINGS, WORDS
from review.screens import HelpScreen, KeyGroup, KeyHint, KeysScreen, Link

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_GROUPS: Final = (
    KeyGroup(name="reports", title=_("Lists of reports"), hints=keys.QUEUE_KEYS),
    KeyGroup(name="report", title=_("A report"), hints=keys.REPORT_KEYS),
    KeyGroup(name="record", title=_("A record"), hints=keys.RECORD_KEYS),
    KeyGroup(name="doubt", title=_("Report a doubt"), hints=keys.DOUBT_KEYS),
    KeyGroup(name="runs", title=_("Context runs"), hints=keys.RUNS_KEYS),
    KeyGroup(name="run", title=_("A context run"), hints=keys.RUN_KEYS),
    KeyGroup(name="trouble", title=_("Records in trouble"), hints=keys.TROUBLE_KEYS),
    KeyGroup(name="integrity", title=_("Integrity"), hints=keys.INTEGRITY_KEYS),
    KeyGroup(name="item", title=_("A suspected record"), hints=keys.INTEGRITY_ITEM_KEYS),
    KeyGroup(name="audit", title=_("Audit log"), hints=keys.AUDIT_KEYS),
)


@person_view
def show_help(request: HttpRequest) -> HttpResponse:
    """What the words mean, what each role may do, how utility is computed, what is audited."""
    screen = HelpScreen(
        frame=frame_of(request, None, title=_("Help")),
        words=WORDS,
        roles=ROLES,
        settings=SETTINGS,
        keys=Link(label=_("All keys"), url=reverse("review:help-keys")),
    )
    return render(request, screen, "review/help.html")


@person_view
def list_keys(request: HttpRequest) -> HttpResponse:
    """All keys, by the pages on which they work."""
    places = tuple(KeyHint(keys=key, does=label) for label, key, _routes, _policy in PLACES)
    everywhere = KeyGroup(
        name="everywhere", title=_("Everywhere"), hints=(*keys.EVERYWHERE_KEYS, *places)
    )
    screen = KeysScreen(
        frame=frame_of(request, None, title=_("Keyboard shortcuts")),
        groups=(everywhere, *_GROUPS),
        help=Link(label=_("Help"), url=reverse("review:help")),
    )
    return render(request, screen, "review/help_keys.html")
