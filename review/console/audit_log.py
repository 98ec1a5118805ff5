"""S20: the audit log, newest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.vocabulary import SCANNED_ROWS, ActorKind, AuditOutcome, Edge, Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.audit_filters import SHOWN, AuditFilters
from review.console.frame import frame_of, render
from review.console.keys import AUDIT_KEYS, working
from review.console.listing import Listing, keys_of
from review.console.visit import project_of
from review.messages import sentence
from review.queries.audit_log import read_audit_log
from review.screens import (
    ActorLabel,
    AuditRow,
    AuditScreen,
    Empty,
    Filters,
    Link,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.paging import Page
    from memory.queries.audit_log import AuditRow as Entry
    from review.queries.audit_log import AuditReading
    from review.screens import FormProblem

ROWS: Final = 40
_LIST: Final = "review/audit.html"
_ID_CHARACTERS: Final = 8


@project_view(policies.can_see_audit, Operation.AUDIT_LIST)
def list_entries(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One page of the log as its address narrows it. Writes one entry, of this very look."""
    address = partial(_address, request)
    listing = Listing(request, actor, AuditFilters(request.GET), address, _("Older entries"))
    after, problems = listing.place()
    if problems:
        refuse(actor, Operation.AUDIT_LIST, FieldInvalid("filters", "do not fit."))
        return render(request, _refused(listing, problems), _LIST, 422)
    filters = listing.filters
    reading = read_audit_log(actor=actor, narrow=filters.narrow, after=after, limit=ROWS)
    recent = (known for known in reading.actors.values() if known.is_recent)
    filters.offer_actors(recent, "actor")
    return render(request, _screen(listing, reading), _LIST)


def _address(request: HttpRequest, query: Mapping[str, str]) -> str:
    return reverse("review:audit-list", args=[project_of(request).name], query=dict(query))


def _drawn(request: HttpRequest, filters: AuditFilters) -> Filters:
    """The form. A box that is not ticked sends nothing, so the field before it says "show"."""
    return Filters(
        form=filters.form,
        action=_address(request, {}),
        clear_url=_address(request, {}),
        fixed=(("reads", SHOWN),),
    )


def _screen(listing: Listing[AuditFilters], reading: AuditReading) -> AuditScreen:
    page, request, actor = reading.page, listing.request, listing.actor
    pager = listing.pager(page)
    keys = working(AUDIT_KEYS, keys_of(page, pager))
    return AuditScreen(
        frame=frame_of(request, actor, title=_("Audit log"), keys=keys),
        now=reading.now,
        filters=_drawn(request, listing.filters),
        rows=tuple(_rows(request, reading)),
        empty=None if page.rows else _empty(request, page),
        pager=pager,
    )


def _refused(listing: Listing[AuditFilters], problems: Sequence[FormProblem]) -> AuditScreen:
    """The page with what does not fit, and without a row: nothing was read."""
    request, actor = listing.request, listing.actor
    listing.filters.offer_actors((), "actor")
    return AuditScreen(
        frame=frame_of(request, actor, title=_("Audit log"), title_prefix=_("Error: ")),
        now=None,
        filters=_drawn(request, listing.filters),
        problems=tuple(problems),
        rows=(),
        pager=listing.pager_of_misfit,
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
