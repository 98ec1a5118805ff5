"""Made-up screens of reports and of promotions that did not happen."""

from __future__ import annotations

from dataclasses import replace

from review.changes import retraction
from review.messages import sentence
from review.screens import (
    AlreadyPromotedScreen,
    Badge,
    ConfirmRetractionScreen,
    ConflictScreen,
    ConflictSide,
    Empty,
    Event,
    Filters,
    IdEntry,
    Link,
    Notice,
    Offer,
    OutcomesPanel,
    PromoteForm,
    QueueScreen,
    ReportScreen,
    Screen,
    SiblingReport,
    Tone,
)
from tests.review.samples.parts import (
    AGENT,
    ANYWHERE,
    CORRECTION,
    FORM_KEY,
    HOSTILE,
    NOW,
    PAGER,
    PERSON,
    RECORD,
    THEN,
    VERSION,
    SampleForm,
    citation,
    frame,
    report_row,
)
from tests.review.samples.runs import OUTCOMES


def promote_form(code: str = "correct_next") -> PromoteForm:
    label = sentence(code, object="Gitega") if code == "correct_next" else sentence(code)
    return PromoteForm(
        action="/p/demo/reports/1/promote/",
        expected_version=VERSION,
        form_key=FORM_KEY,
        origin="signed",
        next_label=label,
        stay_label=sentence("correct_stay"),
    )


def report(**changes: object) -> ReportScreen:
    screen = ReportScreen(
        frame=frame("Report"),
        now=NOW,
        subject=HOSTILE,
        predicate="has_capital",
        badges=(Badge.CORRECT, Badge.OPEN),
        note=HOSTILE,
        reporter=AGENT,
        reporting_subject=HOSTILE,
        recorded_at=THEN,
        change=CORRECTION,
        version_number=2,
        version=VERSION,
        promote=Offer(label=sentence("correct_stay"), allowed=True),
        form=promote_form(),
        credit=sentence("credit", name=HOSTILE),
        skip=Link(label="Skip to next", url="/?s", key="s|j"),
        previous=Link(label="Previous in this view", url="/?k", key="k"),
        statement=HOSTILE,
        record=Link(label="Open the record", url="/p/demo/records/1/"),
        citations=(citation(), citation(occurred_at=THEN, source_ref=None, source=ANYWHERE)),
        siblings=(
            SiblingReport(
                url="/?1",
                proposes=Badge.RETRACT,
                proposed_object=None,
                note=HOSTILE,
                recorded_at=THEN,
            ),
        ),
        siblings_total="1",
        all_reports=ANYWHERE,
        outcomes=OUTCOMES,
        history=(Event(happened=sentence("event_asserted", actor=AGENT), at=THEN, link=ANYWHERE),),
        ids=(IdEntry(label="Record version", value=str(VERSION)),),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def retraction_report() -> ReportScreen:
    confirm = Link(label="Retract this record", url="/p/demo/reports/1/retract/")
    return report(change=retraction(RECORD), form=None, credit=None, confirm=confirm)


def closed_report(*, allowed: bool) -> ReportScreen:
    heading = sentence("target_corrected", x=HOSTILE, time=NOW, actor=PERSON)
    reason = None if allowed else sentence("promote_read_only")
    return report(
        change=None,
        form=None,
        credit=None,
        promote=Offer(label=sentence("correct_stay"), allowed=allowed, reason=reason),
        situation=Notice(tone=Tone.INFO, heading=heading, links=(ANYWHERE,), takes_focus=False),
        skip=None,
        previous=None,
        siblings=(),
        all_reports=None,
        outcomes=OutcomesPanel(words=()),
        ids=(),
    )


def queue(**changes: object) -> QueueScreen:
    screen = QueueScreen(
        frame=frame("Open reports"),
        now=NOW,
        heading="Open reports, oldest first",
        caption="Reports not yet promoted, oldest first",
        views=(Link(label="Open", url="/?v", key="1", is_current=True),),
        orders=(Link(label="Oldest first", url="/?o", is_current=True),),
        total="30 open",
        oldest_at=THEN,
        promote=Offer(label=sentence("correct_stay"), allowed=True),
        filters=Filters(form=SampleForm(), action="/", clear_url="/", fixed=(("view", "open"),)),
        rows=(report_row(), report_row(proposed_object=None, badges=(Badge.NEWER_VERSION,))),
        pager=PAGER,
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def reader_queue() -> QueueScreen:
    offer = Offer(label=sentence("correct_stay"), allowed=False, reason=sentence("queue_read_only"))
    empty = Empty(text=sentence("reports_never"), links=(ANYWHERE,))
    return queue(promote=offer, rows=(), empty=empty, pager=None, filters=None, total="")


def confirm_retraction() -> ConfirmRetractionScreen:
    return ConfirmRetractionScreen(
        frame=frame("Retract this record"),
        subject=HOSTILE,
        predicate="has_capital",
        change=retraction(RECORD),
        version_number=2,
        version=VERSION,
        form=promote_form("retract_next"),
        cancel=Link(label="Back to the report", url="/p/demo/reports/1/"),
    )


def conflict(**changes: object) -> ConflictScreen:
    side = ConflictSide(
        label="You saw",
        version_number=1,
        version=VERSION,
        object=HOSTILE,
        statement=HOSTILE,
    )
    proposal = replace(side, version_number=None, version=None, object=None, statement=None)
    screen = ConflictScreen(
        frame=frame("Report", title_prefix="Changed: ", are_keys_on=False, refresh_url=""),
        subject=HOSTILE,
        predicate="has_capital",
        heading=sentence("record_conflict"),
        detail=sentence(
            "record_conflict_moved", m=1, a=HOSTILE, n=2, b=HOSTILE, actor=PERSON, time=NOW
        ),
        sides=(side, proposal),
        form=promote_form(),
        credit=sentence("credit", name="reviewer"),
        links=(ANYWHERE,),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def already_promoted() -> AlreadyPromotedScreen:
    return AlreadyPromotedScreen(
        frame=frame("Report", title_prefix="Changed: ", are_keys_on=False),
        subject=HOSTILE,
        predicate="has_capital",
        heading=sentence("promoted_corrected", time=NOW, actor=PERSON, x=HOSTILE),
        people=sentence("outcome_people", reporter=AGENT, promoter=PERSON),
        next_report=Link(label="Next report", url="/?n"),
        links=(ANYWHERE,),
    )


def report_screens() -> dict[str, tuple[str, Screen]]:
    corrected = sentence("corrected", subject=HOSTILE, predicate="x", object=HOSTILE, time=NOW)
    notice = Notice(
        tone=Tone.OK,
        heading=corrected,
        lines=(sentence("other_open_reports", n=2),),
        links=(ANYWHERE,),
    )
    return {
        "queue": ("queue", queue()),
        "queue for a reader": ("queue", reader_queue()),
        "report": ("report", report()),
        "report after a success": ("report", report(frame=frame("Report", notice=notice))),
        "report of a retraction": ("report", retraction_report()),
        "report for a reader": ("report", closed_report(allowed=False)),
        "report of a closed record": ("report", closed_report(allowed=True)),
        "confirm": ("confirm_retraction", confirm_retraction()),
        "conflict": ("conflict", conflict()),
        "conflict of a retraction": ("conflict", conflict(form=None, confirm=ANYWHERE)),
        "conflict closed": ("conflict", conflict(form=None, credit=None)),
        "already promoted": ("already_promoted", already_promoted()),
    }
