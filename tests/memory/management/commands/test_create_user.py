from __future__ import annotations

import sys
from io import StringIO

import pytest
from typing_extensions import override

from memory.management.commands import create_user
from memory.models import User
from tests.commands import answered, refusal_of, said

pytestmark = pytest.mark.django_db

PASSWORD = "blue lamps hum softly"


class Terminal(StringIO):
    """Standard input where a person sits."""

    @override
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the person at the terminal will type when asked for a password."""
    answers: list[str] = []
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(create_user, "getpass", lambda _: answers.pop(0))
    return answers


def on_standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(text))


def test_the_password_comes_from_the_first_line_of_standard_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_standard_input(monkeypatch, f"{PASSWORD}\nand more\n")
    assert said("create_user", "mia", "--password-stdin") == (
        "Account mia is ready. It has no role yet.\n"
    )
    assert User.objects.get(username="mia").check_password(PASSWORD)


def test_json_names_the_account_and_nothing_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    on_standard_input(monkeypatch, PASSWORD)
    answer = answered("create_user", "mia", "--password-stdin")
    assert answer == {"id": str(User.objects.get(username="mia").id), "username": "mia"}


def test_a_person_at_a_terminal_is_asked_twice(typed: list[str]) -> None:
    typed += [PASSWORD, PASSWORD]
    said("create_user", "mia")
    assert User.objects.get(username="mia").check_password(PASSWORD)


def test_two_different_answers_are_refused(typed: list[str]) -> None:
    typed += [PASSWORD, PASSWORD.upper()]
    assert refusal_of("create_user", "mia") == "The two passwords differ."
    assert not User.objects.filter(username="mia").exists()


def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    on_standard_input(monkeypatch, PASSWORD)
    assert refusal_of("create_user", "mia") == (
        "There is no terminal to ask at. Use --password-stdin."
    )


def test_an_empty_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    on_standard_input(monkeypatch, "\n")
    message = refusal_of("create_user", "mia", "--password-stdin")
    assert message == "Standard input holds no password."


def test_a_password_that_is_easy_to_guess_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_standard_input(monkeypatch, "zx81")
    message = refusal_of("create_user", "mia", "--password-stdin")
    assert message == "This password is too short. It must contain at least 12 characters."


def test_a_name_that_is_taken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    on_standard_input(monkeypatch, PASSWORD)
    message = refusal_of("create_user", "operator", "--password-stdin")
    assert message == "An account of that name exists already. Choose another name."
    assert not User.objects.get(username="operator").has_usable_password()
