"""Records in trouble (S18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from feedback.queries.trouble import NEWEST_OUTCOMES, TROUBLED_RECORDS
from memory.vocabulary import RecordStatus
from review import policies
from review.console.drawing.report_rows import STATUS_BADGES, bounded
from review.console.drawing.run import DOUBT_REASON
from review.messages import sentence
from review.screens import Empty, Link, TroubleRow, TroubleScreen

if TYPE_CHECKING:
    from feedback.queries import trouble
    from memory.actor import Actor
    from review.console.links import Links
    from review.queries.trouble import TroubleReading
    from review.screens import Frame

#: By what a doubt about a record that is only suspected words its note.
SUSPICION_REASON: Final = "suspicions"
PERIODS: Final = (30, 7, 90)  # days; the first is what people get unasked


def trouble_screen(
    reading: TroubleReading,
    *,
    frame: Frame,
    actor: Actor,
    links: Links,
    days: int,
    is_with_closed: bool,
) -> TroubleScreen:
    """What clients complained of in the last days."""
    may = policies.can_report(actor).is_allowed
    rows = tuple(_row(row, links, may=may) for row in reading.trouble.rows)
    return TroubleScreen(
        frame=frame,
        now=reading.now,
        periods=tuple(
            Link(
                label=ngettext("{n} day", "{n} days", period).format(n=period),
                url=links.trouble(period, is_with_closed=is_with_closed),
                is_current=period == days,
            )
            for period in sorted(PERIODS)
        ),
        closed=_closed(links, days, is_with_closed=is_with_closed),
        rows=rows,
        is_reviewing=any(row.doubt for row in rows),
        bound=sentence("trouble_bound", rows=TROUBLED_RECORDS, n=NEWEST_OUTCOMES),
        cut=sentence("trouble_cut") if rows and reading.trouble.is_cut else None,
        empty=None if rows else _empty(reading),
    )


def _empty(reading: TroubleReading) -> Empty:
    """Nothing is said to be there only where all of the period was looked at."""
    if reading.trouble.is_cut:
        return Empty(text=sentence("trouble_not_found", n=NEWEST_OUTCOMES))
    return Empty(text=sentence("trouble_empty"))


def _closed(links: Links, days: int, *, is_with_closed: bool) -> Link:
    label = _("Leave out closed records") if is_with_closed else _("Include closed records")
    return Link(label=label, url=links.trouble(days, is_with_closed=not is_with_closed))


def _row(row: trouble.TroubleRow, links: Links, *, may: bool) -> TroubleRow:
    is_current = row.status is RecordStatus.CURRENT
    reason = DOUBT_REASON if row.incorrect or row.harmful else SUSPICION_REASON
    doubt = Link(label=_("Report a doubt"), url=links.report_doubt(row.record_id, reason))
    return TroubleRow(
        url=links.record(row.record_id),
        subject=row.subject,
        predicate=row.predicate,
        object=row.object,
        status=None if is_current else STATUS_BADGES[row.status],
        incorrect=row.incorrect,
        harmful=row.harmful,
        poison=row.poison,
        injection=row.injection,
        actors=row.actors,
        last_at=row.last_at,
        open_reports=bounded(row.open_reports),
        reports_url=links.record(row.record_id, "reports"),
        doubt=doubt if may and is_current else None,
    )
