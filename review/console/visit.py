"""What the console learns of a request on its way in: who it is, where, and in which roles."""

from __future__ import annotations

from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING, Final, cast

from django.http import HttpRequest

from memory.actor import Actor
from memory.http.context import context_of
from memory.queries.members import ProjectRoles, list_projects_of
from memory.vocabulary import ActorKind, Edge, Role, Trust
from review.vocabulary import SIGN_IN_SECONDS

if TYPE_CHECKING:
    from uuid import UUID

_SINCE: Final = "signed_in_at"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is signed in."""

    id: UUID
    name: str


@dataclass(slots=True)
class Visit:
    """The state of one request. `has_begun`: a view that may write was called."""

    person: Person | None = None
    projects: tuple[ProjectRoles, ...] = ()
    project: ProjectRoles | None = None
    has_begun: bool = False


class VisitRequest(HttpRequest):
    """A request that carries its visit."""

    visit: Visit


def visit_of(request: HttpRequest) -> Visit:
    """The visit of a request; an empty one before `arrive`."""
    carrier = cast("VisitRequest", request)
    if not hasattr(request, "visit"):
        carrier.visit = Visit()
    return carrier.visit


def project_of(request: HttpRequest) -> ProjectRoles:
    """The project that the request is in. Raises RuntimeError outside of one."""
    project = visit_of(request).project
    if project is None:
        raise RuntimeError("only views below a project ask for it")
    return project


def arrive(request: HttpRequest) -> Visit:
    """Find out who is there and where they have roles. Three statements at most, once a request.

    A sign-in ends after 12 hours, counted from the first page that it opened.
    """
    visit = visit_of(request)
    if visit.person is not None or not request.user.is_authenticated:
        return visit
    now = int(time())
    if now - request.session.setdefault(_SINCE, now) >= SIGN_IN_SECONDS:
        request.session.flush()
        return visit
    visit.person = Person(request.user.id, request.user.get_username())
    visit.projects = tuple(list_projects_of(visit.person.id))
    return visit


def enter(request: HttpRequest, name: str) -> Actor | None:
    """Step into a project as somebody with a role there; None for everybody else."""
    visit = arrive(request)
    visit.project = next((project for project in visit.projects if project.name == name), None)
    if visit.person is None or visit.project is None:
        return None
    return Actor(
        project_id=visit.project.project_id,
        kind=ActorKind.USER,
        id=visit.person.id,
        edge=Edge.CONSOLE,
        request_id=context_of(request).request_id,
        label=visit.person.name,
        roles=visit.project.roles,
        max_trust=_trust_of(visit.project.roles),
    )


def _trust_of(roles: frozenset[Role]) -> Trust:
    if Role.OWNER in roles:
        return Trust.POLICY_APPROVED
    return Trust.VERIFIED if Role.REVIEWER in roles else Trust.UNTRUSTED
