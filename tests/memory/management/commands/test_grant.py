from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from memory.queries.members import list_projects_of
from memory.vocabulary import INCLUDED_ROLES, Role
from tests.commands import answered, refusal_of, said
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia() -> str:
    """An account in an installation with one project, acme."""
    said("create_project", "acme")
    return str(UserFactory.create(username="mia").id)


@pytest.mark.parametrize("role", list(Role))
def test_each_role_can_be_granted(mia: str, role: Role) -> None:
    assert said("grant", "acme", "mia", role) == f"mia is now {role} of acme.\n"
    [project] = list_projects_of(mia)  # type: ignore[arg-type]
    assert (project.name, project.roles) == ("acme", INCLUDED_ROLES[role])


def test_granting_again_changes_nothing(mia: str) -> None:
    assert answered("grant", "acme", "mia", "reviewer") == {
        "project": "acme",
        "user_id": mia,
        "role": "reviewer",
        "new": True,
    }
    assert not answered("grant", "acme", "mia", "reviewer")["new"]
    assert said("grant", "acme", "mia", "reviewer") == "mia was already reviewer of acme.\n"


def test_an_unknown_project_account_or_role_is_refused(mia: str) -> None:
    assert refusal_of("grant", "nope", "mia", "reader") == (
        "There is no project of that name. create_project makes one."
    )
    assert refusal_of("grant", "acme", "tom", "reader") == (
        'Field "user" is not the name of an active account.'
    )
    with pytest.raises(CommandError, match="invalid choice: 'king'"):
        call_command("grant", "acme", "mia", "king")
    assert list_projects_of(mia) == []  # type: ignore[arg-type]
