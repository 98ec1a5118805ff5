"""Forms about a record: each carries the version drawn and a key made when it was drawn."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _
from typing_extensions import override

from feedback.vocabulary import REASON_BYTES, IntegrityState
from memory.http.fields import is_blank
from memory.keys import IdempotencyRequest, fingerprint
from memory.vocabulary import NOTE_BYTES, OBJECT_BYTES
from review.messages import words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID


class Then(StrEnum):
    """Where a submit leads."""

    NEXT = "next"
    STAY = "stay"


class KeyedForm(forms.Form):
    """The key that was put into a form when it was drawn; it fits, or the form is not ours."""

    form_key = forms.UUIDField()

    def keyed(
        self, route: str, said: Mapping[str, str | None], place: dict[str, UUID]
    ) -> IdempotencyRequest:
        """The key of a submit that says this, at this place; call after `is_valid`."""
        return IdempotencyRequest(
            key=str(self.cleaned_data["form_key"]),
            route=route,
            fingerprint=fingerprint("POST", route, dict(said), place),
        )


class DrawnForm(KeyedForm):
    """What was put into a form when it was drawn; nobody types it, so it fits or is not ours."""

    expected_version = forms.UUIDField()

    @property
    def version(self) -> UUID:
        """The record's version that the person saw; call after `is_valid`."""
        version: UUID = self.cleaned_data["expected_version"]
        return version

    def key_of(
        self, route: str, body: dict[str, str | None], place: dict[str, UUID]
    ) -> IdempotencyRequest:
        """The key of a submit that says this, at this place; its version counts as said."""
        return self.keyed(route, {"expected_version": str(self.version), **body}, place)


class PromotionForm(DrawnForm):
    """What `includes/_promote_form.html` posts, but for `from`, of which nothing is refused."""

    then = forms.ChoiceField(choices=[(then.value, then.value) for then in Then], required=False)

    @property
    def leads_on(self) -> bool:
        """Whether the next report is wanted; the Enter key alone asks for that too."""
        then: str = self.cleaned_data["then"]
        return then != Then.STAY

    def key(self, route: str, report_id: UUID) -> IdempotencyRequest:
        """The key of this submit: whichever button repeats it, it is the same decision."""
        return self.key_of(route, {}, {"report": report_id})


class KeptText(forms.CharField):
    """Text kept byte for byte, but that CRLF becomes LF; counted in bytes, and never blank."""

    def __init__(self, *, limit: int, too_long: str, blank: str, **options: Any) -> None:
        """`too_long` and `blank` are codes of sentences."""
        errors = {"required": words(blank), "null_characters_not_allowed": words("nul")}
        super().__init__(strip=False, error_messages=errors, **options)
        self.limit = limit
        self.too_long = too_long
        self.blank = blank

    @override
    def to_python(self, value: Any) -> str:
        """The text as it was typed: browsers send every line break as CRLF."""
        return str(super().to_python(value)).replace("\r\n", "\n")

    @override
    def validate(self, value: str) -> None:
        """Refuse what cannot be seen at all, and what is too long."""
        super().validate(value)
        if value and is_blank(value):
            raise forms.ValidationError(words(self.blank))
        size = len(value.encode())
        if size > self.limit:
            raise forms.ValidationError(words(self.too_long, n=size))


class DoubtForm(forms.Form):
    """What is wrong with a record, and what it should say."""

    note = KeptText(
        label=_("What is wrong?"),
        help_text=_("And how do you know it? At most 16,384 bytes."),
        limit=NOTE_BYTES,
        too_long="note_bytes",
        blank="note_blank",
        widget=forms.Textarea(attrs={"class": "field-text", "dir": "auto", "rows": 6}),
    )
    proposed_object = KeptText(
        label=_("It should say"),
        help_text=_("In place of the object. Optional, at most 1,024 bytes."),
        limit=OBJECT_BYTES,
        too_long="value_bytes",
        blank="value_blank",
        required=False,
        widget=forms.TextInput(attrs={"class": "field-text", "dir": "auto", "autocomplete": "off"}),
    )

    @property
    def note_text(self) -> str:
        """What is wrong; call after `is_valid`."""
        text: str = self.cleaned_data["note"]
        return text

    @property
    def value(self) -> str | None:
        """What the record should say; None where the field was left empty."""
        return self.cleaned_data["proposed_object"] or None

    @property
    def said(self) -> dict[str, str | None]:
        """Both, as a second submit is compared with the first."""
        return {"note": self.note_text, "proposed_object": self.value}


class Decision(StrEnum):
    """What a form about a suspected record decides."""

    NO_CONCERN = "no_concern"
    REPORT = "report"


class SeenForm(KeyedForm):
    """What was put into a form about a suspected record when it was drawn."""

    seen = forms.ChoiceField(choices=[(state.value, state.value) for state in IntegrityState])

    @property
    def state(self) -> IntegrityState:
        """The state that the person saw; call after `is_valid`."""
        return IntegrityState(self.cleaned_data["seen"])


class DecisionForm(SeenForm):
    """The same where there is something to decide; a report is about a version that was drawn."""

    decision = forms.ChoiceField(choices=[(choice.value, choice.value) for choice in Decision])
    expected_version = forms.UUIDField(required=False)

    @override
    def clean(self) -> None:
        """A report without a version is none of ours."""
        said = self.cleaned_data
        if said.get("decision") == Decision.REPORT and not said.get("expected_version"):
            self.add_error("expected_version", forms.ValidationError(words("form_invalid")))

    @property
    def is_report(self) -> bool:
        """Whether it reports a doubt; call after `is_valid`."""
        return bool(self.cleaned_data["decision"] == Decision.REPORT)

    @property
    def version(self) -> UUID:
        """The record's version that the person saw, in a report; call after `is_valid`."""
        version: UUID = self.cleaned_data["expected_version"]
        return version


class ReasonForm(forms.Form):
    """Why a suspected record is of no concern."""

    reason = KeptText(
        label=_("Why is it of no concern?"),
        help_text=_("At most 500 bytes."),
        limit=REASON_BYTES,
        too_long="reason_bytes",
        blank="reason_blank",
        widget=forms.Textarea(attrs={"class": "field-text", "dir": "auto", "rows": 3}),
    )

    @property
    def reason_text(self) -> str:
        """The reason; call after `is_valid`."""
        text: str = self.cleaned_data["reason"]
        return text
