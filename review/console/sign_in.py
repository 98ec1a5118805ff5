"""S1: signing in and out. What was typed reaches neither log nor database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django import forms
from django.contrib.auth import authenticate, login, logout
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from review.console import pages
from review.console.frame import frame_of, is_here, redirect, render
from review.console.visit import arrive
from review.errors import TooManySignIns
from review.messages import sentence, words
from review.operations.claim_sign_in import claim_sign_in
from review.operations.clear_sign_in import clear_sign_in
from review.operations.sign_in_rows import SignInKeys
from review.screens import FormProblem, Notice, SignInScreen, Tone

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

NAME_CHARACTERS: Final = 150  # what names of accounts have at most
_METHODS: Final = ("GET", "HEAD", "POST")
_WRONG: Final = words("sign_in_wrong")


class SignInForm(forms.Form):
    """A name and a password, as password managers expect them."""

    name = forms.CharField(
        label=_("Name"),
        max_length=NAME_CHARACTERS,
        error_messages={
            "required": words("name_missing"),
            "max_length": _WRONG,
            "null_characters_not_allowed": _WRONG,
        },
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        error_messages={
            "required": words("password_missing"),
            "null_characters_not_allowed": _WRONG,
        },
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


@sensitive_post_parameters()
def sign_in(request: HttpRequest) -> HttpResponse:
    """The page, and its form. Leads to the asked page if it is on this host, else to the start."""
    if request.method == "POST":
        return _attempt(request, _following(request, request.POST.get("next", "")))
    following = _following(request, request.GET.get("next", ""))
    person = arrive(request).person
    if not pages.is_reading(request):
        return pages.wrong_method_page(request, None, _METHODS, None)
    if person is not None:
        return redirect(following or reverse("review:start"))
    notice = None
    if request.GET.get("lost"):
        notice = Notice(tone=Tone.WARN, heading=sentence("signed_out"))
    return _page(request, SignInForm(), following, notice=notice)


def sign_out(request: HttpRequest) -> HttpResponse:
    """End the sign-in on the server, whether or not one was left."""
    if request.method != "POST":
        arrive(request)
        return pages.wrong_method_page(request, None, ("POST",), pages.start_link())
    logout(request)
    return redirect(reverse("review:sign-in"))


@sensitive_variables("form")
def _attempt(request: HttpRequest, following: str) -> HttpResponse:
    form = SignInForm(request.POST)
    if not form.is_valid():
        problems = [
            FormProblem(text=str(text), field_id=f"id_{field}")
            for field, texts in form.errors.items()
            for text in texts
        ]
        return _page(request, form, following, problems)
    name = form.cleaned_data["name"]
    keys = SignInKeys.of(name=name, address=request.META.get("REMOTE_ADDR", ""))
    try:
        claim_sign_in(keys=keys)
    except TooManySignIns as refusal:
        text = sentence("sign_in_locked", n=refusal.minutes)
        page = _page(request, form, following, [FormProblem(text=text)], status=429)
        page.headers["Retry-After"] = str(refusal.retry_after)
        return page
    user = authenticate(request, username=name, password=form.cleaned_data["password"])
    if user is None:
        problem = FormProblem(text=sentence("sign_in_wrong"), field_id="id_name")
        return _page(request, form, following, [problem])
    clear_sign_in(keys=keys)
    if request.user.is_authenticated:
        logout(request)  # a sign-in on top of another one gets a new cookie too
    login(request, user)
    return redirect(following or reverse("review:start"))


def _following(request: HttpRequest, asked: str) -> str:
    return asked if is_here(request, asked) else ""


def _page(
    request: HttpRequest,
    form: SignInForm,
    following: str,
    problems: list[FormProblem] | None = None,
    *,
    notice: Notice | None = None,
    status: int = 422,
) -> HttpResponse:
    """The page; with problems it answers `status`."""
    prefix = _("Error: ") if problems else ""
    frame = frame_of(request, None, title=_("Sign in"), title_prefix=prefix, notice=notice)
    screen = SignInScreen(
        frame=frame, form=form, problems=tuple(problems or ()), next_url=following
    )
    return render(request, screen, "review/sign_in.html", status if problems else 200)
