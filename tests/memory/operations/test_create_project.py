"""create_project: the operator's alone, since no project exists that could allow it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from memory.actor import Actor
from memory.errors import Denied, FieldInvalid, NameTaken
from memory.models import Project
from memory.operations.create_project import create_project
from tests.factories import UserFactory, fresh
from tests.observed import Entry, audit_of

if TYPE_CHECKING:
    from memory.operations.create_project import ProjectReceipt

pytestmark = pytest.mark.django_db


@pytest.fixture
def newcomer() -> Actor:
    """The operator before there is any project."""
    user = UserFactory.create()
    return Actor.of_operator(project_id=UUID(int=0), user_id=user.id, label=user.username)


def test_a_project_has_a_name_and_a_key_of_its_own(newcomer: Actor) -> None:
    one, two = (create_project(actor=fresh(newcomer), name=name) for name in ("one", "two"))
    rows = {row.name: row for row in Project.objects.all()}
    assert {row.id for row in rows.values()} == {one.id, two.id}
    assert (rows["one"].search_language, rows["one"].next_log_offset) == ("english", 0)
    keys = {bytes(row.digest_key) for row in rows.values()}
    assert {len(key) for key in keys} == {32}
    assert len(keys) == 2


def test_it_is_audited_once_in_the_new_project(newcomer: Actor) -> None:
    receipt = create_project(actor=newcomer, name="one", search_language="simple")
    assert audit_of(replace(newcomer, project_id=receipt.id)) == [
        Entry("project.create", "allowed", "", 1)
    ]


def test_a_name_that_is_taken_is_refused_and_changes_nothing(
    newcomer: Actor, project: ProjectReceipt
) -> None:
    before = list(Project.objects.values_list("id", "digest_key"))
    with pytest.raises(NameTaken):
        create_project(actor=newcomer, name=project.name)
    assert list(Project.objects.values_list("id", "digest_key")) == before


@pytest.mark.parametrize("name", ["", "-a", "A", "a_b", "ä", "a" * 64, "a\n", "a b", "a\0"])
def test_a_malformed_name_is_refused(newcomer: Actor, name: str) -> None:
    with pytest.raises(FieldInvalid) as raised:
        create_project(actor=newcomer, name=name)
    assert raised.value.field == "name"
    assert not Project.objects.exists()


@pytest.mark.parametrize("name", ["a", "0", "a" * 63, "a-b-"])
def test_a_well_formed_name_is_taken(newcomer: Actor, name: str) -> None:
    assert create_project(actor=newcomer, name=name).name == name


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "owner", "nobody", "agent", "agent_ro"]
)
def test_only_the_operator_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = request.getfixturevalue(persona)
    before = Project.objects.count()
    with pytest.raises(Denied):
        create_project(actor=actor, name="mine")
    assert Project.objects.count() == before
