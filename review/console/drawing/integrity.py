"""Suspected records (S19): the list, and one of them with what a person may decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from django.utils.translation import gettext_lazy as _

from feedback.vocabulary import IntegrityState, Suspicion
from memory.vocabulary import SCANNED_ROWS, Edge, RecordStatus
from review import policies
from review.console.drawing.outcomes import suspicion_words
from review.console.drawing.report_rows import STATUS_BADGES
from review.console.drawing.signals import sender_row
from review.console.drawing.situations import closed_sentence
from review.console.forms import Decision, DoubtForm, ReasonForm
from review.console.place import Place
from review.messages import sentence
from review.queries.doubt import suspected
from review.queries.integrity import TOLD_SUSPICIONS
from review.screens import (
    Badge,
    Empty,
    FormProblem,
    IdEntry,
    IntegrityItemScreen,
    IntegrityRow,
    ItemForm,
    Link,
    Notice,
    SuspicionEvent,
    Tone,
    UnboundSender,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.forms import BaseForm
    from django.utils.functional import _StrPromise as StrPromise

    from feedback.queries import integrity
    from feedback.queries.signals import UnboundRow
    from memory.actor import Actor
    from memory.paging import Page
    from review.console.links import Links
    from review.messages import Sentence
    from review.queries.integrity import ItemReading
    from review.queries.names import Names
    from review.screens import Frame

STATE_BADGES: Final = {
    IntegrityState.OPEN: Badge.OPEN,
    IntegrityState.NO_CONCERN: Badge.NO_CONCERN,
    IntegrityState.REPORTED: Badge.REPORTED,
}
STATE_WORDS: Final[dict[IntegrityState, StrPromise]] = {
    IntegrityState.OPEN: _("open"),
    IntegrityState.NO_CONCERN: _("no concern"),
    IntegrityState.REPORTED: _("reported"),
}
_SESSION_CHARACTERS: Final = 12


def integrity_row(item: integrity.IntegrityRow, links: Links, origin: str) -> IntegrityRow:
    """An item in the list; `origin` is the page of the list, to come back to."""
    counts = _counts(item)
    firsts = [count.first_at for count in counts.values() if count.first_at]
    lasts = [count.last_at for count in counts.values() if count.last_at]
    is_current = item.status is RecordStatus.CURRENT
    return IntegrityRow(
        url=links.integrity_item(item.id, origin=origin),
        subject=item.subject,
        predicate=item.predicate,
        object=item.object,
        status=None if is_current else STATUS_BADGES[item.status],
        suspicions=suspicion_words(
            {kind: (count.signals, count.actors) for kind, count in counts.items()}
        ),
        first_at=min(firsts, default=None),
        last_at=max(lasts, default=None),
        state=STATE_BADGES[item.state],
    )


def integrity_empty(
    page: Page[integrity.IntegrityRow], query: Mapping[str, str], links: Links
) -> Empty:
    """Why the list has no row: nothing found yet, nothing left on this page, nothing at all."""
    if page.next is not None:
        return Empty(text=sentence("scan_stopped_items", n=SCANNED_ROWS))
    filters = {name: value for name, value in query.items() if name != "after"}
    if "after" in query:
        way = Link(label=_("Back to start"), url=links.integrity(filters))
        return Empty(text=sentence("page_emptied"), links=(way,))
    if filters:
        clear = Link(label=_("Clear filters"), url=links.integrity())
        return Empty(text=sentence("integrity_filtered_empty"), links=(clear,))
    return Empty(text=sentence("integrity_empty"))


def unbound_sender(row: UnboundRow, names: Names) -> UnboundSender:
    """How many signals of one sender are about no record here."""
    sender = names.label(row.recorded_by, row.recorded_by_kind, Edge.RCP)
    return UnboundSender(
        said=sentence("unbound_signals", actor=sender, n=row.signals), last_at=row.last_at
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """Who looks at an item, from which page of the list, and the frame around it."""

    frame: Frame
    actor: Actor
    links: Links
    origin: str


def item_screen(
    reading: ItemReading,
    page: ItemPage,
    *,
    reason: ReasonForm | None = None,
    doubt: DoubtForm | None = None,
) -> IntegrityItemScreen:
    """The page as somebody opens it, or with what is wrong in one of its forms."""
    item, record, links = reading.item, reading.record, page.links
    screen = IntegrityItemScreen(
        frame=page.frame,
        now=reading.now,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        statement=record.statement,
        version_number=record.version_number,
        version=record.version,
        status=STATUS_BADGES[record.status],
        state=STATE_BADGES[item.state],
        record=Link(label=_("Open the record"), url=links.record(record.id)),
        problems=(*_problems(reason), *_problems(doubt)),
        decided=_decided(reading, links),
        decided_reason=item.reason or "",
        closed=None if record.is_current else closed_sentence(record, reading.names, "record"),
        senders=tuple(sender_row(row, reading.names) for row in reading.senders),
        suspicions=tuple(_event(row, reading.names) for row in reading.suspicions),
        told=sentence("suspicions_told", n=TOLD_SUSPICIONS) if reading.suspicions else None,
        ids=_ids(item),
    )
    if not policies.can_decide_integrity(page.actor).is_allowed:
        return replace(screen, read_only=sentence("integrity_read_only"))
    if item.state is not IntegrityState.OPEN:
        return replace(screen, reopen=_reopen_form(item, page))
    return replace(
        screen,
        no_concern=_no_concern_form(item, page, reason or ReasonForm()),
        report=_report_form(reading, page, doubt or _worded(item)) if record.is_current else None,
    )


def item_conflict_screen(
    reading: ItemReading, page: ItemPage, conflict: Sentence, typed: Mapping[str, str]
) -> IntegrityItemScreen:
    """409: the item as it stands now, with what was typed in its form, or beside it."""
    reason = ReasonForm(initial=dict(typed)) if typed.get("reason") else None
    doubt = (
        DoubtForm(initial=dict(typed))
        if typed.get("note") or typed.get("proposed_object")
        else None
    )
    screen = item_screen(reading, page, reason=reason, doubt=doubt)
    screen = replace(screen, conflict=conflict)
    if screen.no_concern is None:
        screen = replace(screen, reason=typed.get("reason", ""))
    if screen.report is None:
        screen = replace(
            screen, note=typed.get("note", ""), proposed_object=typed.get("proposed_object", "")
        )
    return screen


def _counts(item: integrity.IntegrityRow) -> dict[Suspicion, integrity.SuspicionCount]:
    return {Suspicion.POISON: item.poison, Suspicion.INJECTION: item.injection}


def _worded(item: integrity.IntegrityRow) -> DoubtForm:
    """The form of a doubt, whose note begins with what is suspected."""
    said = suspected(
        {
            kind: (count.signals, count.actors, count.first_at)
            for kind, count in _counts(item).items()
        }
    )
    return DoubtForm(initial={"note": str(said or "")})


def _decided(reading: ItemReading, links: Links) -> Notice | None:
    item = reading.item
    if item.decided_by is None or item.decided_by_kind is None:
        return None
    who = reading.names.label(item.decided_by, item.decided_by_kind, Edge.CONSOLE)
    if item.report_id is None:
        heading = sentence("integrity_decided", actor=who, time=item.decided_at)
        return Notice(tone=Tone.INFO, heading=heading, takes_focus=False)
    heading = sentence("integrity_reported", actor=who, time=item.decided_at)
    report = Link(label=_("Open the report"), url=links.report(item.report_id, Place()))
    return Notice(tone=Tone.INFO, heading=heading, links=(report,), takes_focus=False)


def _event(row: integrity.SuspicionRow, names: Names) -> SuspicionEvent:
    code = "suspicion_poison" if row.is_poison else "suspicion_injection"
    if row.is_poison and row.is_injection:
        code = "suspicion_twice"
    session = None
    if row.session_digest is not None:
        digest = row.session_digest.hex()[:_SESSION_CHARACTERS]
        session = sentence("suspicion_session", session=digest)
    return SuspicionEvent(
        said=sentence(code, actor=names.author(row)),
        session=session,
        version=row.record_version,
        at=row.recorded_at,
    )


def _no_concern_form(item: integrity.IntegrityRow, page: ItemPage, fields: ReasonForm) -> ItemForm:
    form = _form(item, page, "decide", "no_concern_send", "integrity_no_concern_hint", fields)
    return replace(form, decision=Decision.NO_CONCERN.value)


def _report_form(reading: ItemReading, page: ItemPage, fields: DoubtForm) -> ItemForm:
    form = _form(reading.item, page, "decide", "doubt_send", "doubt_hints", fields)
    return replace(form, decision=Decision.REPORT.value, expected_version=reading.record.version)


def _reopen_form(item: integrity.IntegrityRow, page: ItemPage) -> ItemForm:
    return _form(item, page, "reopen", "reopen_send", "integrity_reopen_hint")


def _form(
    item: integrity.IntegrityRow,
    page: ItemPage,
    verb: str,
    label: str,
    hint: str,
    fields: BaseForm | None = None,
) -> ItemForm:
    """A form about the state drawn; its key is made now, so each drawn form has its own."""
    return ItemForm(
        action=page.links.integrity_form(item.id, verb),
        form_key=uuid4(),
        seen=item.state.value,
        origin=page.origin,
        label=sentence(label),
        hint=sentence(hint),
        fields=fields,
    )


def _problems(form: BaseForm | None) -> tuple[FormProblem, ...]:
    if form is None:
        return ()
    return tuple(
        FormProblem(text=str(text), field_id=str(form[field].id_for_label))
        for field, texts in form.errors.items()
        for text in texts
    )


def _ids(item: integrity.IntegrityRow) -> tuple[IdEntry, ...]:
    ids = [
        (_("Integrity item"), item.id),
        (_("Record"), item.record_id),
        (_("Report"), item.report_id),
    ]
    return tuple(IdEntry(label=label, value=str(value)) for label, value in ids if value)
