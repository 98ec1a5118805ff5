"""S16 and S17: the list of context runs, and one run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.vocabulary import SCANNED_ROWS, Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.answers import address_page
from review.console.drawing.run import RunPage, run_screen
from review.console.drawing.runs import run_row, runs_empty
from review.console.frame import frame_of, render
from review.console.keys import RUNS_KEYS, working
from review.console.links import links_of
from review.console.listing import Listing, keys_of
from review.console.origins import RUN_ORIGINS
from review.console.run_filters import RunFilters
from review.messages import sentence
from review.queries.runs import read_run, read_runs
from review.screens import Filters, Link, RunsScreen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from review.console.links import Links
    from review.queries.runs import RunsReading
    from review.screens import FormProblem

ROWS: Final = 20
ITEMS: Final = 20
_RANK: Final = re.compile("[1-9][0-9]{0,4}", re.ASCII)
_LIST: Final = "review/runs.html"


@project_view(policies.can_see_runs, Operation.CONTEXT_LIST)
def list_runs(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One page of runs as the address narrows it."""
    links = links_of(request)
    listing = Listing(request, actor, RunFilters(request.GET), links.runs, _("Older runs"))
    after, problems = listing.place()
    if problems:
        refuse(actor, Operation.CONTEXT_LIST, FieldInvalid("filters", "do not fit."))
        return render(request, _refused(listing, links, problems), _LIST, 422)
    filters = listing.filters
    reading = read_runs(actor=actor, narrow=filters.narrow, after=after, limit=ROWS)
    filters.offer_actors((known for known in reading.actors.values() if known.is_recent), "by")
    return render(request, _screen(listing, links, reading), _LIST)


@project_view(policies.can_see_runs, Operation.CONTEXT_GET)
def get_run(request: HttpRequest, actor: Actor, *, run_id: UUID) -> HttpResponse:
    """One run, as one of the page of the list that somebody came from."""
    links = links_of(request)
    query = RUN_ORIGINS.query(request.GET.get("from"), actor.project_id)
    origin = RUN_ORIGINS.sign(query, actor.project_id)
    try:
        after_rank = _rank(request.GET.get("after"))
    except FieldInvalid as error:
        refuse(actor, Operation.CONTEXT_GET, error)
        start = Link(label=_("Back to start"), url=links.run(run_id, origin=origin))
        return address_page(request, actor, error, start)
    reading = read_run(actor=actor, run_id=run_id, after_rank=after_rank, limit=ITEMS)
    back = Link(label=_("Back to context runs"), url=links.runs(query), key="u")
    page = RunPage(
        frame=frame_of(request, actor, title=_("Context run"), back=back),
        actor=actor,
        links=links,
        origin=origin,
        after_rank=after_rank,
    )
    return render(request, run_screen(reading, page), "review/run.html")


def _rank(text: str | None) -> int:
    """The rank behind which a page of items begins. Raises FieldInvalid for anything else."""
    if text is None:
        return 0
    if not _RANK.fullmatch(text):
        raise FieldInvalid("after", "is not one of ours.")
    return int(text)


def _drawn(filters: RunFilters, links: Links) -> Filters:
    return Filters(form=filters.form, action=links.runs(), clear_url=links.runs())


def _screen(listing: Listing[RunFilters], links: Links, reading: RunsReading) -> RunsScreen:
    page, request, actor = reading.page, listing.request, listing.actor
    origin = RUN_ORIGINS.sign(listing.query, actor.project_id)
    pager = listing.pager(page, tells_start=bool(page.rows))
    keys = working(RUNS_KEYS, keys_of(page, pager))
    is_cut = page.is_scan_cut and bool(page.rows)
    return RunsScreen(
        frame=frame_of(request, actor, title=_("Context runs"), keys=keys),
        now=reading.now,
        filters=_drawn(listing.filters, links),
        rows=tuple(run_row(run, reading.names, links, origin) for run in page.rows),
        cut=sentence("scan_cut_runs", n=SCANNED_ROWS) if is_cut else None,
        empty=None if page.rows else runs_empty(page, listing.query, links),
        pager=pager,
    )


def _refused(
    listing: Listing[RunFilters], links: Links, problems: Sequence[FormProblem]
) -> RunsScreen:
    """The page with what does not fit, and without a row: nothing was read."""
    listing.filters.offer_actors((), "by")
    return RunsScreen(
        frame=frame_of(
            listing.request, listing.actor, title=_("Context runs"), title_prefix=_("Error: ")
        ),
        now=None,
        filters=_drawn(listing.filters, links),
        problems=tuple(problems),
        rows=(),
        pager=listing.pager_of_misfit,
    )
