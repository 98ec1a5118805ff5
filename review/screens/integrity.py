"""Screens of suspected records, and of what clients say of one record by signals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen
from review.screens.records import RecordScreen

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from django.forms import BaseForm

    from review.messages import Sentence
    from review.screens.frame import (
        ActorLabel,
        Badge,
        Empty,
        Filters,
        FormProblem,
        Link,
        Notice,
        Pager,
    )
    from review.screens.reports import IdEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderRow:
    """What one sender says of a record, summed: fifty signals of one key are one voice."""

    actor: ActorLabel
    signals: int
    reward: str | None  # None: no reward was sent
    poison: int
    injection: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSignalsScreen(RecordScreen):
    """Tab Signals of a record, by sender, the latest first."""

    facts: tuple[IdEntry, ...]
    told: Sentence
    senders: tuple[SenderRow, ...]
    cut: Sentence | None = None
    empty: Empty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityRow:
    """A suspected record in the list: of what, by how many, since when, and what came of it."""

    url: str
    subject: str
    predicate: str
    object: str
    status: Badge | None  # None: current
    suspicions: tuple[Sentence, ...]
    first_at: datetime | None
    last_at: datetime | None
    state: Badge


@dataclass(frozen=True, slots=True, kw_only=True)
class UnboundSender:
    """How many signals of one sender named no record of the project."""

    said: Sentence
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityScreen(Screen):
    """S19, the list. `cut` says that a bounded scan ended the page."""

    now: datetime | None  # None: nothing was read
    filters: Filters
    problems: tuple[FormProblem, ...] = ()
    rows: tuple[IntegrityRow, ...]
    cut: Sentence | None = None
    empty: Empty | None = None
    pager: Pager | None = None
    unbound: tuple[UnboundSender, ...] = ()
    unbound_hint: Sentence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspicionEvent:
    """One signal that suspects the record: who, of what, in which session, which version."""

    said: Sentence
    session: Sentence | None
    version: UUID | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemForm:
    """A form that decides an item as it was drawn: it posts the state seen, a key, `from`.

    `decision` tells the two forms apart that go to one address; a report is about the very
    version that the page prints.
    """

    action: str
    form_key: UUID
    seen: str
    origin: str
    hint: Sentence
    label: Sentence
    decision: str = ""
    expected_version: UUID | None = None
    fields: BaseForm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrityItemScreen(Screen):
    """S19, one item; also as it answers a form that was not taken.

    An open item has `no_concern` and, about a current record, `report`; a decided one `reopen`;
    none of them for who may not decide. Where the form is gone, `note`, `proposed_object` and
    `reason` hold what was typed into it.
    """

    now: datetime
    subject: str
    predicate: str
    object: str
    statement: str
    version_number: int
    version: UUID
    status: Badge
    state: Badge
    record: Link
    conflict: Sentence | None = None
    problems: tuple[FormProblem, ...] = ()
    decided: Notice | None = None
    decided_reason: str = ""
    closed: Sentence | None = None
    senders: tuple[SenderRow, ...]
    suspicions: tuple[SuspicionEvent, ...]
    told: Sentence | None = None
    no_concern: ItemForm | None = None
    report: ItemForm | None = None
    reopen: ItemForm | None = None
    read_only: Sentence | None = None
    reason: str = ""
    note: str = ""
    proposed_object: str = ""
    ids: tuple[IdEntry, ...] = ()
