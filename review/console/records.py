"""S12: one record, as it is, as it was, and what happened to it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid, NotFound
from memory.http.cursor import CursorScope
from memory.vocabulary import Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.answers import address_page
from review.console.drawing import record as record_drawing
from review.console.drawing import runs as runs_drawing
from review.console.drawing import versions as versions_drawing
from review.console.drawing.queue import back_link
from review.console.drawing.record import RecordPage
from review.console.drawing.signals import record_signals_screen
from review.console.frame import frame_of, render
from review.console.links import Links, links_of
from review.console.place import Place
from review.queries import record as queries
from review.queries.integrity import read_record_signals
from review.screens import Link

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.paging import Page, Seek
    from review.queries.record import Choice

SHOWN_ROWS: Final = 20
SHOWN_CITATIONS: Final = 10
_CHOICE: Final = re.compile(
    rf"(?P<number>[1-9][0-9]{{0,8}})|{queries.PREDECESSOR}|{queries.SUCCESSOR}", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Tab:
    """Somebody looking at a tab of a record; `address` is the tab's own beginning."""

    request: HttpRequest
    actor: Actor
    record_id: UUID
    address: str
    links: Links

    @property
    def after(self) -> Seek | None:
        """Where the page starts. Raises FieldInvalid for a cursor of another list."""
        return self._cursors.read(self.request.GET.get("after"))

    @property
    def start(self) -> str | None:
        """The beginning of the tab, from a later page."""
        return self.address if "after" in self.request.GET else None

    def onward(self, page: Page[Any]) -> str | None:
        """The next page, if there is one."""
        cursor = self._cursors.sign(page.next)
        return f"{self.address}?after={cursor}" if cursor else None

    def page(self, reading: queries.Reading) -> RecordPage:
        """What the tab is drawn with."""
        back = back_link(self.links, Place())
        return RecordPage(
            frame=frame_of(self.request, self.actor, title=_("Record"), back=back),
            actor=self.actor,
            links=self.links,
            now=reading.now,
            record=reading.record,
            names=reading.names,
            open_item=reading.open_item,
        )

    @property
    def _cursors(self) -> CursorScope:
        return CursorScope(self.actor.project_id, "review:record", {"address": self.address})


def tab_view(
    operation: Operation,
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Make a function of a tab a view; a cursor of another list is answered by E10."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @project_view(policies.can_see_records, operation)
        @functools.wraps(view)
        def call(
            request: HttpRequest, actor: Actor, *, record_id: UUID, **ids: Any
        ) -> HttpResponse:
            tab = Tab(request, actor, record_id, request.path, links_of(request))
            try:
                return view(tab, **ids)
            except FieldInvalid as error:
                refuse(actor, operation, error)
                start = Link(label=_("Back to start"), url=tab.address)
                return address_page(request, actor, error, start)

        return call

    return decorate


@tab_view(Operation.RECORD_GET)
def get_record(tab: Tab) -> HttpResponse:
    """The record as it is, with what it rests on."""
    reading = queries.read_record(
        actor=tab.actor, record_id=tab.record_id, after=tab.after, limit=SHOWN_CITATIONS
    )
    return _now_page(tab, reading)


@tab_view(Operation.RECORD_HISTORY)
def get_version(tab: Tab, *, number: int) -> HttpResponse:
    """The record in one of its versions."""
    reading = queries.read_version(
        actor=tab.actor,
        record_id=tab.record_id,
        number=number,
        after=tab.after,
        limit=SHOWN_CITATIONS,
    )
    return _now_page(tab, reading)


@tab_view(Operation.RECORD_HISTORY)
def list_versions(tab: Tab) -> HttpResponse:
    """The versions of the record between the records before and after it."""
    reading = queries.read_versions(
        actor=tab.actor, record_id=tab.record_id, after=tab.after, limit=SHOWN_ROWS
    )
    screen = versions_drawing.versions_screen(
        reading, tab.page(reading), start=tab.start, onward=tab.onward(reading.versions)
    )
    return render(tab.request, screen, "review/record_versions.html")


@tab_view(Operation.RECORD_HISTORY)
def compare_versions(tab: Tab) -> HttpResponse:
    """Two states of the record, or the record and the one before or after it."""
    older, newer = versions_drawing.in_order(_choice(tab, "from"), _choice(tab, "to"))
    reading = queries.read_comparison(
        actor=tab.actor, record_id=tab.record_id, older=older, newer=newer
    )
    screen = versions_drawing.compare_screen(reading, tab.page(reading), older, newer)
    return render(tab.request, screen, "review/record_compare.html")


@tab_view(Operation.RECORD_HISTORY)
def list_events(tab: Tab) -> HttpResponse:
    """What happened to the record, newest first."""
    reading = queries.read_history(
        actor=tab.actor, record_id=tab.record_id, after=tab.after, limit=SHOWN_ROWS
    )
    screen = versions_drawing.history_screen(
        reading,
        tab.page(reading),
        place=Place(),
        start=tab.start,
        onward=tab.onward(reading.moments),
    )
    return render(tab.request, screen, "review/record_history.html")


@tab_view(Operation.FEEDBACK_LIST)
def list_reports(tab: Tab) -> HttpResponse:
    """The reports about the record, newest first, with their outcome."""
    reading = queries.read_record_reports(
        actor=tab.actor, record_id=tab.record_id, after=tab.after, limit=SHOWN_ROWS
    )
    screen = record_drawing.reports_screen(
        reading,
        tab.page(reading),
        place=Place(),
        start=tab.start,
        onward=tab.onward(reading.page),
    )
    return render(tab.request, screen, "review/record_reports.html")


@tab_view(Operation.RECORD_HISTORY)
def list_runs(tab: Tab) -> HttpResponse:
    """The packs that held the record, newest first."""
    reading = queries.read_record_runs(
        actor=tab.actor, record_id=tab.record_id, after=tab.after, limit=SHOWN_ROWS
    )
    screen = runs_drawing.record_runs_screen(
        reading, tab.page(reading), start=tab.start, onward=tab.onward(reading.page)
    )
    return render(tab.request, screen, "review/record_runs.html")


@tab_view(Operation.SIGNAL_LIST)
def list_signals(tab: Tab) -> HttpResponse:
    """What clients say of the record by signals, by sender."""
    reading = read_record_signals(actor=tab.actor, record_id=tab.record_id)
    screen = record_signals_screen(reading, tab.page(reading))
    return render(tab.request, screen, "review/record_signals.html")


def _now_page(tab: Tab, reading: queries.RecordReading) -> HttpResponse:
    screen = record_drawing.now_screen(
        reading, tab.page(reading), start=tab.start, onward=tab.onward(reading.citations)
    )
    return render(tab.request, screen, "review/record_now.html")


def _choice(tab: Tab, name: str) -> Choice:
    """A version number, or the record before or after; NotFound for anything else."""
    found = _CHOICE.fullmatch(tab.request.GET.get(name, ""))
    if found is None:
        raise NotFound
    return int(found[0]) if found["number"] else found[0]
