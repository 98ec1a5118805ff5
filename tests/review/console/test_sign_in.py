from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from memory.actor import Actor
from memory.models import User
from tests.factories import PASSWORD
from tests.review.visitors import sign_in, visitor
from tests.statements import watched

SIGN_IN = "/sign-in/"
WRONG = "The name or the password is wrong."
LOST = "You were signed out. Nothing was saved. After signing in you return to the same page."


def text_of(answer: Any) -> str:
    text: str = answer.content.decode()
    return text


def let_waits_pass(minutes: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE review_signinwait SET locked_until = locked_until - %s * interval '1 minute'",
            [minutes],
        )


@pytest.mark.django_db
def test_the_page_has_a_form_that_password_managers_understand() -> None:
    page = text_of(Client().get(SIGN_IN))
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page
    assert "Sign out" not in page


def test_the_right_password_starts_a_new_session_and_leads_to_the_start(auditor: Actor) -> None:
    client = Client()
    client.get(SIGN_IN)
    before = client.cookies["sessionid"].value
    answer = sign_in(client, auditor.label)
    assert (answer.status_code, answer["Location"]) == (303, "/")
    cookie = client.cookies["sessionid"]
    assert cookie.value != before
    assert not Session.objects.filter(session_key=before).exists()
    assert cookie["httponly"] is True
    assert cookie["secure"] is True
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 30 * 60


def test_signing_in_twice_starts_a_new_session_twice(auditor: Actor) -> None:
    client = visitor(auditor)
    before = client.cookies["sessionid"].value
    sign_in(client, auditor.label)
    assert client.cookies["sessionid"].value != before
    assert Session.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("auditor", "not the password"),
        ("nobody-has-this-name", PASSWORD),
        ("Auditor", PASSWORD),
        ("a" * 151, PASSWORD),
        ("audi\0tor", PASSWORD),
        ("auditor", PASSWORD + "\0"),
        ("' OR pg_sleep(3) --", PASSWORD),
    ],
)
@pytest.mark.usefixtures("auditor")
def test_a_wrong_name_and_a_wrong_password_read_the_same(name: str, password: str) -> None:
    answer = sign_in(Client(), name, password)
    page = text_of(answer)
    assert answer.status_code == 422
    assert page.count(WRONG) >= 1
    assert "<title>Error: Sign in · Errata</title>" in page
    assert password not in page


def test_a_disabled_account_reads_like_a_wrong_password(auditor: Actor) -> None:
    User.objects.filter(id=auditor.id).update(is_active=False)
    answer = sign_in(Client(), auditor.label)
    assert answer.status_code == 422
    assert WRONG in text_of(answer)


@pytest.mark.django_db
def test_empty_fields_are_named_and_linked_and_count_as_no_attempt() -> None:
    answers = [sign_in(Client(), "", "") for _ in range(25)]
    assert {answer.status_code for answer in answers} == {422}
    page = text_of(answers[-1])
    assert '<a class="link" href="#id_name">Enter your name.</a>' in page
    assert '<a class="link" href="#id_password">Enter your password.</a>' in page


@pytest.mark.parametrize(
    ("asked", "following"),
    [
        ("/p/demo/audit/?op=x&after=y", "/p/demo/audit/?op=x&after=y"),
        ("//elsewhere.example/", "/"),
        ("https://elsewhere.example/", "/"),
        ("/\\elsewhere.example", "/"),
        ("http:elsewhere", "/"),
        ("javascript:alert(1)", "/"),
        ("elsewhere", "/"),
        ("/ä\r\nSet-Cookie: x=1", "/%C3%A4%0D%0ASet-Cookie:%20x=1"),
        ("", "/"),
    ],
)
def test_the_asked_page_opens_only_if_it_is_on_this_host(
    auditor: Actor, asked: str, following: str
) -> None:
    answer = sign_in(Client(), auditor.label, next=asked)
    assert answer["Location"] == following
    assert visitor(auditor).get(SIGN_IN, {"next": asked})["Location"] == following


@pytest.mark.django_db
def test_a_page_that_is_asked_for_leads_over_the_sign_in_back_to_itself() -> None:
    client = Client()
    answer = client.get("/p/demo/audit/?outcome=refused")
    assert answer.status_code == 303
    assert answer["Location"] == "/sign-in/?next=%2Fp%2Fdemo%2Faudit%2F%3Foutcome%3Drefused"
    page = text_of(client.get(answer["Location"]))
    assert '<input type="hidden" name="next" value="/p/demo/audit/?outcome=refused">' in page
    assert LOST not in page


@pytest.mark.django_db
def test_who_was_signed_out_while_writing_is_told_that_nothing_was_saved() -> None:
    assert LOST in text_of(Client().get(SIGN_IN, {"lost": "1", "next": "/"}))


def test_after_the_fifth_failure_in_a_row_even_the_right_password_waits(auditor: Actor) -> None:
    client = Client()
    assert [sign_in(client, auditor.label, "wrong").status_code for _ in range(5)] == [422] * 5
    with watched() as statements:
        locked = sign_in(client, auditor.label)
    assert "memory_user" not in str(statements)  # nobody looked at the password
    assert locked.status_code == 429
    assert "Too many attempts. Try again in 1 minute." in text_of(locked)
    assert 1 <= int(locked["Retry-After"]) <= 60
    let_waits_pass(1)
    assert sign_in(client, auditor.label).status_code == 303


