"""The filters of the audit log: what its address says, strictly read, and back again."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import django_filters
from django import forms
from django.utils.translation import gettext_lazy as _
from typing_extensions import override

from memory.queries.audit_log import AuditFilter
from memory.vocabulary import ActorKind, AuditOutcome, Edge, Operation
from review.console.filters import ANY, ID_PATTERN, ListFilters, TimeFilter, choice, matching
from review.screens import ActorLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrPromise as StrPromise

SHOWN: Final = "show"  # the value of `reads` that does not hide them


def _edge_label(edge: Edge) -> StrPromise:
    return ActorLabel(label="", kind=ActorKind.USER, edge=edge).edge_label


class AuditFilters(ListFilters):
    """The one filter set of the audit log. Reads are hidden unless somebody asks for them."""

    op = choice(
        _("Operation"),
        ((name.value, name.value) for name in Operation),
        widget=forms.Select(attrs={"data-key-focus": "f"}),
    )
    outcome = choice(
        _("Outcome"),
        [(AuditOutcome.ALLOWED.value, _("allowed")), (AuditOutcome.REFUSED.value, _("refused"))],
    )
    actor = matching(_("Actor"), ID_PATTERN, "choice_unknown", widget=forms.Select(choices=[ANY]))
    edge = choice(_("Edge"), ((edge.value, _edge_label(edge)) for edge in Edge))
    request = matching(
        _("Request"),
        "req_[0-9a-f]{32}",
        "request_malformed",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    since = TimeFilter(label=_("From"))
    until = TimeFilter(label=_("To"))
    reads = django_filters.BooleanFilter(
        label=_("Hide reads"), field_name="reads", widget=forms.CheckboxInput
    )

    def __init__(self, query: Mapping[str, str]) -> None:
        """Read the parameters of an address; of `reads` only that it shows them."""
        super().__init__(query)
        if self.texts.get("reads") != SHOWN:
            self.texts.pop("reads", None)

    @override
    def submitted(self) -> dict[str, Any]:
        """What the form is filled with; a box that is ticked unless somebody asks."""
        return {**self.texts, "reads": self.texts.get("reads") != SHOWN}

    @property
    def narrow(self) -> AuditFilter:
        """What the query is narrowed to; call after `is_valid`."""
        chosen = self.chosen
        outcome, edge, actor = chosen["outcome"], chosen["edge"], chosen["actor"]
        return AuditFilter(
            operation=chosen["op"],
            outcome=AuditOutcome(outcome) if outcome else None,
            actor_id=UUID(actor) if actor else None,
            edge=Edge(edge) if edge else None,
            request_id=chosen["request"],
            since=chosen["since"],
            until=chosen["until"],
            is_hiding_reads=bool(chosen["reads"]),
        )

    @property
    @override
    def bound(self) -> dict[str, Any]:
        """What a cursor of this list is bound to."""
        return asdict(self.narrow)
