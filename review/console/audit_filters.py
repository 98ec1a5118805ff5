"""The filters of the audit log: what its address says, strictly read, and back again."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from typing_extensions import override

from memory.queries.audit_log import AuditFilter
from memory.vocabulary import ActorKind, AuditOutcome, Edge, Operation
from review.flags import Invisible, cut_characters, pieces
from review.messages import words
from review.screens import ActorLabel, FormProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.utils.functional import _StrPromise as StrPromise

    from memory.queries.audit_log import AuditActor

_ID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?Z?",
    re.ASCII,
)
SHOWN: Final = "show"  # the value of `reads` that does not hide them
_NAME_CHARACTERS: Final = 40
_ANY: Final = ("", _("any"))

#: Names in the address that are words of Python.
_HTML_NAMES: Final = {"since": "from", "until": "to"}


class TimeField(forms.CharField):
    """A date, or a date and time, in UTC."""

    @override
    def clean(self, value: Any) -> datetime | None:
        """The time; None without one."""
        text = super().clean(value)
        if not text:
            return None
        refusal = ValidationError(words("time_malformed", field=self.label))
        if not _TIME.fullmatch(text):
            raise refusal
        try:
            return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)
        except ValueError:
            raise refusal from None


class TimeFilter(django_filters.CharFilter):  # type: ignore[misc] # comes without types
    """A bound of the time."""

    field_class = TimeField


class AuditForm(forms.Form):
    """The form behind the filters."""

    @override
    def add_prefix(self, field_name: str) -> str:
        """The name of a field in the address."""
        return _HTML_NAMES.get(field_name, field_name)

    @override
    def clean(self) -> None:
        """An empty range is a mistake."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since >= until:
            self.add_error("since", ValidationError(words("from_before_to")))


def _choice(
    label: StrPromise, values: Iterable[tuple[str, Any]], **extra: Any
) -> django_filters.ChoiceFilter:
    return django_filters.ChoiceFilter(
        label=label,
        choices=list(values),
        empty_label=_ANY[1],
        null_label=None,
        error_messages={"invalid_choice": words("choice_unknown", field=label)},
        **extra,
    )


def _matching(label: StrPromise, form: str, code: str, **extra: Any) -> django_filters.CharFilter:
    text = words(code, field=label) if code == "choice_unknown" else words(code)
    validator = RegexValidator(rf"\A{form}\Z", text, flags=re.ASCII)
    return django_filters.CharFilter(label=label, validators=[validator], **extra)


def _edge_label(edge: Edge) -> StrPromise:
    return ActorLabel(label="", kind=ActorKind.USER, edge=edge).edge_label


class _Unread:
    """Stands in for rows: the query is another layer's, which takes an `AuditFilter`."""

    model = None


class AuditFilters(django_filters.FilterSet):  # type: ignore[misc] # comes without types
    """The one filter set of the audit log. Reads are hidden unless somebody asks for them."""

    op = _choice(
        _("Operation"),
        ((name.value, name.value) for name in Operation),
        widget=forms.Select(attrs={"data-key-focus": "f"}),
    )
    outcome = _choice(
        _("Outcome"),
        [(AuditOutcome.ALLOWED.value, _("allowed")), (AuditOutcome.REFUSED.value, _("refused"))],
    )
    actor = _matching(_("Actor"), _ID, "choice_unknown", widget=forms.Select(choices=[_ANY]))
    edge = _choice(_("Edge"), ((edge.value, _edge_label(edge)) for edge in Edge))
    request = _matching(
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

    class Meta:
        form = AuditForm

    def __init__(self, query: Mapping[str, str]) -> None:
        """Read the parameters of an address; of a repeated one the last counts."""
        names = [_HTML_NAMES.get(name, name) for name in self.base_filters]
        self.texts = {name: text for name in names if (text := query.get(name, ""))}
        reads = self.texts.pop("reads", "")
        if reads == SHOWN:
            self.texts["reads"] = SHOWN
        super().__init__({**self.texts, "reads": reads != SHOWN}, queryset=_Unread())

    @property
    def query(self) -> dict[str, str]:
        """The parameters again, without those that go without saying."""
        return self.texts

    @property
    def narrow(self) -> AuditFilter:
        """What the query is narrowed to; call after `is_valid`."""
        chosen = {name: value or None for name, value in self.form.cleaned_data.items()}
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
    def bound(self) -> dict[str, Any]:
        """What a cursor of this list is bound to."""
        return asdict(self.narrow)

    def problems(self) -> list[FormProblem]:
        """What does not fit, field by field."""
        return [
            FormProblem(text=text, field_id=f"id_{self.form.add_prefix(field)}")
            for field, texts in self.form.errors.items()
            for text in texts
        ]

    def offer_actors(self, actors: Iterable[AuditActor]) -> None:
        """Fill the choice of actors; one that was chosen stays in it, by its id if need be."""
        recent = sorted(actors, key=lambda known: known.name.casefold())
        choices = [(str(known.id), _called(known)) for known in recent]
        chosen = self.texts.get("actor", "")
        if chosen and chosen not in dict(choices):
            choices.append((chosen, chosen[:8]))
        self.form.fields["actor"].widget.choices = [_ANY, *choices]


def _called(known: AuditActor) -> str:
    """The name in an option, which can hold no markup: what cannot be seen is spelled out."""
    name = cut_characters(known.name, _NAME_CHARACTERS)
    seen = "".join(
        f"[{piece.code_point}]" if isinstance(piece, Invisible) else piece
        for piece in pieces(name.shown)
    )
    label = ActorLabel(label=seen + ("…" if name.is_cut else ""), kind=known.kind, edge=Edge.API)
    return f"{label.label} ({label.kind_label})"
