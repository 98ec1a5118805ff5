"""The pages of one record (S12): what all its tabs share, the tab Now, and its reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from review import policies
from review.console.drawing.outcomes import advice_panel
from review.console.drawing.report_rows import STATUS_BADGES, report_row
from review.console.drawing.situations import closed_sentence
from review.console.drawing.values import citation
from review.console.keys import RECORD_KEYS, ROW_KEYS, working
from review.messages import sentence
from review.screens import (
    Empty,
    IdEntry,
    Link,
    Offer,
    Pager,
    RecordHeader,
    RecordNowScreen,
    RecordReportsScreen,
)

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from memory.actor import Actor
    from memory.queries.records import RecordDetail
    from memory.queries.versions import VersionRow
    from review.console.links import Links
    from review.console.place import Place
    from review.queries.names import Names
    from review.queries.record import RecordReading, RecordReportsReading
    from review.screens import Frame
    from review.screens.frame import Label

_TABS: Final[tuple[tuple[str, Label, str], ...]] = (
    ("get", _("Now"), ""),
    ("reports", _("Reports"), ""),
    ("runs", _("Runs"), ""),
    ("signals", _("Signals"), ""),
    ("versions", _("Versions"), "v"),
    ("history", _("History"), "h"),
)
_TAB_KEYS: Final = ("u", "v", "h")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPage:
    """What every tab of a record is drawn with."""

    frame: Frame
    actor: Actor
    links: Links
    now: datetime
    record: RecordDetail
    names: Names
    open_item: UUID | None

    def framed(self, *keys: str) -> Frame:
        """The frame, with hints at the keys that every tab has and at these."""
        return replace(self.frame, keys=working(RECORD_KEYS, (*_TAB_KEYS, *keys)))


def now_screen(
    reading: RecordReading, page: RecordPage, *, start: str | None, onward: str | None
) -> RecordNowScreen:
    """The tab Now, or one old version; both say what the record always said."""
    rows = reading.citations.rows
    is_old = reading.version.number != page.record.version_number
    steps, further = _steps(page, reading.version), pager(_("Later citations"), start, onward)
    return RecordNowScreen(
        frame=page.framed("e", *(step.key for step in steps), *paging_keys(further)),
        now=page.now,
        header=header(page, reading.version),
        tabs=tabs(page, "versions" if is_old else "get"),
        steps=steps,
        statement=page.record.statement,
        outcomes=advice_panel(reading.advice) if reading.advice else None,
        citations=tuple(citation(row) for row in rows),
        citations_pager=further,
        empty=None if rows else Empty(text=sentence("citations_empty")),
    )


def reports_screen(
    reading: RecordReportsReading,
    page: RecordPage,
    *,
    place: Place,
    start: str | None,
    onward: str | None,
) -> RecordReportsScreen:
    """The tab Reports: all of them with their outcome."""
    rows = tuple(
        report_row(row, page.names, page.links, place, says_open=True) for row in reading.page.rows
    )
    empty = None if rows or start else Empty(text=sentence("record_reports_empty"))
    further = pager(_("Older reports"), start, onward)
    return RecordReportsScreen(
        frame=page.framed(*(ROW_KEYS if rows else ()), *paging_keys(further)),
        now=page.now,
        header=header(page),
        tabs=tabs(page, "reports"),
        rows=rows,
        empty=empty or (None if rows else Empty(text=sentence("page_emptied"))),
        pager=further,
    )


def header(page: RecordPage, version: VersionRow | None = None) -> RecordHeader:
    """What stands above every tab; of one version where one is given, else of the newest."""
    record = page.record
    state = version or record
    is_old = version is not None and version.number != record.version_number
    return RecordHeader(
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        status=STATUS_BADGES[state.status],
        version_number=record.version_number if version is None else version.number,
        version=record.version if version is None else version.id,
        trust=str(record.trust.label),
        confidence=f"{record.confidence:g}",
        kind=record.kind,
        valid_from=state.valid.start,
        valid_until=state.valid.until,
        known_from=state.known.start,
        known_until=state.known.until,
        about=record.data_subject,
        closed=None if record.is_current else closed_sentence(record, page.names, "record"),
        successor=_linked(page, _("Open the record that replaced it"), record.replaced_by),
        predecessor=_linked(page, _("The record before it"), record.replaces),
        old_version=sentence("old_version") if is_old else None,
        report=_report_offer(page.actor) if record.is_current and not is_old else None,
        report_url=page.links.report_doubt(record.id),
        suspected=_suspected(page),
        ids=_ids(record),
    )


def _suspected(page: RecordPage) -> Link | None:
    if page.open_item is None:
        return None
    return Link(label=_("Who suspects it"), url=page.links.integrity_item(page.open_item))


def _report_offer(actor: Actor) -> Offer:
    """Whether this person may report a doubt, and the sentence that says why not."""
    allowed = policies.can_report(actor).is_allowed
    reason = None if allowed else sentence("report_read_only")
    return Offer(label=sentence("doubt_link"), allowed=allowed, reason=reason)


def tabs(page: RecordPage, current: str) -> tuple[Link, ...]:
    """The tabs. On the history its key moves within the page."""
    return tuple(
        Link(
            label=label,
            url=page.links.record(page.record.id, tab),
            key="" if tab == current == "history" else key,
            is_current=tab == current,
        )
        for tab, label, key in _TABS
    )


def pager(onward_label: Label, start: str | None, onward: str | None) -> Pager:
    """Back to the start of a tab and on, where there is somewhere to go."""
    return Pager(
        start=Link(label=_("Back to start"), url=start) if start else None,
        onward=Link(label=onward_label, url=onward, key="n") if onward else None,
    )


def paging_keys(further: Pager) -> tuple[str, ...]:
    """The key of the next page, where there is one."""
    return (further.onward.key,) if further.onward else ()


def _linked(page: RecordPage, label: Label, record_id: UUID | None) -> Link | None:
    return None if record_id is None else Link(label=label, url=page.links.record(record_id))


def _steps(page: RecordPage, version: VersionRow) -> tuple[Link, ...]:
    """From an old version to those beside it, and to the newest."""
    record, number = page.record, version.number
    if number == record.version_number:
        return ()
    is_last_but_one = number + 1 == record.version_number
    newest = page.links.record(record.id)
    steps = [Link(label=_("The record as it is"), url=newest, key="]" if is_last_but_one else "")]
    if not is_last_but_one:
        url = page.links.version(record.id, number + 1)
        steps.append(Link(label=_("Newer version"), url=url, key="]"))
    if number > 1:
        url = page.links.version(record.id, number - 1)
        steps.append(Link(label=_("Older version"), url=url, key="["))
    return tuple(steps)


def _ids(record: RecordDetail) -> tuple[IdEntry, ...]:
    ids: list[tuple[Label, object]] = [
        (_("Record"), record.id),
        (_("Version now"), record.version),
        (_("The record before it"), record.replaces),
        (_("The record that replaced it"), record.replaced_by),
    ]
    return tuple(IdEntry(label=label, value=str(value)) for label, value in ids if value)
