"""The form of theme, density and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from review.console import pages
from review.console.frame import is_here, redirect
from review.console.notices import leave_notice
from review.console.preferences import PreferencesForm, remember
from review.console.visit import arrive
from review.messages import sentence
from review.screens import Notice, Tone

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def save_preferences(request: HttpRequest) -> HttpResponse:
    """Set the cookie and go back to the page; for everybody, signed in or not."""
    arrive(request)
    if request.method != "POST":
        return pages.wrong_method_page(request, None, ("POST",), pages.start_link())
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        return pages.bad_request_page(request)
    leave_notice(request, Notice(tone=Tone.OK, heading=sentence("saved")))
    following = form.cleaned_data["next"]
    response = redirect(following if is_here(request, following) else reverse("review:start"))
    remember(response, form.look)
    return response
