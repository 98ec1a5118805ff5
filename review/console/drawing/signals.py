"""Signals about one record (S12), and what a sender says in sum wherever that stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from feedback.queries.signals import SENDERS
from review.console.drawing.outcomes import signals_told
from review.console.drawing.record import header, tabs
from review.messages import sentence
from review.screens import Empty, IdEntry, RecordSignalsScreen, SenderRow

if TYPE_CHECKING:
    from feedback.queries import signals
    from review.console.drawing.record import RecordPage
    from review.queries.integrity import RecordSignalsReading
    from review.queries.names import Names
    from review.screens.frame import Label


def record_signals_screen(reading: RecordSignalsReading, page: RecordPage) -> RecordSignalsScreen:
    """The tab Signals: sums, then one row a sender."""
    summary = reading.summary
    is_cut = summary.distinct_actors > len(reading.senders)
    return RecordSignalsScreen(
        frame=page.framed(),
        now=page.now,
        header=header(page),
        tabs=tabs(page, "signals"),
        facts=_facts(summary) if reading.senders else (),
        told=signals_told(is_counted=summary.is_in_utility),
        senders=tuple(sender_row(row, page.names) for row in reading.senders),
        cut=sentence("signals_told", n=SENDERS) if is_cut else None,
        empty=None if reading.senders else Empty(text=sentence("record_signals_empty")),
    )


def sender_row(row: signals.SenderRow, names: Names) -> SenderRow:
    """What a sender says of a record, in sum."""
    return SenderRow(
        actor=names.author(row),
        signals=row.signals,
        reward=None if row.reward_sum is None else f"{row.reward_sum:+.3f}",
        poison=row.poison_suspected,
        injection=row.injection_suspected,
        first_at=row.first_at,
        last_at=row.last_at,
    )


def _facts(summary: signals.SignalSummary) -> tuple[IdEntry, ...]:
    said: list[tuple[Label, signals.YesNo]] = [
        (_("Used"), summary.used),
        (_("Cited"), summary.cited),
        (_("Helpful"), summary.helpful),
    ]
    number = sentence("signals_senders", number=summary.signals, n=summary.distinct_actors)
    facts = [IdEntry(label=_("Signals"), value=str(number))]
    facts += [
        IdEntry(label=label, value=str(sentence("signal_yes_no", yes=told.yes, no=told.no)))
        for label, told in said
        if told.yes or told.no
    ]
    if summary.reward.count:
        facts.append(IdEntry(label=_("Rewards"), value=_rewards(summary.reward)))
    return tuple(facts)


def _rewards(rewards: signals.Rewards) -> str:
    numbers = {"mean": rewards.mean, "least": rewards.min, "most": rewards.max}
    shown = {name: f"{number:+.3f}" for name, number in numbers.items() if number is not None}
    return str(sentence("signal_rewards", n=rewards.count, **shown))
