"""Outcomes and signals in words: how many of which kind, and what they make of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import pgettext_lazy

from feedback.queries.outcomes import COUNTED_OUTCOMES
from feedback.ranking import COUNTED_OUTCOMES_NEEDED
from feedback.vocabulary import OutcomeKind
from review.messages import at_least, sentence
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
    """Each kind that there is, with its number, of a run's newest outcomes."""
    is_cut = sum(counts.values()) > COUNTED_OUTCOMES
    return tuple(
        sentence("outcome_count", kind=word, n=at_least(counts[kind], is_cut=is_cut))
        for kind, word in OUTCOME_WORDS.items()
        if counts.get(kind)
    )


def advice_panel(advice: AdviceTally) -> OutcomesPanel:
    """What was said of a record, and what that makes of its utility."""
    tally = advice.outcomes
    total = tally.total + (advice.signals if advice.are_signals_counted else 0)
    words = tuple(
        sentence(
            "outcome_actors",
            kind=word,
            number=at_least(count.number, is_cut=tally.is_cut),
            n=count.actors,
        )
        for kind, word in OUTCOME_WORDS.items()
        if (count := tally.kinds[kind]).number
    )
    return OutcomesPanel(
        words=words,
        counted=_counted(advice, total) if total else None,
        utility=_utility(tally) if total and not _is_cut(advice) else None,
        signals=_signals(advice),
        signals_told=signals_told(is_counted=advice.are_signals_counted),
    )


def _is_cut(advice: AdviceTally) -> bool:
    """Whether the utility rests on more than was looked at."""
    return advice.outcomes.is_cut or (
        advice.are_signals_counted and advice.signals > COUNTED_OUTCOMES
    )


def _counted(advice: AdviceTally, total: int) -> Sentence:
    if _is_cut(advice):
        return sentence("outcomes_newest", n=f"{COUNTED_OUTCOMES:,}")
    return sentence("outcomes_counted", n=advice.outcomes.votes.total, total=total)


def signals_told(*, is_counted: bool) -> Sentence:
    """Whether signals take part in utility."""
    return sentence("signals_counted" if is_counted else "signals_uncounted")


def suspicion_words(counts: Mapping[Suspicion, tuple[int, int]]) -> tuple[Sentence, ...]:
    """Of what a record is suspected: numbers of signals and actors, by kind."""
    return tuple(
        sentence(
            "suspicion_actors",
            kind=word,
            number=at_least(number, is_cut=number > COUNTED_OUTCOMES),
            n=actors,
        )
        for kind, word in SUSPICION_WORDS.items()
        for number, actors in [counts[kind]]
        if number
    )


def _signals(advice: AdviceTally) -> tuple[Sentence, ...]:
    if not advice.signals:
        return ()
    counts = {kind: (tally.number, tally.actors) for kind, tally in advice.suspicions.items()}
    number = at_least(advice.signals, is_cut=advice.signals > COUNTED_OUTCOMES)
    all_of_them = sentence("signals_senders", number=number, n=advice.senders)
    return (*(sentence("suspected", what=word) for word in suspicion_words(counts)), all_of_them)


def _utility(tally: OutcomeTally) -> Sentence:
    shown = f"{tally.utility:.3f}"
    if tally.votes.total < COUNTED_OUTCOMES_NEEDED:
        return sentence("utility_few", utility=shown)
    if tally.votes.actors < tally.minimum_actors:
        return sentence("utility_few_actors", utility=shown, n=tally.minimum_actors)
    return sentence("utility_counted", utility=shown, n=tally.votes.actors)
