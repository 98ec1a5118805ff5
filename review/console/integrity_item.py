"""S19: one record that enough clients suspect, and what people decide about it."""

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
from memory.vocabulary import Operation
from review import policies
from review.console.access import project_form, project_view, refuse
from review.console.answers import in_progress_page, problem_page, unsaved_page
from review.console.drawing.integrity import (
    ItemPage,
    item_conflict_screen,
    item_screen,
)
from review.console.forms import DecisionForm, DoubtForm, ReasonForm, SeenForm
from review.console.frame import frame_of, redirect, render
from review.console.keys import INTEGRITY_ITEM_KEYS
from review.console.links import Links, links_of
from review.console.notices import leave_notice
from review.console.origins import INTEGRITY_ORIGINS
from review.messages import sentence
from review.queries.integrity import (
    read_item,
    read_item_again,
)
from review.screens import Link, Notice, Tone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.keys import IdempotencyRequest
    from memory.queries.records import RecordDetail
    from review.messages import Sentence
    from review.queries.integrity import ItemReading
    from review.screens.frame import Label

_ITEM: Final = "review:integrity-get"
_TEMPLATE: Final = "review/integrity_item.html"
_TYPED: Final = ("reason", "note", "proposed_object")


@project_view(policies.can_see_integrity, Operation.SIGNAL_LIST)
def get_item(request: HttpRequest, actor: Actor, *, item_id: UUID) -> HttpResponse:
    """One suspected record, as one of the page of the list that somebody came from."""
    query = INTEGRITY_ORIGINS.query(request.GET.get("from"), actor.project_id)
    attempt = Attempt(request, actor, item_id, query, links_of(request))
    reading = read_item(actor=actor, item_id=item_id)
    return render(request, item_screen(reading, attempt.drawn()), _TEMPLATE)


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
        return render(self.request, screen, _TEMPLATE, 409)


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
    return render(attempt.request, screen, _TEMPLATE, 422)


def _is_as_drawn(record: RecordDetail, version: UUID) -> bool:
    return record.is_current and record.version == version


def _noted(attempt: Attempt) -> Notice:
    back = Link(label=attempt.back.label, url=attempt.back.url)
    return Notice(tone=Tone.OK, heading=sentence("integrity_no_concern"), links=(back,))


def _reported(attempt: Attempt) -> Notice:
    back = Link(label=attempt.back.label, url=attempt.back.url)
    return Notice(tone=Tone.OK, heading=sentence("reported"), links=(back,))
