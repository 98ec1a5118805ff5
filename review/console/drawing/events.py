"""What happened to a record, as a timeline: made, doubted, delivered, corrected, retracted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from memory.vocabulary import RecordChange
from review.messages import sentence
from review.screens import ActorLabel, Event, Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from feedback.queries.reports import ReportRow
    from feedback.queries.runs import DeliveryRow
    from memory.queries.records import RecordDetail
    from memory.queries.versions import VersionRow
    from review.console.links import Links
    from review.console.place import Place
    from review.queries.names import Names
    from review.screens.frame import Label


@dataclass(frozen=True, slots=True)
class Change:
    """A moment at which a record began or ended."""

    at: datetime
    change: RecordChange
    actor: ActorLabel
    is_beginning: bool


def changes_of(record: RecordDetail, names: Names) -> list[Change]:
    """How a record began and, if it did, ended; told by the record alone."""
    began_as = RecordChange.CORRECT if record.replaces else RecordChange.ASSERT
    changes = [Change(record.recorded_at, began_as, names.author(record), is_beginning=True)]
    if record.retraction is not None:
        ended_as = RecordChange.CORRECT if record.replaced_by else RecordChange.RETRACT
        closer = names.closer(record)
        changes.append(Change(record.retraction.retracted_at, ended_as, closer, is_beginning=False))
    return changes


def changes_in(versions: Iterable[VersionRow], names: Names) -> list[Change]:
    """The same told by a record's versions."""
    return [
        Change(
            version.recorded_at,
            RecordChange(version.change),
            names.author(version),
            is_beginning=version.number == 1,
        )
        for version in versions
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Makes the events of one record."""

    record: RecordDetail
    promotions: Iterable[ReportRow]
    names: Names
    links: Links
    place: Place
    here: UUID | None = None  # the report whose page this is: no link to itself

    def events(
        self,
        changes: Iterable[Change],
        reports: Iterable[ReportRow],
        deliveries: Iterable[DeliveryRow] = (),
    ) -> tuple[Event, ...]:
        """Changes, doubts and packs together, newest first."""
        events = [self._changed(change) for change in changes]
        events += [self._doubted(report) for report in reports]
        events += [self._delivered(delivery) for delivery in deliveries]
        return tuple(sorted(events, key=attrgetter("at"), reverse=True))

    def _doubted(self, report: ReportRow) -> Event:
        return Event(
            happened=sentence("event_reported", actor=self.names.author(report)),
            at=report.recorded_at,
            link=self._report(report.id),
        )

    def _delivered(self, delivery: DeliveryRow) -> Event:
        happened = sentence("event_delivered", actor=self.names.author(delivery), n=delivery.rank)
        link = Link(label=_("The context run"), url=self.links.run(delivery.run_id))
        return Event(happened=happened, at=delivery.recorded_at, link=link)

    def _changed(self, change: Change) -> Event:
        promotion = self._promotion_behind(change)
        word = {
            RecordChange.ASSERT: "asserted",
            RecordChange.CORRECT: "corrected",
            RecordChange.RETRACT: "retracted",
        }[change.change]
        if promotion is None:
            happened = sentence(f"event_{word}", actor=change.actor)
        else:
            happened = sentence(
                f"event_promoted_{word}",
                reporter=self.names.author(promotion),
                promoter=self.names.promoter(promotion),
            )
        return Event(happened=happened, at=change.at, link=self._link_behind(change, promotion))

    def _promotion_behind(self, change: Change) -> ReportRow | None:
        """The promoted report that made the record, or closed it; None for a change without one."""
        for report in self.promotions:
            made = report.replacement_record_id if change.is_beginning else report.record_id
            if made == self.record.id and change.change is not RecordChange.ASSERT:
                return report
        return None

    def _link_behind(self, change: Change, promotion: ReportRow | None) -> Link | None:
        if change.is_beginning and self.record.replaces:
            return self._record(_("The record it replaced"), self.record.replaces)
        if not change.is_beginning and self.record.replaced_by:
            return self._record(_("The record that replaced it"), self.record.replaced_by)
        return None if promotion is None else self._report(promotion.id)

    def _report(self, report_id: UUID) -> Link | None:
        if report_id == self.here:
            return None
        return Link(label=_("The report"), url=self.links.report(report_id, self.place))

    def _record(self, label: Label, record_id: UUID) -> Link:
        return Link(label=label, url=self.links.record(record_id))
