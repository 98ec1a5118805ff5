"""Outcomes and signals in words: how many of which kind, and what they make of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import pgettext_lazy

from feedback.ranking import COUNTED_OUTCOMES_NEEDED
from feedback.vocabulary import OutcomeKind
from review.messages import sentence
from review.screens import OutcomesPanel
from review.vocabulary import SUSPICION_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrPromise as StrPromise

    from feedback.queries.advice import AdviceTally
    from feedback.queries.outcomes import OutcomeTally
    from feedback.vocabulary import Suspicion
    from review.messages import Sentence

OUTCOME_WORDS: Final[dict[OutcomeKind, StrPromise]] = {
    OutcomeKind.USED: pgettext_lazy("outcome", "used"),
    OutcomeKind.USEFUL: pgettext_lazy("outcome", "useful"),
    OutcomeKind.IRRELEVANT: pgettext_lazy("outcome", "irrelevant"),
    OutcomeKind.INCORRECT: pgettext_lazy("outcome", "incorrect"),
    OutcomeKind.HARMFUL: pgettext_lazy("outcome", "harmful"),
}


def counted_words(counts: Mapping[OutcomeKind, int]) -> tuple[Sentence, ...]:
    """Each kind that there is, with its number."""
    return tuple(
        sentence("outcome_count", kind=word, n=counts[kind])
        for kind, word in OUTCOME_WORDS.items()
        if counts.get(kind)
    )


def advice_panel(advice: AdviceTally) -> OutcomesPanel:
    """What was said of a record, and what that makes of its utility."""
    tally = advice.outcomes
    total = tally.total + (advice.signals if advice.are_signals_counted else 0)
    words = tuple(
        sentence("outcome_actors", kind=word, number=count.number, n=count.actors)
        for kind, word in OUTCOME_WORDS.items()
        if (count := tally.kinds[kind]).number
    )
    return OutcomesPanel(
        words=words,
        counted=sentence("outcomes_counted", n=tally.votes.total, total=total) if total else None,
        utility=_utility(tally) if total else None,
        signals=_signals(advice),
        signals_told=signals_told(is_counted=advice.are_signals_counted),
    )


def signals_told(*, is_counted: bool) -> Sentence:
    """Whether signals take part in utility."""
    return sentence("signals_counted" if is_counted else "signals_uncounted")


def suspicion_words(counts: Mapping[Suspicion, tuple[int, int]]) -> tuple[Sentence, ...]:
    """Of what a record is suspected: numbers of signals and actors, by kind."""
    return tuple(
        sentence("suspicion_actors", kind=word, number=number, n=actors)
        for kind, word in SUSPICION_WORDS.items()
        for number, actors in [counts[kind]]
        if number
    )


def _signals(advice: AdviceTally) -> tuple[Sentence, ...]:
    if not advice.signals:
        return ()
    counts = {kind: (tally.number, tally.actors) for kind, tally in advice.suspicions.items()}
    all_of_them = sentence("signals_senders", number=advice.signals, n=advice.senders)
    return (*(sentence("suspected", what=word) for word in suspicion_words(counts)), all_of_them)


def _utility(tally: OutcomeTally) -> Sentence:
    shown = f"{tally.utility:.3f}"
    if tally.votes.total < COUNTED_OUTCOMES_NEEDED:
        return sentence("utility_few", utility=shown)
    if tally.votes.actors < tally.minimum_actors:
        return sentence("utility_few_actors", utility=shown, n=tally.minimum_actors)
    return sentence("utility_counted", utility=shown, n=tally.votes.actors)
