"""The names of those who acted, for the sentences and tables of a screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from memory.queries.members import list_actor_labels
from memory.vocabulary import ActorKind, Edge
from review.screens import ActorLabel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from feedback.queries.reports import ReportRow
    from memory.actor import Actor
    from memory.queries.records import RecordDetail

_SHORT = 8  # characters of an id that stand for a name which is gone


class Authored(Protocol):
    """A row that somebody recorded."""

    @property
    def recorded_by(self) -> UUID:
        """Their id."""

    @property
    def recorded_by_kind(self) -> str:
        """Person or credential."""

    @property
    def recorded_via(self) -> str:
        """The edge."""


@dataclass(frozen=True, slots=True)
class Names:
    """What to call actors, by id."""

    by_id: Mapping[UUID, str]

    def label(self, actor_id: UUID, kind: str, edge: str) -> ActorLabel:
        """Who acted and through which edge; the start of the id where no name is left."""
        name = self.by_id.get(actor_id, str(actor_id)[:_SHORT])
        return ActorLabel(label=name, kind=ActorKind(kind), edge=Edge(edge))

    def author(self, row: Authored) -> ActorLabel:
        """Who recorded a row."""
        return self.label(row.recorded_by, row.recorded_by_kind, row.recorded_via)

    def promoter(self, report: ReportRow) -> ActorLabel:
        """Who promoted a report. Raises LookupError for one that is open."""
        promotion = report.promotion
        if promotion is None:
            raise LookupError("nobody promoted an open report")
        return self.label(promotion.promoted_by, promotion.promoted_by_kind, promotion.promoted_via)

    def closer(self, record: RecordDetail) -> ActorLabel:
        """Who closed a record. Raises LookupError for one that is current."""
        closing = record.retraction
        if closing is None:
            raise LookupError("nobody closed a current record")
        return self.label(closing.principal_id, closing.principal_kind, closing.principal_via)


def names_in(
    actor: Actor,
    *,
    reports: Iterable[ReportRow] = (),
    records: Iterable[RecordDetail] = (),
    others: Iterable[Authored | None] = (),
    ids: Iterable[UUID] = (),
) -> Names:
    """The names of everybody in these rows, and of these ids. At most one statement."""
    wanted = {*ids, *(row.recorded_by for row in others if row is not None)}
    for report in reports:
        wanted |= {report.recorded_by}
        wanted |= {report.promotion.promoted_by} if report.promotion else set()
    for record in records:
        wanted |= {record.recorded_by}
        wanted |= {record.retraction.principal_id} if record.retraction else set()
    found = list_actor_labels(actor.project_id, wanted)
    return Names({actor_id: label.name for actor_id, label in found.items()})
