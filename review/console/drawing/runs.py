"""The list of context runs (S16), and the packs that held a record (tab of S12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from memory.vocabulary import SCANNED_ROWS
from review.console.drawing.outcomes import counted_words
from review.console.drawing.record import header, pager, paging_keys, tabs
from review.console.keys import ROW_KEYS
from review.messages import sentence
from review.screens import (
    DeliveryRow,
    Empty,
    Link,
    RecordRunsScreen,
    RunListRow,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from feedback.queries import runs
    from memory.paging import Page
    from review.console.drawing.record import RecordPage
    from review.console.links import Links
    from review.queries.names import Names
    from review.queries.record import RecordRunsReading

_HASH_CHARACTERS: Final = 12


def task_hash(run: runs.RunRow) -> str:
    """The beginning of the task's keyed digest; its text was never kept."""
    return run.task_digest.hex()[:_HASH_CHARACTERS]


def run_row(run: runs.RunRow, names: Names, links: Links, origin: str) -> RunListRow:
    """A run in the list; `origin` is the page of the list, to come back to."""
    return RunListRow(
        url=links.run(run.id, origin=origin),
        at=run.recorded_at,
        actor=names.author(run),
        items=run.selected_items,
        outcomes=counted_words(run.outcomes),
        task_hash=task_hash(run),
    )


def runs_empty(page: Page[runs.RunRow], query: Mapping[str, str], links: Links) -> Empty:
    """Why the list has no row: nothing found yet, nothing left on this page, nothing at all."""
    if page.next is not None:
        return Empty(text=sentence("scan_stopped_runs", n=SCANNED_ROWS))
    if "after" in query:
        start = {name: value for name, value in query.items() if name != "after"}
        way = Link(label=_("Back to start"), url=links.runs(start))
        return Empty(text=sentence("page_emptied"), links=(way,))
    clear = Link(label=_("Clear filters"), url=links.runs())
    return Empty(text=sentence("runs_empty"), links=(clear,) if query else ())


def record_runs_screen(
    reading: RecordRunsReading, page: RecordPage, *, start: str | None, onward: str | None
) -> RecordRunsScreen:
    """The tab Runs: the packs that held the record, newest first."""
    rows = tuple(_delivery(row, reading, page) for row in reading.page.rows)
    empty = None if rows or start else Empty(text=sentence("record_runs_empty"))
    further = pager(_("Older runs"), start, onward)
    return RecordRunsScreen(
        frame=page.framed(*(ROW_KEYS if rows else ()), *paging_keys(further)),
        now=page.now,
        header=header(page),
        tabs=tabs(page, "runs"),
        rows=rows,
        empty=empty or (None if rows else Empty(text=sentence("page_emptied"))),
        pager=further,
    )


def _delivery(row: runs.DeliveryRow, reading: RecordRunsReading, page: RecordPage) -> DeliveryRow:
    outcomes = reading.outcomes.get(row.run_id, {})
    return DeliveryRow(
        url=_run_of(row.run_id, page),
        at=row.recorded_at,
        actor=page.names.author(row),
        rank=row.rank,
        score=row.score,
        version=row.record_version,
        is_older=row.record_version != page.record.version,
        outcomes=counted_words(outcomes),
    )


def _run_of(run_id: UUID, page: RecordPage) -> str:
    return page.links.run(run_id)
