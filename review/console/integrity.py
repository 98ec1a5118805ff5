"""S19: the list of records that enough clients suspect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.vocabulary import SCANNED_ROWS, Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.drawing.integrity import integrity_empty, integrity_row, unbound_sender
from review.console.frame import frame_of, render
from review.console.integrity_filters import IntegrityFilters
from review.console.keys import INTEGRITY_KEYS, working
from review.console.links import links_of
from review.console.listing import Listing, keys_of
from review.console.origins import INTEGRITY_ORIGINS
from review.messages import sentence
from review.queries.integrity import NEWEST_UNBOUND, read_integrity
from review.screens import Filters, IntegrityScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from review.console.links import Links
    from review.queries.integrity import IntegrityReading
    from review.screens import FormProblem

ROWS: Final = 20
_TEMPLATE: Final = "review/integrity.html"


@project_view(policies.can_see_integrity, Operation.SIGNAL_LIST)
def list_items(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One page of suspected records as the address narrows it."""
    links = links_of(request)
    filters = IntegrityFilters(request.GET)
    listing = Listing(request, actor, filters, links.integrity, _("Older items"))
    after, problems = listing.place()
    if problems:
        refuse(actor, Operation.SIGNAL_LIST, FieldInvalid("filters", "do not fit."))
        return render(request, _refused(listing, links, problems), _TEMPLATE, 422)
    reading = read_integrity(
        actor=actor,
        state=filters.item_state,
        suspicion=filters.suspicion,
        after=after,
        limit=ROWS,
    )
    return render(request, _screen(listing, links, reading), _TEMPLATE)


def _drawn(filters: IntegrityFilters, links: Links) -> Filters:
    return Filters(form=filters.form, action=links.integrity(), clear_url=links.integrity())


def _screen(
    listing: Listing[IntegrityFilters], links: Links, reading: IntegrityReading
) -> IntegrityScreen:
    page, request, actor = reading.page, listing.request, listing.actor
    origin = INTEGRITY_ORIGINS.sign(listing.query, actor.project_id)
    pager = listing.pager(page, tells_start=bool(page.rows))
    keys = working(INTEGRITY_KEYS, keys_of(page, pager))
    is_cut = page.is_scan_cut and bool(page.rows)
    return IntegrityScreen(
        frame=frame_of(request, actor, title=_("Integrity"), keys=keys),
        now=reading.now,
        filters=_drawn(listing.filters, links),
        rows=tuple(integrity_row(item, links, origin) for item in page.rows),
        cut=sentence("scan_cut_items", n=SCANNED_ROWS) if is_cut else None,
        empty=None if page.rows else integrity_empty(page, listing.query, links),
        pager=pager,
        unbound=tuple(unbound_sender(row, reading.names) for row in reading.unbound),
        unbound_hint=sentence("unbound_hint", n=NEWEST_UNBOUND) if reading.unbound else None,
    )


def _refused(
    listing: Listing[IntegrityFilters], links: Links, problems: Sequence[FormProblem]
) -> IntegrityScreen:
    """The page with what does not fit, and without a row: nothing was read."""
    return IntegrityScreen(
        frame=frame_of(
            listing.request, listing.actor, title=_("Integrity"), title_prefix=_("Error: ")
        ),
        now=None,
        filters=_drawn(listing.filters, links),
        problems=tuple(problems),
        rows=(),
        pager=listing.pager_of_misfit,
    )
