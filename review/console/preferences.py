"""Theme, density and keys: one cookie, read on every page and written by one form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from review.vocabulary import Density, Theme

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

COOKIE: Final = "errata_preferences"
_YEAR_SECONDS: Final = 365 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Look:
    """What a person prefers."""

    theme: Theme = Theme.SYSTEM
    density: Density = Density.COMFORTABLE
    are_keys_on: bool = True


def look_of(request: HttpRequest) -> Look:
    """The preferences in the cookie; a cookie that is not ours counts as none."""
    try:
        theme, density, keys = request.COOKIES.get(COOKIE, "").split(".")
        return Look(Theme(theme), Density(density), keys == "keys")
    except ValueError:
        return Look()


def remember(response: HttpResponse, look: Look) -> None:
    """Set the cookie, so that the choice holds on the sign-in page too."""
    response.set_cookie(
        COOKIE,
        f"{look.theme}.{look.density}.{'keys' if look.are_keys_on else 'none'}",
        max_age=_YEAR_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


class PreferencesForm(forms.Form):
    """The form in the footer. `next` is the page that it stands on."""

    theme = forms.ChoiceField(label=_("Theme"), choices=Theme.choices)
    density = forms.ChoiceField(label=_("Density"), choices=Density.choices)
    keys = forms.BooleanField(label=_("Keyboard shortcuts"), required=False)
    next = forms.CharField(widget=forms.HiddenInput, required=False)

    @property
    def look(self) -> Look:
        """What was chosen; call after `is_valid`."""
        chosen = self.cleaned_data
        return Look(Theme(chosen["theme"]), Density(chosen["density"]), chosen["keys"])


def preferences_form(look: Look, address: str) -> PreferencesForm:
    """The form as it stands on a page."""
    initial = {
        "theme": look.theme.value,
        "density": look.density.value,
        "keys": look.are_keys_on,
        "next": address,
    }
    return PreferencesForm(initial=initial, auto_id="preferences-%s")
