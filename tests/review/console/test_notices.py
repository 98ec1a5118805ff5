from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib.messages.storage.session import SessionStorage
from django.contrib.sessions.backends.cache import SessionStore
from django.http import HttpResponse
from django.test import RequestFactory

from review.console.notices import leave_notice, take_notice
from review.messages import sentence
from review.screens import Link, Notice, Tone

AT = datetime(2026, 11, 30, 18, 3, 11, 204518, tzinfo=UTC)
NOTICE = Notice(
    tone=Tone.WARN,
    heading=sentence(
        "corrected",
        subject="<b>Burundi</b>",
        predicate="has_capital",
        object="Gi\u200btega",
        time=AT,
    ),
    lines=(sentence("other_open_reports", n=2), sentence("last_in_view")),
    links=(Link(label="View the new record", url="/p/demo/records/"),),
)


def request_with_session() -> Any:
    request: Any = RequestFactory().get("/")
    request.session = SessionStore()
    request._messages = SessionStorage(request)
    return request


def test_a_notice_survives_the_session_with_values_and_without_markup() -> None:
    request = request_with_session()
    leave_notice(request, NOTICE)
    request._messages.update(HttpResponse())  # what the middleware does at the end of a request
    request._messages = SessionStorage(request)
    assert take_notice(request) == NOTICE
    request._messages.update(HttpResponse())
    request._messages = SessionStorage(request)
    assert take_notice(request) is None


def test_of_several_notices_the_last_is_shown_and_none_stays() -> None:
    request = request_with_session()
    leave_notice(request, Notice(tone=Tone.OK, heading=sentence("saved")))
    leave_notice(request, NOTICE)
    assert take_notice(request) == NOTICE


def test_without_a_notice_there_is_none() -> None:
    assert take_notice(request_with_session()) is None
