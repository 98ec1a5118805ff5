from __future__ import annotations

import pytest

from memory.actor import Actor
from memory.errors import AccountExists, Denied, FieldInvalid, PasswordWeak
from memory.models import AuditEntry, User
from memory.operations.create_user import create_user
from memory.queries.members import find_person, list_projects_of

PASSWORD = "blue lamps hum softly"


def test_the_account_can_sign_in_and_may_do_nothing(operator: Actor) -> None:
    receipt = create_user(actor=operator, username="mia", password=PASSWORD)
    user = User.objects.get(id=receipt.id)
    assert (user.username, receipt.username) == ("mia", "mia")
    assert user.check_password(PASSWORD)
    assert user.is_active
    assert not user.is_superuser
    assert not user.is_staff
    assert list_projects_of(user.id) == []
    assert find_person("mia") == user.id


def test_names_that_look_alike_are_one_name(operator: Actor) -> None:
    assert create_user(actor=operator, username="ｍｉａ", password=PASSWORD).username == "mia"  # noqa: RUF001 - wide letters
    with pytest.raises(AccountExists):
        create_user(actor=operator, username="mia", password=PASSWORD)


def test_no_entry_is_written_since_an_account_belongs_to_no_project(operator: Actor) -> None:
    before = AuditEntry.objects.count()
    create_user(actor=operator, username="mia", password=PASSWORD)
    assert AuditEntry.objects.count() == before


@pytest.mark.parametrize("username", ["", "a b", "a/b", "a" * 151, "a\n"])
def test_a_malformed_name_is_refused(operator: Actor, username: str) -> None:
    with pytest.raises(FieldInvalid, match='Field "name" must be'):
        create_user(actor=operator, username=username, password=PASSWORD)


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("zx81", "too short"),
        ("correcthorse", "too similar to the username"),
        ("password1234", "too common"),
        ("", "too short"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_refused(
    operator: Actor, password: str, reason: str
) -> None:
    with pytest.raises(PasswordWeak, match=reason) as refused:
        create_user(actor=operator, username="correcthorse1", password=password)
    assert not password or password not in refused.value.message
    assert find_person("correcthorse1") is None


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro"]
)
def test_only_whoever_runs_things_may(request: pytest.FixtureRequest, persona: str) -> None:
    with pytest.raises(Denied):
        create_user(actor=request.getfixturevalue(persona), username="mia", password=PASSWORD)
    assert find_person("mia") is None


def test_a_disabled_account_is_nobody(operator: Actor) -> None:
    create_user(actor=operator, username="mia", password=PASSWORD)
    User.objects.filter(username="mia").update(is_active=False)
    assert find_person("mia") is None
