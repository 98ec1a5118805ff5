"""Outcomes in words: how many of which kind, whether they count, and what they make of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import pgettext_lazy

from feedback.ranking import COUNTED_OUTCOMES_NEEDED
from feedback.vocabulary import OutcomeKind
from review.messages import sentence
from review.screens import OutcomesPanel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrPromise as StrPromise

    from feedback.queries.outcomes import OutcomeTally
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


def outcomes_panel(tally: OutcomeTally) -> OutcomesPanel:
    """What was said of a record, and what that makes of its utility."""
    words = tuple(
        sentence("outcome_actors", kind=word, number=count.number, n=count.actors)
        for kind, word in OUTCOME_WORDS.items()
        if (count := tally.kinds[kind]).number
    )
    if not words:
        return OutcomesPanel(words=())
    return OutcomesPanel(
        words=words,
        counted=sentence("outcomes_counted", n=tally.votes.total, total=tally.total),
        utility=_utility(tally),
    )


def _utility(tally: OutcomeTally) -> Sentence:
    shown = f"{tally.utility:.3f}"
    if tally.votes.total < COUNTED_OUTCOMES_NEEDED:
        return sentence("utility_few", utility=shown)
    if tally.votes.actors < tally.minimum_actors:
        return sentence("utility_few_actors", utility=shown, n=tally.minimum_actors)
    return sentence("utility_counted", utility=shown, n=tally.votes.actors)
