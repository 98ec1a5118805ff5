"""What the filtered lists of the console share: where a page begins, and the ways on from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.http.context import route_of
from memory.http.cursor import CursorScope
from review.console.filters import ListFilters
from review.console.keys import ROW_KEYS
from review.messages import sentence
from review.screens import FormProblem, Link, Pager

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest

    from memory.actor import Actor
    from memory.paging import Page, Seek
    from review.screens.frame import Label

F = TypeVar("F", bound=ListFilters)


@dataclass(frozen=True, slots=True)
class Listing(Generic[F]):
    """A list as an address narrows it; `address` is where it stands with other parameters."""

    request: HttpRequest
    actor: Actor
    filters: F
    address: Callable[[Mapping[str, str]], str]
    older: Label

    @property
    def query(self) -> dict[str, str]:
        """The parameters of this very page."""
        after = self.request.GET.get("after")
        return {**self.filters.query, "after": after} if after is not None else self.filters.query

    def place(self) -> tuple[Seek | None, list[FormProblem]]:
        """Where the page begins, and what does not fit in the address: then nothing is read."""
        if problems := self.filters.problems():
            return None, problems
        try:
            return self._cursors.read(self.request.GET.get("after")), []
        except FieldInvalid:
            return None, [FormProblem(text=sentence("cursor_misfit"))]

    @property
    def start(self) -> Link | None:
        """The way back to the first page, from any other."""
        if "after" not in self.request.GET:
            return None
        return Link(label=_("Back to start"), url=self.address(self.filters.query))

    def pager(self, page: Page[Any], *, tells_start: bool = True) -> Pager | None:
        """The ways to the first and to the next page, where there are any."""
        start, onward = self.start if tells_start else None, None
        if (cursor := self._cursors.sign(page.next)) is not None:
            label = self.older if page.rows else _("Keep looking")
            url = self.address({**self.filters.query, "after": cursor})
            onward = Link(label=label, url=url, key="n")
        return Pager(start=start, onward=onward) if start or onward else None

    @property
    def pager_of_misfit(self) -> Pager | None:
        """The way out of an address that does not fit."""
        return Pager(start=self.start) if self.start else None

    @property
    def _cursors(self) -> CursorScope:
        return CursorScope(self.actor.project_id, route_of(self.request), self.filters.bound)


def keys_of(page: Page[Any], pager: Pager | None) -> list[str]:
    """The keys that do something on a page of a list."""
    keys = ["f", *(ROW_KEYS if page.rows else ())]
    return [*keys, "n"] if pager and pager.onward else keys
