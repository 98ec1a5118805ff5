"""Parts of the filter sets of lists: strictly read from an address, and written back into it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from typing_extensions import override

from memory.vocabulary import Edge
from review.flags import Invisible, cut_characters, pieces
from review.messages import words
from review.screens import ActorLabel, FormProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from uuid import UUID

    from django.utils.functional import _StrPromise as StrPromise

    from memory.vocabulary import ActorKind

#: An id as an address spells it.
ID_PATTERN: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?Z?",
    re.ASCII,
)
_NAME_CHARACTERS: Final = 40
ANY: Final = ("", _("any"))

#: Names in the address that are words of Python.
_HTML_NAMES: Final = {"since": "from", "until": "to"}


class KnownActor(Protocol):
    """Somebody whom a list may be narrowed to."""

    @property
    def id(self) -> UUID:
        """Their id."""

    @property
    def name(self) -> str:
        """What they are called."""

    @property
    def kind(self) -> ActorKind:
        """Person or credential."""


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


class ListForm(forms.Form):
    """The form behind the filters, which may have a range of time."""

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


def choice(
    label: StrPromise, values: Iterable[tuple[str, Any]], **extra: Any
) -> django_filters.ChoiceFilter:
    """A filter by one of these values."""
    return django_filters.ChoiceFilter(
        label=label,
        choices=list(values),
        empty_label=ANY[1],
        null_label=None,
        error_messages={"invalid_choice": words("choice_unknown", field=label)},
        **extra,
    )


def matching(label: StrPromise, form: str, code: str, **extra: Any) -> django_filters.CharFilter:
    """A filter by a text of this form; `code` is the sentence for any other."""
    text = words(code, field=label) if code == "choice_unknown" else words(code)
    validator = RegexValidator(rf"\A{form}\Z", text, flags=re.ASCII)
    return django_filters.CharFilter(label=label, validators=[validator], **extra)


class _Unread:
    """Stands in for rows: the query is another layer's, which takes an `AuditFilter`."""

    model = None


class ListFilters(django_filters.FilterSet):  # type: ignore[misc] # comes without types
    """The filters of one list. `texts` is what the address says, without what is empty."""

    class Meta:
        form = ListForm

    def __init__(self, query: Mapping[str, str]) -> None:
        """Read the parameters of an address; of a repeated one the last counts."""
        names = [_HTML_NAMES.get(name, name) for name in self.base_filters]
        self.texts = {name: text for name in names if (text := query.get(name, ""))}
        super().__init__(self.submitted(), queryset=_Unread())

    def submitted(self) -> dict[str, Any]:
        """What the form is filled with."""
        return dict(self.texts)

    @property
    def query(self) -> dict[str, str]:
        """The parameters again, without those that go without saying."""
        return self.texts

    @property
    def chosen(self) -> dict[str, Any]:
        """The value of each filter, None where it narrows nothing; call after `is_valid`."""
        return {name: value or None for name, value in self.form.cleaned_data.items()}

    @property
    def bound(self) -> dict[str, Any]:
        """What a cursor of the list is bound to; call after `is_valid`."""
        return self.chosen

    def problems(self) -> list[FormProblem]:
        """What does not fit, field by field."""
        return [
            FormProblem(text=text, field_id=f"id_{self.form.add_prefix(field)}")
            for field, texts in self.form.errors.items()
            for text in texts
        ]

    def offer_actors(self, actors: Iterable[KnownActor], name: str) -> None:
        """Fill the choice of actors; one that was chosen stays in it, by its id if need be."""
        recent = sorted(actors, key=lambda known: known.name.casefold())
        choices = [(str(known.id), _called(known)) for known in recent]
        chosen = self.texts.get(name, "")
        if chosen and chosen not in dict(choices):
            choices.append((chosen, chosen[:8]))
        self.form.fields[name].widget.choices = [ANY, *choices]


def _called(known: KnownActor) -> str:
    """The name in an option, which can hold no markup: what cannot be seen is spelled out."""
    name = cut_characters(known.name, _NAME_CHARACTERS)
    seen = "".join(
        f"[{piece.code_point}]" if isinstance(piece, Invisible) else piece
        for piece in pieces(name.shown)
    )
    label = ActorLabel(label=seen + ("…" if name.is_cut else ""), kind=known.kind, edge=Edge.API)
    return f"{label.label} ({label.kind_label})"
