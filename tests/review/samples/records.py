"""Made-up screens of one record."""

from __future__ import annotations

from dataclasses import replace

from review.changes import ChangeTable, compare
from review.messages import sentence
from review.screens import (
    Badge,
    DeliveryRow,
    Empty,
    Event,
    IdEntry,
    Link,
    Offer,
    RecordCompareScreen,
    RecordHeader,
    RecordHistoryScreen,
    RecordNowScreen,
    RecordReportsScreen,
    RecordRunsScreen,
    RecordVersionsScreen,
    ReportRow,
    Screen,
    VersionRow,
)
from tests.review.samples.parts import (
    AGENT,
    ANYWHERE,
    CORRECTION,
    HOSTILE,
    NOW,
    PAGER,
    PERSON,
    RECORD,
    THEN,
    VERSION,
    citation,
    frame,
    report_row,
)
from tests.review.samples.runs import OUTCOMES, delivery


def header(**changes: object) -> RecordHeader:
    made = RecordHeader(
        subject=HOSTILE,
        predicate="has_capital",
        object=HOSTILE,
        status=Badge.SUPERSEDED,
        version_number=2,
        version=VERSION,
        trust="verified",
        confidence="0.9",
        kind="semantic_fact",
        valid_from=THEN,
        valid_until=None,
        known_from=THEN,
        known_until=NOW,
        about=HOSTILE,
        closed=sentence("superseded_by", x=HOSTILE, time=NOW, actor=PERSON),
        successor=ANYWHERE,
        predecessor=ANYWHERE,
        old_version=sentence("old_version"),
        ids=(IdEntry(label="Record", value=str(VERSION)),),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def record_now(**changes: object) -> RecordNowScreen:
    screen = RecordNowScreen(
        frame=frame("Record"),
        now=NOW,
        header=header(),
        tabs=(Link(label="Now", url="/", is_current=True), Link(label="Versions", url="/v")),
        steps=(Link(label="Newer version", url="/n", key="]"),),
        statement=HOSTILE,
        outcomes=OUTCOMES,
        citations=(citation(),),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def bare_record() -> RecordNowScreen:
    bare = header(
        about=None, closed=None, successor=None, predecessor=None, old_version=None, ids=()
    )
    empty = Empty(text=sentence("citations_empty"))
    return record_now(header=bare, steps=(), outcomes=None, citations=(), empty=empty)


def reportable_record(*, allowed: bool) -> RecordNowScreen:
    reason = None if allowed else sentence("report_read_only")
    offer = Offer(label=sentence("doubt_link"), allowed=allowed, reason=reason)
    return record_now(header=header(report=offer, report_url="/p/demo/records/1/report/"))


def record_versions() -> RecordVersionsScreen:
    now = record_now()
    row = VersionRow(
        number=2,
        version=VERSION,
        choice="2",
        from_label=sentence("compare_from", n=2),
        to_label=sentence("compare_to", n=2),
        url="/",
        changed="Corrected",
        object=HOSTILE,
        actor=AGENT,
        begins_at=THEN,
        ends_at=None,
        is_from=True,
        compare=(Link(label="Compare with previous", url="/", key="d"),),
    )
    return RecordVersionsScreen(
        frame=now.frame,
        now=NOW,
        header=now.header,
        tabs=now.tabs,
        rows=(row, replace(row, relation="The record before it", ends_at=NOW, is_to=True)),
        compare_url="/c",
        pager=PAGER,
    )


def record_compare(change: ChangeTable) -> RecordCompareScreen:
    now = record_now()
    return RecordCompareScreen(
        frame=now.frame,
        now=NOW,
        header=now.header,
        tabs=now.tabs,
        steps=now.steps,
        heading=sentence("compare_heading", m=1, n=2),
        change=change,
    )


def record_history() -> RecordHistoryScreen:
    now = record_now()
    event = Event(happened=sentence("event_reported", actor=AGENT), at=THEN)
    return RecordHistoryScreen(
        frame=now.frame, now=NOW, header=now.header, tabs=now.tabs, events=(event,)
    )


def record_reports(*rows: ReportRow) -> RecordReportsScreen:
    now = record_now()
    empty = None if rows else Empty(text=sentence("record_reports_empty"))
    return RecordReportsScreen(
        frame=now.frame, now=NOW, header=now.header, tabs=now.tabs, rows=rows, empty=empty
    )


def record_runs(*rows: DeliveryRow) -> RecordRunsScreen:
    now = record_now()
    empty = None if rows else Empty(text=sentence("record_runs_empty"))
    return RecordRunsScreen(
        frame=now.frame, now=NOW, header=now.header, tabs=now.tabs, rows=rows, empty=empty
    )


def record_screens() -> dict[str, tuple[str, Screen]]:
    outcome = sentence("outcome_corrected", x=HOSTILE, time=NOW)
    return {
        "record now": ("record_now", record_now()),
        "record to doubt": ("record_now", reportable_record(allowed=True)),
        "record for a reader": ("record_now", reportable_record(allowed=False)),
        "record without more": ("record_now", bare_record()),
        "record versions": ("record_versions", record_versions()),
        "record compare": ("record_compare", record_compare(CORRECTION)),
        "record compare equal": ("record_compare", record_compare(compare(RECORD, RECORD))),
        "record history": ("record_history", record_history()),
        "record reports": ("record_reports", record_reports(report_row(outcome=outcome))),
        "record no reports": ("record_reports", record_reports()),
        "record runs": ("record_runs", record_runs(delivery(), delivery(is_older=False))),
        "record no runs": ("record_runs", record_runs()),
    }
