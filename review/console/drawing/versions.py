"""The tabs of a record that tell its past: versions, comparison, history."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from memory.queries.versions import VersionRow as Version
from memory.vocabulary import RecordChange
from review.changes import compare
from review.console.drawing.events import Timeline, changes_in
from review.console.drawing.record import header, pager, paging_keys, tabs
from review.console.drawing.values import state_of_linked, state_of_version
from review.console.keys import ROW_KEYS
from review.messages import sentence
from review.queries.record import PREDECESSOR, SUCCESSOR
from review.screens import (
    Link,
    RecordCompareScreen,
    RecordHistoryScreen,
    RecordVersionsScreen,
    VersionRow,
)

if TYPE_CHECKING:
    from memory.queries.chain import LinkedRecord
    from review.changes import RecordValues
    from review.console.drawing.record import RecordPage
    from review.console.place import Place
    from review.messages import Sentence
    from review.queries.record import (
        Choice,
        ComparisonReading,
        HistoryReading,
        VersionsReading,
    )
    from review.screens.frame import Label

_CHANGED: Final = {
    RecordChange.ASSERT: _("Asserted"),
    RecordChange.CORRECT: _("Corrected"),
    RecordChange.RETRACT: _("Retracted"),
}


def versions_screen(
    reading: VersionsReading, page: RecordPage, *, start: str | None, onward: str | None
) -> RecordVersionsScreen:
    """The versions of a record between the records before and after it, newest first."""
    rows = [_own(version, page) for version in reading.versions.rows]
    if reading.chain.successor is not None and start is None:
        rows.insert(0, _linked(reading.chain.successor, SUCCESSOR, page))
    if reading.chain.predecessor is not None and onward is None:
        rows.append(_linked(reading.chain.predecessor, PREDECESSOR, page))
    further = pager(_("Older versions"), start, onward)
    comparisons = (way.key for row in rows for way in row.compare)
    return RecordVersionsScreen(
        frame=page.framed(*ROW_KEYS, *comparisons, *paging_keys(further)),
        now=page.now,
        header=header(page),
        tabs=tabs(page, "versions"),
        rows=_with_newest_chosen(rows),
        compare_url=page.links.record(page.record.id, "compare"),
        pager=further,
    )


def _with_newest_chosen(rows: list[VersionRow]) -> tuple[VersionRow, ...]:
    """The rows with the two newest ones chosen for the comparison."""
    return tuple(
        replace(row, is_to=place == 0, is_from=place == min(1, len(rows) - 1))
        for place, row in enumerate(rows)
    )


def compare_screen(
    reading: ComparisonReading, page: RecordPage, older: Choice, newer: Choice
) -> RecordCompareScreen:
    """Two states side by side, the earlier one first."""
    versions = page.links.record(page.record.id, "versions")
    return RecordCompareScreen(
        frame=page.framed(),
        now=page.now,
        header=header(page),
        tabs=tabs(page, "versions"),
        heading=_heading(older, newer),
        change=compare(_state(page, reading.older), _state(page, reading.newer)),
        steps=(Link(label=_("Back to the versions"), url=versions),),
    )


def history_screen(
    reading: HistoryReading,
    page: RecordPage,
    *,
    place: Place,
    start: str | None,
    onward: str | None,
) -> RecordHistoryScreen:
    """What happened to a record, newest first."""
    timeline = Timeline(
        record=page.record,
        promotions=reading.promotions,
        names=page.names,
        links=page.links,
        place=place,
    )
    further = pager(_("Earlier events"), start, onward)
    return RecordHistoryScreen(
        frame=page.framed(*paging_keys(further)),
        now=page.now,
        header=header(page),
        tabs=tabs(page, "history"),
        events=timeline.events(
            changes_in(reading.versions, page.names), reading.reports, reading.deliveries
        ),
        pager=further,
    )


def in_order(older: Choice, newer: Choice) -> tuple[Choice, Choice]:
    """Two choices with the earlier state first, whichever way they were chosen."""
    return (newer, older) if _rank(newer) < _rank(older) else (older, newer)


def _rank(choice: Choice) -> float:
    return {PREDECESSOR: 0.0, SUCCESSOR: inf}[choice] if isinstance(choice, str) else choice


def _heading(older: Choice, newer: Choice) -> Sentence:
    match older, newer:
        case int(), int():
            return sentence("compare_heading", m=older, n=newer)
        case str(), int():
            return sentence("compare_heading_before", n=newer)
        case int(), str():
            return sentence("compare_heading_after", m=older)
        case _:
            return sentence("compare_heading_around")


def _state(page: RecordPage, state: Version | LinkedRecord) -> RecordValues:
    if isinstance(state, Version):
        return state_of_version(page.record, state)
    return state_of_linked(state)


def _own(version: Version, page: RecordPage) -> VersionRow:
    """A version of the record itself."""
    record, number = page.record, version.number
    ways = []
    if number < record.version_number:
        ways.append(_comparison(page, _("Compare with current"), number, record.version_number))
    if number > 1:
        key = "d" if number == record.version_number else ""
        ways.append(_comparison(page, _("Compare with previous"), number - 1, number, key))
    return VersionRow(
        number=number,
        version=version.id,
        choice=str(number),
        from_label=sentence("compare_from", n=number),
        to_label=sentence("compare_to", n=number),
        url=page.links.version(record.id, number),
        changed=_CHANGED[RecordChange(version.change)],
        object=record.object,
        actor=page.names.author(version),
        begins_at=version.recorded_at,
        ends_at=version.ended_at,
        compare=tuple(ways),
    )


def _linked(linked: LinkedRecord, side: str, page: RecordPage) -> VersionRow:
    """The record before or after, as a row that leads to its own versions."""
    record = page.record
    if side == SUCCESSOR:
        name, changed = _("The record that replaced it"), _("Took its place")
        way = _comparison(page, _("Compare with this record"), record.version_number, SUCCESSOR)
    else:
        name, changed = _("The record before it"), _("Replaced by this record")
        way = _comparison(page, _("Compare with this record"), PREDECESSOR, 1)
    return VersionRow(
        number=linked.version_number,
        version=linked.version,
        choice=side,
        from_label=sentence(f"compare_from_{side}"),
        to_label=sentence(f"compare_to_{side}"),
        relation=name,
        url=page.links.record(linked.id, "versions"),
        changed=changed,
        object=linked.object,
        actor=page.names.author(linked),
        begins_at=linked.known_from,
        ends_at=linked.known_until,
        compare=(way,),
    )


def _comparison(
    page: RecordPage, label: Label, older: Choice, newer: Choice, key: str = ""
) -> Link:
    query = {"from": str(older), "to": str(newer)}
    return Link(label=label, url=page.links.record(page.record.id, "compare", **query), key=key)
