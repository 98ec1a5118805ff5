"""Projects, people, credentials, and the actors that they act as."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from factory.declarations import Sequence
from factory.django import DjangoModelFactory, Password

from memory.actor import Actor, new_request_id
from memory.models import User
from memory.operations.create_project import ProjectReceipt, create_project
from memory.operations.grant_role import grant_role
from memory.queries.members import list_projects_of
from memory.vocabulary import ActorKind, Edge, Role, SearchLanguage, Trust

if TYPE_CHECKING:
    from uuid import UUID

PASSWORD = "correct horse battery staple"


class UserFactory(DjangoModelFactory[User]):
    """An account that may sign in with `PASSWORD`; its name is all that matters."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = Sequence(lambda n: f"person-{n}-{uuid4().hex[:6]}")  # type: ignore[no-untyped-call]
    password = Password(PASSWORD)  # type: ignore[no-untyped-call]


def fresh(actor: Actor) -> Actor:
    """The same actor in a new request."""
    return replace(actor, request_id=new_request_id())


def a_project(
    name: str | None = None, *, search_language: SearchLanguage = SearchLanguage.ENGLISH
) -> tuple[ProjectReceipt, Actor]:
    """A new project, and the operator acting in it."""
    user = UserFactory.create()
    operator = Actor.of_operator(project_id=uuid4(), user_id=user.id, label=user.username)
    project = create_project(
        actor=operator,
        name=name or f"project-{uuid4().hex[:8]}",
        search_language=search_language,
    )
    return project, replace(fresh(operator), project_id=project.id)


def grant(operator: Actor, username: str, *roles: Role) -> None:
    """Give a person roles in the operator's project."""
    for role in roles:
        grant_role(actor=fresh(operator), username=username, role=role)


def an_actor(project_id: UUID, user: User) -> Actor:
    """A person at the console, with the roles that the project's rows give them."""
    roles = next(
        (found.roles for found in list_projects_of(user.id) if found.project_id == project_id),
        frozenset[Role](),
    )
    return Actor(
        project_id=project_id,
        kind=ActorKind.USER,
        id=user.id,
        edge=Edge.CONSOLE,
        request_id=new_request_id(),
        label=user.username,
        roles=roles,
        max_trust=Trust.POLICY_APPROVED if Role.OWNER in roles else Trust.VERIFIED,
    )
