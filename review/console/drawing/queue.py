"""The list of reports (S6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from feedback.vocabulary import Order
from review import policies
from review.console.drawing.report_rows import bounded, report_row
from review.console.keys import QUEUE_KEYS, ROW_KEYS, working
from review.console.place import Place
from review.messages import sentence
from review.screens import Empty, Link, Offer, Pager, QueueScreen
from review.vocabulary import PAGE_SIZES, QueueView

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

    from memory.actor import Actor
    from review.console.drawing.page import ReportPage
    from review.console.links import Links
    from review.queries.queue import QueueReading

HEADINGS: Final[dict[tuple[QueueView, Order], StrPromise]] = {
    (QueueView.OPEN, Order.OLDEST): _("Open reports, oldest first"),
    (QueueView.OPEN, Order.NEWEST): _("Open reports, newest first"),
    (QueueView.READY, Order.OLDEST): _("Reports ready to promote, oldest first"),
    (QueueView.READY, Order.NEWEST): _("Reports ready to promote, newest first"),
    (QueueView.CHANGED, Order.OLDEST): _("Reports with a changed target, oldest first"),
    (QueueView.CHANGED, Order.NEWEST): _("Reports with a changed target, newest first"),
    (QueueView.ALL, Order.OLDEST): _("All reports, oldest first"),
    (QueueView.ALL, Order.NEWEST): _("All reports, newest first"),
}
BACKS: Final[dict[tuple[QueueView, Order], StrPromise]] = {
    (QueueView.OPEN, Order.OLDEST): _("Back to open reports, oldest first"),
    (QueueView.OPEN, Order.NEWEST): _("Back to open reports, newest first"),
    (QueueView.READY, Order.OLDEST): _("Back to reports ready to promote, oldest first"),
    (QueueView.READY, Order.NEWEST): _("Back to reports ready to promote, newest first"),
    (QueueView.CHANGED, Order.OLDEST): _("Back to reports with a changed target, oldest first"),
    (QueueView.CHANGED, Order.NEWEST): _("Back to reports with a changed target, newest first"),
    (QueueView.ALL, Order.OLDEST): _("Back to all reports, oldest first"),
    (QueueView.ALL, Order.NEWEST): _("Back to all reports, newest first"),
}
_VIEWS: Final = {
    QueueView.OPEN: pgettext_lazy("view of reports", "Open"),
    QueueView.READY: pgettext_lazy("view of reports", "Ready to promote"),
    QueueView.CHANGED: pgettext_lazy("view of reports", "Target changed"),
    QueueView.ALL: pgettext_lazy("view of reports", "All"),
}
_ORDERS: Final = {Order.OLDEST: _("oldest first"), Order.NEWEST: _("newest first")}
_TOTALS: Final = {
    QueueView.OPEN: _("{n} open"),
    QueueView.READY: _("{n} ready"),
    QueueView.CHANGED: _("{n} with a changed target"),
    QueueView.ALL: _("{n} in all"),
}
_ONWARD: Final = {Order.OLDEST: _("Newer reports"), Order.NEWEST: _("Older reports")}
_EMPTY: Final = {
    QueueView.OPEN: "reports_open_empty",
    QueueView.READY: "reports_ready_empty",
    QueueView.CHANGED: "reports_changed_empty",
    QueueView.ALL: "reports_never",
}


def queue_screen(reading: QueueReading, page: ReportPage) -> QueueScreen:
    """A page of a view of the queue."""
    links, place = page.links, page.place
    heading = HEADINGS[place.view, place.order]
    views, further = _views(links, place), _pager(reading, links, place)
    keys = [link.key for link in (*views, further.onward) if link is not None]
    keys += ROW_KEYS if reading.page.rows else ()
    return QueueScreen(
        frame=replace(page.frame, keys=working(QUEUE_KEYS, keys)),
        now=reading.now,
        heading=heading,
        caption=heading,
        views=views,
        orders=_orders(links, place),
        sizes=_sizes(links, place),
        total=str(_TOTALS[place.view]).format(n=bounded(reading.size.count)),
        oldest_at=reading.size.oldest_at,
        promote=promote_offer(page.actor, "queue_read_only"),
        rows=tuple(
            report_row(row, reading.names, links, place, says_open=place.view is QueueView.ALL)
            for row in reading.page.rows
        ),
        empty=None if reading.page.rows else _empty(reading, links, place),
        pager=further,
    )


def promote_offer(actor: Actor, refusal: str) -> Offer:
    """Whether this person may promote, and the sentence that says why not."""
    allowed = policies.can_promote(actor).is_allowed
    reason = None if allowed else sentence(refusal)
    return Offer(label=sentence("correct_stay"), allowed=allowed, reason=reason)


def back_link(links: Links, place: Place) -> Link:
    """The way back to the page of the queue that somebody came from."""
    return Link(label=BACKS[place.view, place.order], url=links.reports(place), key="u")


def _views(links: Links, place: Place) -> tuple[Link, ...]:
    return tuple(
        Link(
            label=label,
            url=links.reports(replace(Place.of_view(view), size=place.size)),
            key=str(number),
            is_current=view is place.view,
        )
        for number, (view, label) in enumerate(_VIEWS.items(), 1)
    )


def _orders(links: Links, place: Place) -> tuple[Link, ...]:
    return tuple(
        Link(
            label=label,
            url=links.reports(replace(place.start, order=order)),
            is_current=order is place.order,
        )
        for order, label in _ORDERS.items()
    )


def _sizes(links: Links, place: Place) -> tuple[Link, ...]:
    return tuple(
        Link(
            label=str(size),
            url=links.reports(replace(place.start, size=size)),
            is_current=size == place.size,
        )
        for size in PAGE_SIZES
    )


def _empty(reading: QueueReading, links: Links, place: Place) -> Empty:
    if place.after is not None:
        start = Link(label=_("Back to start"), url=links.reports(place.start))
        return Empty(text=sentence("page_emptied"), links=(start,))
    if not reading.is_ever:
        return Empty(text=sentence("reports_never"), links=(Link(label=_("Help"), url=links.help),))
    everything = Link(label=_VIEWS[QueueView.ALL], url=links.reports(Place.of_view(QueueView.ALL)))
    return Empty(text=sentence(_EMPTY[place.view]), links=(everything,))


def _pager(reading: QueueReading, links: Links, place: Place) -> Pager:
    start = onward = None
    if place.after is not None and reading.page.rows:
        start = Link(label=_("Back to start"), url=links.reports(place.start))
    if reading.page.next is not None:
        following = replace(place, after=reading.page.next)
        onward = Link(label=_ONWARD[place.order], url=links.reports(following), key="n")
    return Pager(start=start, onward=onward)
