"""S19: records that enough clients suspect, and what people decide about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from feedback.errors import IntegrityDecided
from feedback.operations.decide_integrity import (
    Doubt,
    IntegrityDecision,
    decide_integrity,
    reopen_integrity,
)
from memory.errors import (
    FieldInvalid,
    IdempotencyConflict,
    IdempotencyInProgress,
    RecordConflict,
)
from memory.http.context import route_of
from memory.http.cursor import CursorScope
from memory.vocabulary import SCANNED_ROWS, Operation
from review import policies
from review.console.access import project_form, project_view, refuse
from review.console.answers import in_progress_page, problem_page, unsaved_page
from review.console.drawing.integrity import (
    ItemPage,
    integrity_empty,
    integrity_row,
    item_conflict_screen,
    item_screen,
    unbound_sender,
)
from review.console.forms import DecisionForm, DoubtForm, ReasonForm, SeenForm
from review.console.frame import frame_of, redirect, render
from review.console.integrity_filters import IntegrityFilters
from review.console.keys import INTEGRITY_ITEM_KEYS, INTEGRITY_KEYS, ROW_KEYS, working
from review.console.links import Links, links_of
from review.console.notices import leave_notice
from review.console.origins import INTEGRITY_ORIGINS
from review.messages import sentence
from review.queries.integrity import (
    NEWEST_UNBOUND,
    read_integrity,
    read_item,
    read_item_again,
)
from review.screens import Filters, FormProblem, IntegrityScreen, Link, Notice, Pager, Tone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from feedback.queries.integrity import IntegrityRow
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest
    from memory.paging import Page
    from memory.queries.records import RecordDetail
    from review.messages import Sentence
    from review.queries.integrity import IntegrityReading, ItemReading
    from review.screens.frame import Label

ROWS: Final = 20
_ITEM: Final = "review:integrity-get"
_LIST_TEMPLATE: Final = "review/integrity.html"
_ITEM_TEMPLATE: Final = "review/integrity_item.html"
_TYPED: Final = ("reason", "note", "proposed_object")


@project_view(policies.can_see_integrity, Operation.SIGNAL_LIST)
def list_items(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One page of suspected records as the address narrows it."""
    filters = IntegrityFilters(request.GET)
    after = None
    problems = filters.problems()
    if not problems:
        try:
            after = _cursors(request, actor, filters).read(request.GET.get("after"))
        except FieldInvalid:
            problems = [FormProblem(text=sentence("cursor_misfit"))]
    if problems:
        refuse(actor, Operation.SIGNAL_LIST, FieldInvalid("filters", "do not fit."))
        screen = _refused(request, actor, filters, problems)
        return render(request, screen, _LIST_TEMPLATE, 422)
    reading = read_integrity(
        actor=actor,
        state=filters.item_state,
        suspicion=filters.suspicion,
        after=after,
        limit=ROWS,
    )
    return render(request, _screen(request, actor, filters, reading), _LIST_TEMPLATE)


@project_view(policies.can_see_integrity, Operation.SIGNAL_LIST)
def get_item(request: HttpRequest, actor: Actor, *, item_id: UUID) -> HttpResponse:
    """One suspected record, as one of the page of the list that somebody came from."""
    query = INTEGRITY_ORIGINS.query(request.GET.get("from"), actor.project_id)
    attempt = Attempt(request, actor, item_id, query, links_of(request))
    reading = read_item(actor=actor, item_id=item_id)
    return render(request, item_screen(reading, attempt.drawn()), _ITEM_TEMPLATE)


@project_form(policies.can_decide_integrity, Operation.INTEGRITY_DECIDE, page=_ITEM)
def decide(request: HttpRequest, actor: Actor, *, item_id: UUID) -> HttpResponse:
    """Say of an open item that it is of no concern, or report a doubt about its record."""
    attempt = _attempt(request, actor, item_id)
    drawn = DecisionForm(request.POST)
    if not drawn.is_valid():
        return attempt.not_ours(Operation.INTEGRITY_DECIDE)
    form = DoubtForm(request.POST) if drawn.is_report else ReasonForm(request.POST)
    if not form.is_valid():
        return _invalid_page(attempt, drawn, form)
    decision = _decision(attempt, drawn, form)
    key = attempt.key("review:integrity-decide", drawn)
    refused = attempt.carried_out(lambda: decide_integrity(actor=actor, decision=decision, key=key))
    if refused is not None:
        return refused
    leave_notice(request, _noted(attempt) if decision.report is None else _reported(attempt))
    return redirect(attempt.page.url)


