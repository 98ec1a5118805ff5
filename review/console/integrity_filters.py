"""The filters of the list of suspected records."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from feedback.vocabulary import IntegrityState, Suspicion
from review.console.drawing.integrity import STATE_WORDS
from review.console.filters import ListFilters, choice
from review.vocabulary import SUSPICION_WORDS


class IntegrityFilters(ListFilters):
    """The one filter set of suspected records."""

    kind = choice(
        _("Suspected of"),
        SUSPICION_WORDS.items(),
        widget=forms.Select(attrs={"data-key-focus": "f"}),
    )
    state = choice(_("State"), STATE_WORDS.items())

    @property
    def suspicion(self) -> Suspicion | None:
        """The kind of suspicion; call after `is_valid`."""
        kind = self.chosen["kind"]
        return Suspicion(kind) if kind else None

    @property
    def item_state(self) -> IntegrityState | None:
        """The state; call after `is_valid`."""
        state = self.chosen["state"]
        return IntegrityState(state) if state else None
