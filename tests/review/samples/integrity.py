"""Made-up screens of suspected records, and of the signals about a record."""

from __future__ import annotations

from dataclasses import replace

from review.console.forms import DoubtForm, ReasonForm
from review.messages import sentence
from review.screens import (
    Badge,
    Empty,
    Filters,
    FormProblem,
    IdEntry,
    IntegrityItemScreen,
    IntegrityRow,
    IntegrityScreen,
    ItemForm,
    Link,
    Notice,
    RecordSignalsScreen,
    Screen,
    SenderRow,
    SuspicionEvent,
    Tone,
    UnboundSender,
)
from tests.review.samples.doubts import TYPED
from tests.review.samples.parts import (
    AGENT,
    ANYWHERE,
    FORM_KEY,
    HOSTILE,
    NOW,
    PAGER,
    PERSON,
    THEN,
    VERSION,
    SampleForm,
    frame,
)
from tests.review.samples.records import header, record_now

SENDER = SenderRow(
    actor=replace(AGENT, label=HOSTILE),
    signals=50,
    reward="+25.000",
    poison=3,
    injection=1,
    first_at=THEN,
    last_at=NOW,
)
SUSPICION = sentence("suspicion_actors", kind="poison", number=3, n=2)


def row(**changes: object) -> IntegrityRow:
    item = IntegrityRow(
        url="/p/demo/integrity/1/",
        subject=HOSTILE,
        predicate="has_capital",
        object=HOSTILE,
        status=None,
        suspicions=(SUSPICION,),
        first_at=THEN,
        last_at=NOW,
        state=Badge.OPEN,
    )
    return replace(item, **changes)  # type: ignore[arg-type]


def items(**changes: object) -> IntegrityScreen:
    said = sentence("unbound_signals", actor=replace(AGENT, label=HOSTILE), n=3)
    screen = IntegrityScreen(
        frame=frame("Integrity"),
        now=NOW,
        filters=Filters(form=SampleForm({}), action="/", clear_url="/"),
        rows=(
            row(),
            row(status=Badge.RETRACTED, state=Badge.NO_CONCERN, first_at=None, last_at=None),
        ),
        cut=sentence("scan_cut_items", n=2000),
        pager=PAGER,
        unbound=(UnboundSender(said=said, last_at=THEN),),
        unbound_hint=sentence("unbound_hint", n=10_000),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def _form(**changes: object) -> ItemForm:
    form = ItemForm(
        action="/p/demo/integrity/1/decide/",
        form_key=FORM_KEY,
        seen="open",
        origin="signed",
        hint=sentence("integrity_no_concern_hint"),
        label=sentence("no_concern_send"),
        decision="no_concern",
        fields=ReasonForm({"reason": TYPED}),
    )
    return replace(form, **changes)  # type: ignore[arg-type]


def item(**changes: object) -> IntegrityItemScreen:
    event = SuspicionEvent(
        said=sentence("suspicion_twice", actor=replace(AGENT, label=HOSTILE)),
        session=sentence("suspicion_session", session="5aa8109e55ed"),
        version=VERSION,
        at=THEN,
    )
    screen = IntegrityItemScreen(
        frame=frame("Suspected record", refresh_url=""),
        now=NOW,
        subject=HOSTILE,
        predicate="has_capital",
        object=HOSTILE,
        statement=HOSTILE,
        version_number=2,
        version=VERSION,
        status=Badge.CURRENT,
        state=Badge.OPEN,
        record=Link(label="Open the record", url="/p/demo/records/1/"),
        senders=(SENDER,),
        suspicions=(event, replace(event, session=None, version=None)),
        told=sentence("suspicions_told", n=20),
        no_concern=_form(),
        report=_form(
            label=sentence("doubt_send"),
            decision="report",
            expected_version=VERSION,
            fields=DoubtForm({"note": TYPED, "proposed_object": TYPED}),
        ),
        ids=(IdEntry(label="Integrity item", value=str(VERSION)),),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def decided_item(**changes: object) -> IntegrityItemScreen:
    heading = sentence("integrity_decided", actor=PERSON, time=NOW)
    reopen = _form(
        action="/p/demo/integrity/1/reopen/",
        seen="no_concern",
        decision="",
        fields=None,
        label=sentence("reopen_send"),
    )
    return item(
        state=Badge.NO_CONCERN,
        decided=Notice(tone=Tone.INFO, heading=heading, takes_focus=False),
        decided_reason=HOSTILE,
        no_concern=None,
        report=None,
        reopen=reopen,
        **changes,
    )


def reported_item() -> IntegrityItemScreen:
    heading = sentence("integrity_reported", actor=PERSON, time=NOW)
    notice = Notice(tone=Tone.INFO, heading=heading, links=(ANYWHERE,), takes_focus=False)
    return replace(
        decided_item(),
        state=Badge.REPORTED,
        decided=notice,
        decided_reason="",
        reopen=None,
        read_only=sentence("integrity_read_only"),
    )


def signals(**changes: object) -> RecordSignalsScreen:
    screen = RecordSignalsScreen(
        frame=frame("Record"),
        now=NOW,
        header=header(suspected=Link(label="Who suspects it", url="/")),
        tabs=record_now().tabs,
        facts=(IdEntry(label="Used", value=str(sentence("signal_yes_no", yes=3, no=1))),),
        told=sentence("signals_uncounted"),
        senders=(SENDER, replace(SENDER, reward=None)),
        cut=sentence("signals_told", n=100),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def integrity_screens() -> dict[str, tuple[str, Screen]]:
    wrong = (FormProblem(text=sentence("reason_blank"), field_id="id_name"),)
    nothing = Empty(text=sentence("integrity_empty"))
    none = Empty(text=sentence("record_signals_empty"))
    closed = sentence("superseded_by", x=HOSTILE, time=NOW, actor=PERSON)
    changed = sentence("integrity_conflict")
    return {
        "integrity": ("integrity", items()),
        "no integrity": (
            "integrity",
            items(rows=(), cut=None, pager=None, empty=nothing, unbound=(), unbound_hint=None),
        ),
        "integrity problem": (
            "integrity",
            items(rows=(), cut=None, pager=None, problems=wrong, unbound=()),
        ),
        "item": ("integrity_item", item()),
        "item with a problem": ("integrity_item", item(problems=wrong)),
        "item of a closed record": (
            "integrity_item",
            item(status=Badge.SUPERSEDED, closed=closed, report=None),
        ),
        "decided item": ("integrity_item", decided_item()),
        "reported item for a reader": ("integrity_item", reported_item()),
        "item that was decided": (
            "integrity_item",
            decided_item(conflict=changed, reason=HOSTILE, note=HOSTILE, proposed_object=HOSTILE),
        ),
        "record signals": ("record_signals", signals()),
        "record without signals": (
            "record_signals",
            signals(facts=(), senders=(), cut=None, empty=none),
        ),
    }
