"""The filters of the list of context runs, and the way back to it from one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from django import forms
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext_lazy as _

from feedback.queries.runs import RunFilter
from feedback.vocabulary import COMPLAINTS, OutcomeKind
from review.console.drawing.outcomes import OUTCOME_WORDS
from review.console.filters import ANY, ID_PATTERN, ListFilters, TimeFilter, choice, matching

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    @property
    def bound(self) -> dict[str, Any]:
        """What a cursor of this list is bound to."""
        return self.chosen


def _kinds(outcome: str | None) -> frozenset[OutcomeKind]:
    if outcome == COMPLAINT:
        return COMPLAINTS
    return frozenset({OutcomeKind(outcome)}) if outcome else frozenset()


def sign_origin(query: Mapping[str, str], project_id: UUID) -> str:
    """A page of the list as the field `from`, which nobody can make up; empty for its start."""
    return _signer(project_id).sign(urlencode(query)) if query else ""


def query_of_origin(text: str | None, project_id: UUID) -> dict[str, str]:
    """The page of the list that `from` names; its start for anything that we did not sign."""
    try:
        return dict(parse_qsl(_signer(project_id).unsign(text or "")))
    except BadSignature:
        return {}


def _signer(project_id: UUID) -> Signer:
    return Signer(sep=".", salt=f"errata.runs.1:{project_id}")
