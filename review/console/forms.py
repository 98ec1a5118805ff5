"""Forms that change a record: each carries the version drawn and a key made when it was drawn."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from django import forms

from memory.keys import IdempotencyRequest, fingerprint

if TYPE_CHECKING:
    from uuid import UUID


class Then(StrEnum):
    """Where a submit leads."""

    NEXT = "next"
    STAY = "stay"


class PromotionForm(forms.Form):
    """What `includes/_promote_form.html` posts, but for `from`, of which nothing is refused."""

    expected_version = forms.UUIDField()
    form_key = forms.UUIDField()
    then = forms.ChoiceField(choices=[(then.value, then.value) for then in Then], required=False)

    @property
    def version(self) -> UUID:
        """The record's version that the person saw; call after `is_valid`."""
        version: UUID = self.cleaned_data["expected_version"]
        return version

    @property
    def leads_on(self) -> bool:
        """Whether the next report is wanted; the Enter key alone asks for that too."""
        then: str = self.cleaned_data["then"]
        return then != Then.STAY

    def key(self, route: str, report_id: UUID) -> IdempotencyRequest:
        """The key of this submit: whichever button repeats it, it is the same decision."""
        body = {"expected_version": str(self.version)}
        return IdempotencyRequest(
            key=str(self.cleaned_data["form_key"]),
            route=route,
            fingerprint=fingerprint("POST", route, body, {"report": report_id}),
        )
