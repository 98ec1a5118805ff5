"""The screen of a doubt about a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen

if TYPE_CHECKING:
    from uuid import UUID

    from django.forms import BaseForm

    from review.messages import Sentence
    from review.screens.frame import Badge, FormProblem, Link


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """The form of a doubt about exactly this version of a record."""

    action: str
    expected_version: UUID
    form_key: UUID
    fields: BaseForm
    label: Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRecord:
    """A record as the page of a doubt prints it."""

    status: Badge
    object: str
    statement: str
    version_number: int
    version: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtScreen(Screen):
    """S13, and E5 where `conflict` is given. `record` is what a form here is about.

    Without a form, which only a current record has, `note` and `proposed_object` hold what was
    typed into one.
    """

    subject: str
    predicate: str
    record: SaidRecord
    conflict: Sentence | None = None
    closed: Sentence | None = None
    form: ReportForm | None = None
    problems: tuple[FormProblem, ...] = ()
    note: str = ""
    proposed_object: str = ""
    links: tuple[Link, ...] = ()
