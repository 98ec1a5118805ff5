"""Addresses below a project, and what stands in their query strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from review.console.visit import project_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from review.console.place import Place

_SALT: Final = "errata.decided.1"


@dataclass(frozen=True, slots=True)
class JustDecided:
    """The promotion that led to a page: which report, and how many others lost their target.

    Travels in the address as ids and a number, so no text of a notice lies in a session.
    """

    report_id: UUID
    others: int

    def sign(self, project_id: UUID) -> str:
        """The parameter `decided`."""
        return _signer(project_id).sign(f"{self.report_id.hex}~{self.others}")


def just_decided(request: HttpRequest, project_id: UUID) -> JustDecided | None:
    """What the parameter `decided` says; None without one, and for one that is not ours."""
    try:
        report_id, others = _signer(project_id).unsign(request.GET.get("decided", "")).split("~")
    except BadSignature:
        return None
    return JustDecided(UUID(hex=report_id), int(others))


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses of one project, by what they lead to."""

    project: str
    project_id: UUID

    @property
    def help(self) -> str:
        """What the words mean."""
        return reverse("review:help")

    def reports(self, place: Place, decided: JustDecided | None = None) -> str:
        """A page of the queue."""
        query = place.query(self.project_id) | self._decided(decided)
        return reverse("review:report-list", args=[self.project], query=query)

    def report(self, report_id: UUID, place: Place, decided: JustDecided | None = None) -> str:
        """A report as a report of the view that somebody came from."""
        query = self._from(place) | self._decided(decided)
        return reverse("review:report-get", args=[self.project, report_id], query=query)

    def promote(self, report_id: UUID) -> str:
        """Where the form that promotes goes."""
        return reverse("review:report-promote", args=[self.project, report_id])

    def retract(self, report_id: UUID, version: UUID, place: Place) -> str:
        """The page that asks before a retraction, for the version that somebody saw."""
        query = {"v": str(version)} | self._from(place)
        return reverse("review:report-retract", args=[self.project, report_id], query=query)

    def record(self, record_id: UUID, tab: str = "get", **query: str | None) -> str:
        """A tab of a record: `get`, or `reports`, `runs`, `signals`, `versions`, `compare` ..."""
        given = {name: value for name, value in query.items() if value is not None}
        return reverse(f"review:record-{tab}", args=[self.project, record_id], query=given)

    def report_doubt(self, record_id: UUID, reason: str = "") -> str:
        """The form of a doubt about a record; with a reason the server words the note by it."""
        query = {"reason": reason} if reason else {}
        return reverse("review:record-report", args=[self.project, record_id], query=query)

    def runs(self, query: Mapping[str, str] | None = None) -> str:
        """A page of the list of context runs."""
        return reverse("review:run-list", args=[self.project], query=query or {})

    def run(self, run_id: UUID, *, origin: str = "", after_rank: int = 0) -> str:
        """A context run, as one of the list that somebody came from."""
        query = {"from": origin} if origin else {}
        query |= {"after": str(after_rank)} if after_rank else {}
        return reverse("review:run-get", args=[self.project, run_id], query=query)

    def trouble(self, days: int, *, is_with_closed: bool = False) -> str:
        """The records in trouble."""
        query = {"days": str(days)} | ({"closed": "show"} if is_with_closed else {})
        return reverse("review:trouble-list", args=[self.project], query=query)

    def integrity(self, query: Mapping[str, str] | None = None) -> str:
        """A page of the list of suspected records."""
        return reverse("review:integrity-list", args=[self.project], query=query or {})

    def integrity_item(self, item_id: UUID, *, origin: str = "") -> str:
        """A suspected record, as one of the list that somebody came from."""
        query = {"from": origin} if origin else {}
        return reverse("review:integrity-get", args=[self.project, item_id], query=query)

    def integrity_form(self, item_id: UUID, verb: str) -> str:
        """Where the forms on it go: `decide` or `reopen`."""
        return reverse(f"review:integrity-{verb}", args=[self.project, item_id])

    def version(self, record_id: UUID, number: int, after: str | None = None) -> str:
        """A record in one of its versions."""
        query = {"after": after} if after else {}
        return reverse("review:record-version", args=[self.project, record_id, number], query=query)

    def _from(self, place: Place) -> dict[str, str]:
        origin = place.sign(self.project_id)
        return {"from": origin} if origin else {}

    def _decided(self, decided: JustDecided | None) -> dict[str, str]:
        return {"decided": decided.sign(self.project_id)} if decided else {}


def links_of(request: HttpRequest) -> Links:
    """The addresses of the project that a request is in."""
    project = project_of(request)
    return Links(project.name, project.project_id)


def _signer(project_id: UUID) -> Signer:
    return Signer(sep=".", salt=f"{_SALT}:{project_id}")
