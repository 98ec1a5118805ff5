"""The filters of the list of context runs."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from feedback.queries.runs import RunFilter
from feedback.vocabulary import COMPLAINTS, OutcomeKind
from review.console.drawing.outcomes import OUTCOME_WORDS
from review.console.filters import ANY, ID_PATTERN, ListFilters, TimeFilter, choice, matching

#: One choice for the outcomes that speak against a record.
COMPLAINT: Final = "complaint"


class RunFilters(ListFilters):
    """The one filter set of context runs."""

    outcome = choice(
        _("Outcome"),
        [(COMPLAINT, _("incorrect or harmful")), *OUTCOME_WORDS.items()],
        widget=forms.Select(attrs={"data-key-focus": "f"}),
    )
    by = matching(_("By"), ID_PATTERN, "choice_unknown", widget=forms.Select(choices=[ANY]))
    since = TimeFilter(label=_("From"))
    until = TimeFilter(label=_("To"))

    @property
    def narrow(self) -> RunFilter:
        """What the query is narrowed to; call after `is_valid`."""
        chosen = self.chosen
        by = chosen["by"]
        return RunFilter(
            kinds=_kinds(chosen["outcome"]),
            actor_id=UUID(by) if by else None,
            since=chosen["since"],
            until=chosen["until"],
        )


def _kinds(outcome: str | None) -> frozenset[OutcomeKind]:
    if outcome == COMPLAINT:
        return COMPLAINTS
    return frozenset({OutcomeKind(outcome)}) if outcome else frozenset()
