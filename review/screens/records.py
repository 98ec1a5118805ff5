"""Screens of one record: now, versions, compare, history, reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from review.changes import ChangeTable
    from review.messages import Sentence
    from review.screens.frame import ActorLabel, Badge, Empty, Label, Link, Offer, Pager
    from review.screens.reports import Citation, Event, IdEntry, ReportRow
    from review.screens.runs import OutcomesPanel


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHeader:
    """What all tabs of a record show. `successor` leads to the record that replaced it.

    A `report` is offered on a current record; `report_url` is where its form stands. `suspected`
    leads to the record's integrity item while that is open.
    """

    subject: str
    predicate: str
    object: str
    status: Badge
    version_number: int
    version: UUID
    trust: str
    confidence: str
    kind: str
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime
    known_until: datetime | None
    about: str | None = None
    closed: Sentence | None = None
    successor: Link | None = None
    predecessor: Link | None = None
    old_version: Sentence | None = None
    report: Offer | None = None
    report_url: str = ""
    suspected: Link | None = None
    ids: tuple[IdEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordScreen(Screen):
    """S12, whatever the tab. `steps` are links to the older and the newer version."""

    now: datetime
    header: RecordHeader
    tabs: tuple[Link, ...]
    steps: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordNowScreen(RecordScreen):
    """Tab Now, also for one old version."""

    statement: str
    outcomes: OutcomesPanel | None = None  # None on an old version
    citations: tuple[Citation, ...]
    citations_pager: Pager | None = None
    empty: Empty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A version: what made it, by whom, from when to when, and what to compare it with.

    `relation` names the record before or after this one, where the row stands for that. `choice`
    is what the two radio buttons of the row send.
    """

    number: int
    version: UUID
    choice: str
    from_label: Sentence
    to_label: Sentence
    relation: Label = ""
    url: str
    changed: Label
    object: str
    actor: ActorLabel
    begins_at: datetime
    ends_at: datetime | None
    is_from: bool = False
    is_to: bool = False
    compare: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordVersionsScreen(RecordScreen):
    """Tab Versions: a GET form with the radio groups `from` and `to`."""

    rows: tuple[VersionRow, ...]
    compare_url: str
    pager: Pager | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCompareScreen(RecordScreen):
    """Two versions of a record side by side, or a record and the one before or after it."""

    heading: Sentence
    change: ChangeTable


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHistoryScreen(RecordScreen):
    """Tab History, newest first."""

    events: tuple[Event, ...]
    pager: Pager | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReportsScreen(RecordScreen):
    """Tab Reports: all reports on the record with their outcome."""

    rows: tuple[ReportRow, ...]
    empty: Empty | None = None
    pager: Pager | None = None