@pytest.mark.django_db
def test_waits_double_up_to_fifteen_minutes_for_names_that_do_not_exist_too() -> None:
    client = Client()
    for _ in range(5):
        sign_in(client, "who-is-this")
    minutes = []
    for _ in range(7):
        locked = sign_in(client, "who-is-this")
        minutes.append(-(-int(locked["Retry-After"]) // 60))
        let_waits_pass(15)
        assert sign_in(client, "who-is-this").status_code == 422
    assert minutes == [1, 2, 4, 8, 15, 15, 15]


def test_a_success_makes_the_count_of_a_name_begin_again(auditor: Actor) -> None:
    client = Client()
    for _ in range(3):
        assert [sign_in(client, auditor.label, "wrong").status_code for _ in range(4)] == [422] * 4
        assert sign_in(client, auditor.label).status_code == 303


def test_the_twentieth_failure_of_an_address_locks_the_address_but_no_other_name(
    auditor: Actor,
) -> None:
    for number in range(20):
        assert sign_in(Client(), f"name-{number}").status_code == 422
    assert sign_in(Client(), auditor.label).status_code == 429
    elsewhere = Client(REMOTE_ADDR="203.0.113.7")
    assert sign_in(elsewhere, auditor.label).status_code == 303


def test_successes_do_not_count_against_an_address(auditor: Actor) -> None:
    assert {sign_in(Client(), auditor.label).status_code for _ in range(25)} == {303}


def test_a_forwarded_address_does_not_help_against_a_wait(auditor: Actor) -> None:
    client = Client(headers={"X-Forwarded-For": "203.0.113.9"})
    for _ in range(5):
        sign_in(client, auditor.label, "wrong")
    other = Client(headers={"X-Forwarded-For": "203.0.113.10"})
    assert sign_in(other, auditor.label).status_code == 429


def test_nothing_that_was_typed_lies_in_the_table_of_waits(auditor: Actor) -> None:
    sign_in(Client(), auditor.label, "my-secret-word")
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(w::text, ' ') FROM review_signinwait w")
        kept = cursor.fetchone()[0]
    assert b"auditor".hex() not in kept
    assert not {"auditor", "my-secret-word", "127.0.0.1"} & set(kept.split(","))


def test_signing_out_ends_the_session_on_the_server(auditor: Actor) -> None:
    client = visitor(auditor)
    stolen = client.cookies["sessionid"].value
    answer = client.post("/sign-out/")
    assert (answer.status_code, answer["Location"]) == (303, SIGN_IN)
    assert Session.objects.count() == 0
    client.cookies["sessionid"] = stolen
    assert client.get("/projects/")["Location"].startswith(SIGN_IN)


def test_signing_out_takes_a_form_only(auditor: Actor) -> None:
    client = visitor(auditor)
    answer = client.get("/sign-out/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This address only takes a form. Open the page first." in text_of(answer)
    assert client.get("/p/demo/audit/").status_code == 200


def test_no_page_of_somebody_may_be_kept_by_the_browser(auditor: Actor) -> None:
    client = visitor(auditor)
    for path in ("/projects/", "/p/demo/", "/p/demo/audit/", "/p/demo/nowhere/", SIGN_IN):
        assert client.get(path)["Cache-Control"] == "no-store"


def test_a_session_ends_after_thirty_idle_minutes(auditor: Actor) -> None:
    client = visitor(auditor)
    now = datetime.now(UTC)
    for minutes, status in ((29, 200), (58, 200), (89, 303)):
        with time_machine.travel(now + timedelta(minutes=minutes)):
            assert client.get("/p/demo/audit/").status_code == status


def test_a_session_ends_after_twelve_hours_however_busy_it_was(auditor: Actor) -> None:
    client = visitor(auditor)
    now = datetime.now(UTC)
    for minutes in range(0, 12 * 60, 25):
        with time_machine.travel(now + timedelta(minutes=minutes)):
            assert client.get("/p/demo/audit/").status_code == 200
    with time_machine.travel(now + timedelta(hours=12, seconds=1)):
        assert client.get("/p/demo/audit/").status_code == 303


def test_a_bearer_token_opens_no_page(agent_token: str) -> None:
    client = Client(headers={"Authorization": f"Bearer {agent_token}"})
    assert client.get("/p/demo/audit/").status_code == 303


def test_signing_in_takes_at_most_nine_statements(
    auditor: Actor, count_statements: Callable[[Callable[[], object]], int]
) -> None:
    client = Client()
    assert count_statements(lambda: client.get(SIGN_IN)) <= 9
    assert count_statements(lambda: sign_in(client, auditor.label, "wrong")) <= 9
    assert count_statements(lambda: sign_in(client, auditor.label)) <= 9
    assert count_statements(lambda: client.post("/sign-out/")) <= 9