@project_form(policies.can_decide_integrity, Operation.INTEGRITY_REOPEN, page=_ITEM)
def reopen(request: HttpRequest, actor: Actor, *, item_id: UUID) -> HttpResponse:
    """Take a decision back."""
    attempt = _attempt(request, actor, item_id)
    drawn = SeenForm(request.POST)
    if not drawn.is_valid():
        return attempt.not_ours(Operation.INTEGRITY_REOPEN)
    key = attempt.key("review:integrity-reopen", drawn)
    refused = attempt.carried_out(
        lambda: reopen_integrity(actor=actor, item_id=item_id, seen_state=drawn.state, key=key)
    )
    if refused is not None:
        return refused
    leave_notice(request, Notice(tone=Tone.OK, heading=sentence("integrity_reopened")))
    return redirect(attempt.page.url)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody at an item; `query` is the page of the list that they came from."""

    request: HttpRequest
    actor: Actor
    item_id: UUID
    query: Mapping[str, str]
    links: Links

    @property
    def origin(self) -> str:
        """That page as the field `from`."""
        return INTEGRITY_ORIGINS.sign(self.query, self.actor.project_id)

    @property
    def page(self) -> Link:
        """The way to the item as it is."""
        url = self.links.integrity_item(self.item_id, origin=self.origin)
        return Link(label=_("Open the page"), url=url)

    @property
    def back(self) -> Link:
        """The way back to the list."""
        return Link(label=_("Back to Integrity"), url=self.links.integrity(self.query), key="u")

    @property
    def typed(self) -> dict[str, str]:
        """What was typed, whichever form it was."""
        return {name: self.request.POST.get(name, "") for name in _TYPED}

    def drawn(self, prefix: Label = "") -> ItemPage:
        """What the page is drawn with. To refresh it would lose what was typed."""
        frame = frame_of(
            self.request,
            self.actor,
            title=_("Suspected record"),
            title_prefix=prefix,
            back=self.back,
            keys=INTEGRITY_ITEM_KEYS,
            refresh=False,
        )
        return ItemPage(frame=frame, actor=self.actor, links=self.links, origin=self.origin)

    def key(self, route: str, drawn: SeenForm) -> IdempotencyRequest:
        """The key of this submit, with all that it says."""
        said = {name: str(drawn.cleaned_data[name]) for name in drawn.fields if name != "form_key"}
        return drawn.keyed(route, said | self.typed, {"item": self.item_id})

    def carried_out(self, call: Callable[[], object]) -> HttpResponse | None:
        """The page of what stands in the way of a call; None once it is done."""
        try:
            call()
        except IntegrityDecided:
            return self.conflict_page(sentence("integrity_conflict"))
        except RecordConflict:
            return self.conflict_page(sentence("report_conflict"))
        except IdempotencyInProgress:
            return in_progress_page(self.request, self.actor, self.page, self.back)
        except IdempotencyConflict:
            text = sentence("idempotency_conflict")
            return unsaved_page(self.request, self.actor, text, self.page, self.back)
        return None

    def not_ours(self, operation: Operation) -> HttpResponse:
        """422: a form that nobody was given."""
        refuse(self.actor, operation, FieldInvalid("form", "is not one of ours."))
        text = sentence("form_invalid")
        return problem_page(self.request, self.actor, text, self.page, self.back)

    def conflict_page(self, conflict: Sentence, reading: ItemReading | None = None) -> HttpResponse:
        """409: how the item, or its record, stands now, with the text that was typed."""
        reading = reading or read_item_again(actor=self.actor, item_id=self.item_id)
        screen = item_conflict_screen(reading, self.drawn(_("Changed: ")), conflict, self.typed)
        return render(self.request, screen, _ITEM_TEMPLATE, 409)


def _attempt(request: HttpRequest, actor: Actor, item_id: UUID) -> Attempt:
    query = INTEGRITY_ORIGINS.query(request.POST.get("from"), actor.project_id)
    return Attempt(request, actor, item_id, query, links_of(request))


def _decision(
    attempt: Attempt, drawn: DecisionForm, form: DoubtForm | ReasonForm
) -> IntegrityDecision:
    if isinstance(form, ReasonForm):
        return IntegrityDecision(
            item_id=attempt.item_id, seen_state=drawn.state, reason=form.reason_text
        )
    report = Doubt(
        note=form.note_text,
        proposed_object=form.value,
        expected_version=drawn.version,
    )
    return IntegrityDecision(item_id=attempt.item_id, seen_state=drawn.state, report=report)


def _invalid_page(
    attempt: Attempt, drawn: DecisionForm, form: DoubtForm | ReasonForm
) -> HttpResponse:
    """E10: the page with what is wrong; 409 where the item or its record changed as well."""
    actor = attempt.actor
    reading = read_item_again(actor=actor, item_id=attempt.item_id)
    if reading.item.state is not drawn.state:
        refuse(actor, Operation.INTEGRITY_DECIDE, IntegrityDecided())
        return attempt.conflict_page(sentence("integrity_conflict"), reading)
    if drawn.is_report and not _is_as_drawn(reading.record, drawn.version):
        refuse(actor, Operation.INTEGRITY_DECIDE, RecordConflict())
        return attempt.conflict_page(sentence("report_conflict"), reading)
    refuse(actor, Operation.INTEGRITY_DECIDE, FieldInvalid("reason", "breaks its rule."))
    page = attempt.drawn(_("Error: "))
    if isinstance(form, ReasonForm):
        screen = item_screen(reading, page, reason=form)
    else:
        screen = item_screen(reading, page, doubt=form)
    return render(attempt.request, screen, _ITEM_TEMPLATE, 422)


def _is_as_drawn(record: RecordDetail, version: UUID) -> bool:
    return record.is_current and record.version == version


def _noted(attempt: Attempt) -> Notice:
    back = Link(label=attempt.back.label, url=attempt.back.url)
    return Notice(tone=Tone.OK, heading=sentence("integrity_no_concern"), links=(back,))


def _reported(attempt: Attempt) -> Notice:
    back = Link(label=attempt.back.label, url=attempt.back.url)
    return Notice(tone=Tone.OK, heading=sentence("reported"), links=(back,))


def _cursors(request: HttpRequest, actor: Actor, filters: IntegrityFilters) -> CursorScope:
    return CursorScope(actor.project_id, route_of(request), filters.bound)


def _query(request: HttpRequest, filters: IntegrityFilters) -> dict[str, str]:
    """The parameters of this very page."""
    after = request.GET.get("after")
    return {**filters.query, "after": after} if after is not None else filters.query


def _drawn(filters: IntegrityFilters, links: Links) -> Filters:
    return Filters(form=filters.form, action=links.integrity(), clear_url=links.integrity())


def _screen(
    request: HttpRequest, actor: Actor, filters: IntegrityFilters, reading: IntegrityReading
) -> IntegrityScreen:
    page, links, query = reading.page, links_of(request), _query(request, filters)
    origin = INTEGRITY_ORIGINS.sign(query, actor.project_id)
    further = _pager(request, actor, filters, page)
    keys = ["f", *(ROW_KEYS if page.rows else ())]
    keys += ["n"] if further and further.onward else []
    is_cut = page.is_scan_cut and bool(page.rows)
    return IntegrityScreen(
        frame=frame_of(request, actor, title=_("Integrity"), keys=working(INTEGRITY_KEYS, keys)),
        now=reading.now,
        filters=_drawn(filters, links),
        rows=tuple(integrity_row(item, links, origin) for item in page.rows),
        cut=sentence("scan_cut_items", n=SCANNED_ROWS) if is_cut else None,
        empty=None if page.rows else integrity_empty(page, query, links),
        pager=further,
        unbound=tuple(unbound_sender(row, reading.names) for row in reading.unbound),
        unbound_hint=sentence("unbound_hint", n=NEWEST_UNBOUND) if reading.unbound else None,
    )


def _refused(
    request: HttpRequest,
    actor: Actor,
    filters: IntegrityFilters,
    problems: Sequence[FormProblem],
) -> IntegrityScreen:
    """The page with what does not fit, and without a row: nothing was read."""
    links = links_of(request)
    start = Link(label=_("Back to start"), url=links.integrity(filters.query))
    return IntegrityScreen(
        frame=frame_of(request, actor, title=_("Integrity"), title_prefix=_("Error: ")),
        now=None,
        filters=_drawn(filters, links),
        problems=tuple(problems),
        rows=(),
        pager=Pager(start=start) if "after" in request.GET else None,
    )


def _pager(
    request: HttpRequest, actor: Actor, filters: IntegrityFilters, page: Page[IntegrityRow]
) -> Pager | None:
    links, start, onward = links_of(request), None, None
    if "after" in request.GET and page.rows:
        start = Link(label=_("Back to start"), url=links.integrity(filters.query))
    cursor = _cursors(request, actor, filters).sign(page.next)
    if cursor is not None:
        label = _("Older items") if page.rows else _("Keep looking")
        url = links.integrity({**filters.query, "after": cursor})
        onward = Link(label=label, url=url, key="n")
    return Pager(start=start, onward=onward) if start or onward else None
