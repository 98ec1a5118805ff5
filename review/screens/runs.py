"""Screens of context runs, of records in trouble, and what both say of outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen
from review.screens.records import RecordScreen

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from review.messages import Sentence
    from review.screens.frame import (
        ActorLabel,
        Badge,
        Empty,
        Filters,
        FormProblem,
        Label,
        Link,
        Pager,
    )
    from review.screens.reports import IdEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomesPanel:
    """What became of the packs that held a record: words with counts, and what they make of it.

    Without anything that counts `counted` is None, and `utility` too; so it is where not all was
    looked at. `signals` says how many there are and of what
    they suspect the record, `signals_told` whether they take part in its utility.
    """

    words: tuple[Sentence, ...]
    signals: tuple[Sentence, ...] = ()
    signals_told: Sentence | None = None
    counted: Sentence | None = None
    utility: Sentence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunListRow:
    """A run in a list: when, by whom, how many items, what was said of it, the task's hash."""

    url: str
    at: datetime
    actor: ActorLabel
    items: int
    outcomes: tuple[Sentence, ...]
    task_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsScreen(Screen):
    """S16. `cut` says that a bounded scan ended the page."""

    now: datetime | None  # None: nothing was read
    filters: Filters
    problems: tuple[FormProblem, ...] = ()
    rows: tuple[RunListRow, ...]
    cut: Sentence | None = None
    empty: Empty | None = None
    pager: Pager | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A component of a score, in [0, 1], under the name of its column."""

    label: Label
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItemRow:
    """A record in a pack: as it was delivered, and by its badges how it stands now.

    `shares` are the components of the score, in the order of the columns; `formula` has them with
    six decimals, None where the run was ranked by another formula.
    """

    rank: int
    url: str
    subject: str
    predicate: str
    object: str
    badges: tuple[Badge, ...]
    score: float
    shares: tuple[Share, ...]
    formula: Sentence | None
    outcomes: tuple[Sentence, ...]
    doubt: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """One outcome: what was said of which item, or of the whole pack, by whom, when, and why."""

    said: Sentence
    reason_code: str | None
    at: datetime
    uncounted: Sentence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScreen(Screen):
    """S17. `erased` says how many items of this page are gone with their records."""

    now: datetime
    heading: Sentence
    actor: ActorLabel
    about: str | None
    budget: Sentence
    as_of: datetime
    task_hash: str
    items: tuple[RunItemRow, ...]
    is_reviewing: bool  # whether any row offers to report a doubt
    erased: Sentence | None = None
    empty: Empty | None = None
    pager: Pager | None = None
    whole: Sentence | None = None
    grades: tuple[Grade, ...]
    told: Sentence | None = None
    no_grades: Empty | None = None
    facts: tuple[IdEntry, ...]
    ids: tuple[IdEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleRow:
    """A record that clients complained of."""

    url: str
    subject: str
    predicate: str
    object: str
    status: Badge | None  # None: current
    incorrect: int
    harmful: int
    poison: int
    injection: int
    actors: int
    last_at: datetime
    open_reports: str
    reports_url: str
    doubt: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleScreen(Screen):
    """S18. Advice for reviewers, never a verdict."""

    now: datetime
    periods: tuple[Link, ...]
    closed: Link
    rows: tuple[TroubleRow, ...]
    is_reviewing: bool
    bound: Sentence
    cut: Sentence | None = None
    empty: Empty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """A pack that held a record: when, whose, where in it, at which version, what came back."""

    url: str
    at: datetime
    actor: ActorLabel
    rank: int
    score: float
    version: UUID
    is_older: bool
    outcomes: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRunsScreen(RecordScreen):
    """Tab Runs of a record, newest first."""

    rows: tuple[DeliveryRow, ...]
    empty: Empty | None = None
    pager: Pager | None = None
