from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.db import OperationalError, ProgrammingError, connection
from django.test import Client

from memory.actor import Actor
from tests.factories import a_report
from tests.review.visitors import entries_of, sign_in, visitor, words_of

AUDIT = "/p/demo/audit/"
INVALID = "This form is no longer valid. Nothing was saved. Open the page again."
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@contextmanager
def failing(part: str, error: type[Exception], cause: type[psycopg.Error]) -> Iterator[None]:
    """Let every statement that holds `part` fail as the database would."""

    def fail(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if part in sql:
            raise error("a value that nobody may see") from cause("a value that nobody may see")
        return execute(sql, *rest)

    with connection.execute_wrapper(fail):
        yield


def busy(part: str) -> Any:
    return failing(part, OperationalError, psycopg.errors.LockNotAvailable)


def broken(part: str) -> Any:
    return failing(part, ProgrammingError, psycopg.errors.UndefinedTable)


def strict(actor: Actor) -> Client:
    """A browser whose forms need their token."""
    client = visitor(actor)
    client.handler.enforce_csrf_checks = True
    return client


def promote_path(agent: Actor) -> str:
    return f"/p/demo/reports/{a_report(agent).id}/promote/"


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://testserver:81"])
def test_a_form_from_elsewhere_is_refused_and_changes_nothing(
    reviewer: Actor, agent: Actor, origin: str
) -> None:
    client = strict(reviewer)
    answer = client.post(promote_path(agent), headers={"Origin": origin})
    assert answer.status_code == 403
    assert INVALID in words_of(answer)
    assert entries_of(reviewer) == []


def test_a_form_from_elsewhere_is_refused_also_where_nobody_is_signed_in(agent: Actor) -> None:
    client = Client(enforce_csrf_checks=True, headers={"Origin": "https://elsewhere.example"})
    for path in (promote_path(agent), "/sign-in/", "/sign-out/", "/prefs/"):
        assert client.post(path).status_code == 403


def test_a_form_without_its_token_leads_back_to_its_page(reviewer: Actor, agent: Actor) -> None:
    path = promote_path(agent)
    answer = strict(reviewer).post(path, {"csrfmiddlewaretoken": "x" * 64})
    assert answer.status_code == 403
    assert INVALID in words_of(answer)
    assert f'href="{path.removesuffix("promote/")}">Open the page' in answer.content.decode()
    assert "Audit log" not in words_of(answer)
    assert "Reports" in words_of(answer)


def test_who_was_signed_out_returns_to_the_page_of_the_form_and_is_told(
    reviewer: Actor, agent: Actor
) -> None:
    client = strict(reviewer)
    path = promote_path(agent)
    page = path.removesuffix("promote/")
    token = TOKEN.search(client.get(page).content.decode())
    assert token
    Session.objects.all().delete()
    answer = client.post(path, {"csrfmiddlewaretoken": token[1]})
    assert answer.status_code == 303
    lost = client.get(answer["Location"])
    text = "You were signed out. Nothing was saved. After signing in you return to the same page."
    assert text in words_of(lost)
    client.handler.enforce_csrf_checks = False
    assert sign_in(client, "reviewer", next=page)["Location"] == page


def test_signing_out_when_that_has_happened_already_says_nothing_of_it(auditor: Actor) -> None:
    client = strict(auditor)
    Session.objects.all().delete()
    answer = client.post("/sign-out/")
    assert (answer.status_code, answer["Location"]) == (303, "/sign-in/")


@pytest.mark.django_db
def test_a_sign_in_page_that_was_open_for_too_long_leads_to_a_fresh_one() -> None:
    answer = Client(enforce_csrf_checks=True).post("/sign-in/", {"name": "a", "password": "b"})
    assert answer.status_code == 403
    assert 'href="/sign-in/">Open the page' in answer.content.decode()


def test_a_form_over_the_limit_is_too_large_for_every_address(auditor: Actor) -> None:
    for client in (strict(auditor), Client(enforce_csrf_checks=True)):
        client.get("/sign-in/")
        answer = client.post("/sign-in/", {"name": "x" * 1_100_000})
        assert answer.status_code == 413
        assert "This form is too large. Nothing was saved." in words_of(answer)


@pytest.mark.django_db
def test_a_host_that_is_not_ours_gets_no_page_of_anybody() -> None:
    answer = Client(headers={"Host": "elsewhere.example"}).get("/sign-in/")
    assert answer.status_code == 400
    assert "This request cannot be read. Nothing was saved." in words_of(answer)


def test_a_busy_database_is_503_and_says_when_to_come_back(auditor: Actor) -> None:
    client = visitor(auditor)
    with busy("memory_auditentry"):
        answer = client.get(AUDIT)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "2"
    text = "The service is busy. Nothing was saved. Try again in 2 seconds."
    assert text in words_of(answer)
    assert "No entries match." not in words_of(answer)


@pytest.mark.parametrize("part", ["django_session", "memory_user", "memory_member"])
@pytest.mark.parametrize("path", [AUDIT, "/projects/", "/p/demo/", "/nowhere"])
def test_a_database_that_is_busy_before_the_page_began_is_503_too(
    auditor: Actor, part: str, path: str
) -> None:
    client = visitor(auditor, raise_request_exception=False)
    with busy(part):
        answer = client.get(path)
    assert answer.status_code == 503
    assert "Retry-After" in answer


@pytest.mark.django_db
def test_signing_in_to_a_busy_database_is_503() -> None:
    client = Client(raise_request_exception=False)
    with busy("review_signinwait"):
        answer = sign_in(client, "auditor")
    assert answer.status_code == 503


def test_a_fault_while_reading_says_that_nothing_was_changed_and_names_the_request(
    auditor: Actor,
) -> None:
    client = visitor(auditor)
    with broken("FROM memory_auditentry"):
        answer = client.get(AUDIT)
    assert answer.status_code == 500
    text = f"Something went wrong. Nothing was changed. Request {answer['X-Request-Id']}."
    assert text in words_of(answer)
    assert "a value that nobody may see" not in words_of(answer)
    assert entries_of(auditor) == [("audit.list", "refused", "internal", 0)]


def test_a_fault_while_writing_does_not_pretend_to_know(reviewer: Actor, agent: Actor) -> None:
    path = promote_path(agent)
    client = visitor(reviewer)
    form = {"expected_version": "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90", "form_key": path[16:52]}
    with broken("feedback_report"):
        answer = client.post(path, form)
    assert answer.status_code == 500
    assert "We do not know whether it was saved." in words_of(answer)


def test_a_fault_behind_a_view_that_may_have_written_is_not_called_busy(
    reviewer: Actor, agent: Actor
) -> None:
    path = promote_path(agent)
    client = visitor(reviewer, raise_request_exception=False)
    with busy('UPDATE "django_session"'):
        answer = client.post(path)
        assert client.get(AUDIT).status_code == 503
        assert client.get("/sign-in/").status_code == 503
    assert answer.status_code == 500
    assert "We do not know whether it was saved." in words_of(answer)


def test_a_refusal_that_cannot_be_audited_is_503(reviewer: Actor) -> None:
    client = visitor(reviewer)
    with busy('INSERT INTO "memory_auditentry"'):
        answer = client.get(AUDIT)
    assert answer.status_code == 503


def test_who_is_signed_out_in_another_window_meanwhile_signs_in_again(auditor: Actor) -> None:
    client = visitor(auditor)

    def sign_out_elsewhere(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith('UPDATE "django_session"'):
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM django_session")
        return execute(sql, *rest)

    with connection.execute_wrapper(sign_out_elsewhere):
        answer = client.get(AUDIT)
    assert answer.status_code == 303
    assert answer["Location"] == "/sign-in/?next=%2Fp%2Fdemo%2Faudit%2F"


def test_pages_of_failures_keep_the_chosen_theme_and_have_no_keys(auditor: Actor) -> None:
    client = visitor(auditor)
    client.cookies["errata_preferences"] = "dark.compact.keys"
    with broken("FROM memory_auditentry"):
        page = client.get(AUDIT).content.decode()
    assert 'data-theme="dark"' in page
    assert 'data-keys="off"' in page


def test_every_page_has_the_headers_that_protect_it(auditor: Actor, settings: LazySettings) -> None:
    client = visitor(auditor)
    for path in (AUDIT, "/sign-in/", "/nowhere", "/sign-out/"):
        headers = client.get(path).headers
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "strict-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
        sent = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert sent == {name: " ".join(sources) for name, sources in policy.items()}
