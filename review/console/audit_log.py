"""S20: the audit log, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.http.context import route_of
from memory.http.cursor import CursorScope
from memory.vocabulary import SCANNED_ROWS, ActorKind, AuditOutcome, Edge, Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.audit_filters import SHOWN, AuditFilters
from review.console.frame import frame_of, render
from review.console.keys import AUDIT_KEYS, ROW_KEYS, working
from review.console.visit import project_of
from review.messages import sentence
from review.queries.audit_log import read_audit_log
from review.screens import (
    ActorLabel,
    AuditRow,
    AuditScreen,
    Empty,
    Filters,
    FormProblem,
    Link,
    Pager,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.paging import Page
    from memory.queries.audit_log import AuditRow as Entry
    from review.queries.audit_log import AuditReading

ROWS: Final = 40
_ID_CHARACTERS: Final = 8


@project_view(policies.can_see_audit, Operation.AUDIT_LIST)
def list_entries(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One page of the log as its address narrows it. Writes one entry, of this very look."""
    filters = AuditFilters(request.GET)
    after = None
    problems = filters.problems()
    if not problems:
        try:
            after = _cursors(request, actor, filters).read(request.GET.get("after"))
        except FieldInvalid:
            problems = [FormProblem(text=sentence("cursor_misfit"))]
    if problems:
        refuse(actor, Operation.AUDIT_LIST, FieldInvalid("filters", "do not fit."))
        return render(
            request, _refused(request, actor, filters, problems), "review/audit.html", 422
        )
    reading = read_audit_log(actor=actor, narrow=filters.narrow, after=after, limit=ROWS)
    recent = (known for known in reading.actors.values() if known.is_recent)
    filters.offer_actors(recent, "actor")
    return render(request, _screen(request, actor, filters, reading), "review/audit.html")


def _cursors(request: HttpRequest, actor: Actor, filters: AuditFilters) -> CursorScope:
    return CursorScope(actor.project_id, route_of(request), filters.bound)


def _address(request: HttpRequest, query: dict[str, str]) -> str:
    return reverse("review:audit-list", args=[project_of(request).name], query=query)


def _drawn(request: HttpRequest, filters: AuditFilters) -> Filters:
    """The form. A box that is not ticked sends nothing, so the field before it says "show"."""
    return Filters(
        form=filters.form,
        action=_address(request, {}),
        clear_url=_address(request, {}),
        fixed=(("reads", SHOWN),),
    )


def _screen(
    request: HttpRequest, actor: Actor, filters: AuditFilters, reading: AuditReading
) -> AuditScreen:
    page = reading.page
    further = _pager(request, actor, filters, page)
    keys = ["f", *(ROW_KEYS if page.rows else ())]
    keys += ["n"] if further and further.onward else []
    return AuditScreen(
        frame=frame_of(request, actor, title=_("Audit log"), keys=working(AUDIT_KEYS, keys)),
        now=reading.now,
        filters=_drawn(request, filters),
        rows=tuple(_rows(request, reading)),
        empty=None if page.rows else _empty(request, page),
        pager=further,
    )


def _refused(
    request: HttpRequest, actor: Actor, filters: AuditFilters, problems: Sequence[FormProblem]
) -> AuditScreen:
    """The page with what does not fit, and without a row: nothing was read."""
    filters.offer_actors((), "actor")
    start = Link(label=_("Back to start"), url=_address(request, filters.query))
    return AuditScreen(
        frame=frame_of(request, actor, title=_("Audit log"), title_prefix=_("Error: ")),
        now=None,
        filters=_drawn(request, filters),
        problems=tuple(problems),
        rows=(),
        pager=Pager(start=start) if "after" in request.GET else None,
    )


def _rows(request: HttpRequest, reading: AuditReading) -> list[AuditRow]:
    """The entries, those of one request together where the newest of them stands."""
    requests: dict[str, list[Entry]] = {}
    for entry in reading.page.rows:
        requests.setdefault(entry.request_id, []).append(entry)
    return [
        _row(request, reading, entry, is_same_request=place > 0)
        for entries in requests.values()
        for place, entry in enumerate(sorted(entries, key=_order_in_request))
    ]


def _order_in_request(entry: Entry) -> tuple[float, str]:
    """Newest first; what was written at once by name, so a promotion stands before its change."""
    return -entry.recorded_at.timestamp(), entry.operation


def _row(
    request: HttpRequest, reading: AuditReading, entry: Entry, *, is_same_request: bool
) -> AuditRow:
    known = reading.actors.get(entry.actor_id) if entry.actor_id else None
    name = known.name if known else str(entry.actor_id or "")[:_ID_CHARACTERS]
    return AuditRow(
        at=entry.recorded_at,
        operation=entry.operation,
        is_refused=entry.outcome == AuditOutcome.REFUSED,
        code=entry.code,
        actor=ActorLabel(label=name, kind=ActorKind(entry.actor_kind), edge=Edge(entry.edge)),
        magnitude=entry.magnitude,
        request_id=entry.request_id,
        request_url=_address(request, {"request": entry.request_id, "reads": SHOWN}),
        is_same_request=is_same_request,
    )


def _empty(request: HttpRequest, page: Page[Entry]) -> Empty:
    if page.next is not None:
        return Empty(text=sentence("scan_stopped_entries", n=SCANNED_ROWS))
    clear = Link(label=_("Clear filters"), url=_address(request, {}))
    return Empty(text=sentence("audit_empty"), links=(clear,))


def _pager(
    request: HttpRequest, actor: Actor, filters: AuditFilters, page: Page[Entry]
) -> Pager | None:
    cursor = _cursors(request, actor, filters).sign(page.next)
    start = onward = None
    if "after" in request.GET:
        start = Link(label=_("Back to start"), url=_address(request, filters.query))
    if cursor is not None:
        label = _("Older entries") if page.rows else _("Keep looking")
        url = _address(request, {**filters.query, "after": cursor})
        onward = Link(label=label, url=url, key="n")
    return Pager(start=start, onward=onward) if start or onward else None
