from __future__ import annotations

import pytest
from django.test import Client

from memory.actor import Actor
from tests.review.visitors import visitor, words_of

PREFERENCES = "/prefs/"
CHOSEN = {"theme": "dark", "density": "compact", "keys": "on"}
COOKIE = "errata_preferences"


def test_what_is_chosen_is_one_cookie_and_shows_on_every_page(auditor: Actor) -> None:
    client = visitor(auditor)
    page = "/p/demo/audit/?op=record.assert"
    answer = client.post(PREFERENCES, {**CHOSEN, "next": page})
    assert (answer.status_code, answer["Location"]) == (303, page)
    cookie = client.cookies[COOKIE]
    assert cookie.value == "dark.compact.keys"
    assert cookie["httponly"] is True
    assert cookie["secure"] is True
    assert cookie["samesite"] == "Lax"
    drawn = client.get(page).content.decode()
    assert 'data-theme="dark"' in drawn
    assert 'data-density="compact"' in drawn
    assert 'data-keys="on"' in drawn
    assert "Saved." in drawn
    assert "Saved." not in client.get(page).content.decode()


@pytest.mark.django_db
def test_the_choice_holds_on_the_sign_in_page_and_can_be_made_there() -> None:
    client = Client()
    page = client.get("/sign-in/?next=%2Fp%2Fdemo%2F").content.decode()
    assert 'action="/prefs/"' in page
    assert '<input type="hidden" name="next" value="/sign-in/?next=%2Fp%2Fdemo%2F"' in page
    answer = client.post(PREFERENCES, {**CHOSEN, "keys": "", "next": "/sign-in/"})
    assert answer["Location"] == "/sign-in/"
    drawn = client.get("/sign-in/").content.decode()
    assert 'data-theme="dark"' in drawn
    assert 'data-keys="off"' in drawn


@pytest.mark.parametrize(
    "cookie",
    ["", "dark", "pink.compact.keys", "dark.compact", "dark.compact.keys.x", '"><script>', "..."],
)
@pytest.mark.django_db
def test_a_cookie_that_is_not_ours_counts_as_none(cookie: str) -> None:
    client = Client()
    client.cookies[COOKIE] = cookie
    page = client.get("/sign-in/").content.decode()
    assert 'data-theme="system"' in page
    assert 'data-density="comfortable"' in page
    assert 'data-keys="on"' in page


@pytest.mark.parametrize(
    "following", ["https://elsewhere.example/", "//elsewhere.example", "", "x"]
)
@pytest.mark.django_db
def test_saving_leads_nowhere_else(following: str) -> None:
    answer = Client().post(PREFERENCES, {**CHOSEN, "next": following})
    assert answer["Location"] == "/"


@pytest.mark.django_db
def test_a_choice_that_does_not_exist_is_refused_and_nothing_is_set() -> None:
    client = Client()
    answer = client.post(PREFERENCES, {**CHOSEN, "theme": "pink"})
    assert answer.status_code == 400
    assert COOKIE not in client.cookies


def test_the_address_takes_a_form_only(auditor: Actor) -> None:
    answer = visitor(auditor).get(PREFERENCES)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This address only takes a form. Open the page first." in words_of(answer)
