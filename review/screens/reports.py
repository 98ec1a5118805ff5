"""Screens of the queue, of one report, and of what a promotion may lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from review.changes import ChangeTable
    from review.messages import Sentence
    from review.screens.frame import (
        ActorLabel,
        Badge,
        Empty,
        Filters,
        Label,
        Link,
        Notice,
        Offer,
        Pager,
    )
    from review.screens.runs import OutcomesPanel


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """A report in a list. `badges` say its state, first of all what it proposes."""

    url: str
    proposes: Badge
    note: str
    subject: str
    predicate: str
    object: str
    proposed_object: str | None
    reporter: ActorLabel
    recorded_at: datetime
    badges: tuple[Badge, ...] = ()
    outcome: Sentence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueScreen(Screen):
    """S6. `promote` is an offer without a button: a reader reads its reason above the list."""

    now: datetime
    heading: Label
    caption: Label
    views: tuple[Link, ...]
    orders: tuple[Link, ...]
    sizes: tuple[Link, ...] = ()  # rows of a page
    total: str = ""  # bounded count of the view, with its word: "128 open"
    oldest_at: datetime | None = None
    promote: Offer
    filters: Filters | None = None
    rows: tuple[ReportRow, ...]
    empty: Empty | None = None
    pager: Pager | None = None

    @property
    def has_states(self) -> bool:
        """Whether any row has something to say in the column State."""
        return any(row.badges or row.outcome for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteForm:
    """The one form that promotes: a correction by one submit, or the confirmed retraction.

    It posts `expected_version` (of the record row that drew this very page), `form_key`, `from`,
    and `then` by the button pressed: `next` or `stay`.
    """

    action: str
    expected_version: UUID
    form_key: UUID
    origin: str
    next_label: Sentence
    stay_label: Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A cited span. `text` is the message, or a stretch of it; the offsets count its bytes."""

    relation: str
    source_kind: str
    source_type: str
    source_ref: str | None
    role: str
    occurred_at: datetime | None
    recorded_at: datetime
    text: str
    byte_start: int
    byte_end: int
    is_complete: bool = True
    source: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiblingReport:
    """Another open report on the same record."""

    url: str
    proposes: Badge
    proposed_object: str | None
    note: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a record's history: what happened and by whom, when, and where to read it."""

    happened: Sentence  # one of the `event_*` messages
    at: datetime
    link: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdEntry:
    """A full id for the fold "Ids and versions"."""

    label: Label
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportScreen(Screen):
    """S8. `form` for a correction, `confirm` (a link) for a retraction, neither when it is over.

    `situation` says that the record moved, that the target is closed, or what came of it.
    """

    now: datetime
    subject: str
    predicate: str
    badges: tuple[Badge, ...]
    note: str
    reporter: ActorLabel
    reporting_subject: str | None = None
    recorded_at: datetime
    situation: Notice | None = None
    change: ChangeTable | None = None
    version_number: int
    version: UUID
    promote: Offer
    form: PromoteForm | None = None
    confirm: Link | None = None
    credit: Sentence | None = None
    skip: Link | None = None
    previous: Link | None = None
    statement: str
    record: Link
    citations: tuple[Citation, ...]
    siblings: tuple[SiblingReport, ...] = ()
    siblings_total: str = "0"
    all_reports: Link | None = None
    outcomes: OutcomesPanel
    history: tuple[Event, ...]
    ids: tuple[IdEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRetractionScreen(Screen):
    """S9, the page before a retraction. `change` strikes the whole record."""

    subject: str
    predicate: str
    change: ChangeTable
    version_number: int
    version: UUID
    form: PromoteForm
    cancel: Link


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One state in the comparison of a conflict: what was seen, what is now, what is proposed."""

    label: Label
    version_number: int | None
    version: UUID | None
    object: str | None  # None: retracted, or to be retracted
    statement: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictScreen(Screen):
    """E1 with a fresh form (or, for a retraction, the link to confirm it), E2 without."""

    subject: str
    predicate: str
    heading: Sentence
    detail: Sentence
    sides: tuple[ConflictSide, ...]
    form: PromoteForm | None = None
    confirm: Link | None = None
    credit: Sentence | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyPromotedScreen(Screen):
    """E3: what came of it, and on to the next report. No form."""

    subject: str
    predicate: str
    heading: Sentence
    people: Sentence | None = None
    next_report: Link
    links: tuple[Link, ...] = ()
