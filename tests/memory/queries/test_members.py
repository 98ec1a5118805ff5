"""Who is what in which project: read from the rows of roles, for active people alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import Group, Permission

from memory.models import MemberGroup, Project, User
from memory.queries.members import find_project, list_actor_labels, list_projects_of
from memory.vocabulary import Role
from tests.factories import UserFactory, a_project, grant
from tests.personas import account

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def test_projects_of_a_person_come_by_name_with_their_roles(operator: Actor) -> None:
    other = a_project("alpha")[1]
    user = UserFactory.create()
    grant(operator, user.username, Role.READER)
    grant(other, user.username, Role.AUDITOR, Role.REVIEWER)
    found = list_projects_of(user.id)
    assert [(row.name, row.roles) for row in found] == [
        ("alpha", frozenset({Role.AUDITOR, Role.REVIEWER, Role.READER})),
        ("demo", frozenset({Role.READER})),
    ]


def test_a_group_brings_roles_too(operator: Actor) -> None:
    user, group = UserFactory.create(), Group.objects.create(name="team")
    user.groups.add(group)
    MemberGroup.objects.create(
        group=group,
        permission=Permission.objects.get(content_type__model="project", codename="auditor"),
        content_object_id=operator.project_id,
        granted_by_kind="user",
        granted_by_id=operator.id,
    )
    (found,) = list_projects_of(user.id)
    assert found.roles == {Role.AUDITOR}


def test_a_person_without_a_role_has_no_project(nobody: Actor) -> None:
    assert list_projects_of(nobody.id) == []


def test_an_inactive_person_has_no_project(owner: Actor) -> None:
    User.objects.filter(id=owner.id).update(is_active=False)
    assert list_projects_of(owner.id) == []


def test_a_superuser_gets_nothing_for_it(nobody: Actor) -> None:
    user = account(nobody)
    user.is_superuser = True
    user.save()
    assert list_projects_of(user.id) == []


def test_a_suspended_project_is_not_there(owner: Actor) -> None:
    project = Project.objects.get(id=owner.project_id)
    project.suspended_at = project.created_at
    project.save()
    assert list_projects_of(owner.id) == []


def test_actors_are_named(owner: Actor, agent: Actor, outsider: Actor) -> None:
    labels = list_actor_labels(agent.project_id, [owner.id, agent.id])
    assert (labels[owner.id].name, labels[owner.id].kind) == ("owner", "user")
    assert (labels[agent.id].name, labels[agent.id].kind) == ("agent", "credential")
    assert list_actor_labels(outsider.project_id, [agent.id]) == {}
    assert list_actor_labels(outsider.project_id, []) == {}


def test_a_project_is_found_by_name(operator: Actor) -> None:
    assert find_project("demo") == operator.project_id
    assert find_project("unheard-of") is None
