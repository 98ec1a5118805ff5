"""Routes of RCP: two kinds of base, and below each any method (`protocols.md` 1.3)."""

from __future__ import annotations

from django.urls import re_path

from feedback.rcp.views import answer

app_name = "rcp"

_SESSION = r"\A/s/(?P<name>[A-Za-z0-9_-]{1,64})"

urlpatterns = [
    re_path(r"\A\Z", answer, name="stateless"),
    re_path(rf"{_SESSION}\Z", answer, name="session"),
    re_path(rf"{_SESSION}/(?P<method>.+)\Z", answer, name="session-method"),
    re_path(r"\A/(?!s/)(?P<method>.+)\Z", answer, name="method"),
]
