"""Reads of people and actors: roles in a project, and the names that the console shows.

The one place that reads guardian's rows; nobody else calls guardian. A superuser gets nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import CharField, F, Value

from memory.models import Credential, Member, MemberGroup, Project, User
from memory.vocabulary import INCLUDED_ROLES, Role

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class ProjectRoles:
    """A project, and what one person is in it."""

    project_id: UUID
    name: str
    roles: frozenset[Role]


def list_projects_of(user_id: UUID) -> list[ProjectRoles]:
    """The projects in which an active person has a role, by name. One statement."""
    columns = {"at": F("content_object_id"), "called": F("content_object__name")}
    own = Member.objects.filter(
        user_id=user_id, user__is_active=True, content_object__suspended_at=None
    )
    by_group = MemberGroup.objects.filter(
        group__user=user_id, group__user__is_active=True, content_object__suspended_at=None
    )
    wanted = ("at", "called", "permission__codename")
    rows = (
        own.annotate(**columns)
        .values_list(*wanted)
        .union(by_group.annotate(**columns).values_list(*wanted))
    )
    found: dict[UUID, tuple[str, set[Role]]] = {}
    for project_id, name, codename in rows:
        found.setdefault(project_id, (name, set()))[1].update(INCLUDED_ROLES[Role(codename)])
    return sorted(
        (ProjectRoles(id_, name, frozenset(roles)) for id_, (name, roles) in found.items()),
        key=lambda project: project.name,
    )


@dataclass(frozen=True, slots=True)
class ActorLabel:
    """What the console calls an actor."""

    name: str
    kind: str


def list_actor_labels(project_id: UUID, actor_ids: Iterable[UUID]) -> dict[UUID, ActorLabel]:
    """Names of credentials of the project and of people, by id. One statement."""
    wanted = set(actor_ids)
    if not wanted:
        return {}
    kind = Value("credential", CharField())
    agents = Credential.objects.filter(project_id=project_id, id__in=wanted)
    people = User.objects.filter(id__in=wanted)
    rows = (
        agents.annotate(kind=kind)
        .values_list("id", "name", "kind")
        .union(
            people.annotate(kind=Value("user", CharField())).values_list("id", "username", "kind"),
            all=True,
        )
    )
    return {actor_id: ActorLabel(name, kind) for actor_id, name, kind in rows}


def find_project(name: str) -> UUID | None:
    """The id of a project by name; for the command line."""
    return Project.objects.filter(name=name).values_list("id", flat=True).first()


def find_person(username: str) -> UUID | None:
    """The id of an active account by name; for the command line."""
    people = User.objects.filter(username=username, is_active=True)
    return people.values_list("id", flat=True).first()
