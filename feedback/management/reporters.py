"""Who reports when a file says only which kind of reporter it was: accounts and credentials."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from feedback import policies
from memory.queries.credentials import list_live_credentials
from memory.queries.members import find_person, list_projects_of
from memory.vocabulary import ActorKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.actor import Actor


def reporters_of(operator: Actor, mappings: Iterable[str]) -> dict[str, Actor]:
    """The actor of each kind of reporter, from mappings such as `person=user:NAME`.

    Raises CommandError for a mapping that is malformed, names nobody, or somebody who may not
    report.
    """
    reporters = {}
    for mapping in mappings:
        kind, _, who = mapping.partition("=")
        what, _, name = who.partition(":")
        if not kind or not name or what not in ("user", "credential"):
            raise CommandError("--as must be KIND=user:NAME or KIND=credential:NAME.")
        if kind in reporters:
            raise CommandError("--as must name each kind of reporter once.")
        actor = _person(operator, name) if what == "user" else _agent(operator, name)
        if not policies.can_report(actor).is_allowed:
            raise CommandError(f"The {what} of --as {kind} may not report in this project.")
        reporters[kind] = actor
    return reporters


def _person(operator: Actor, username: str) -> Actor:
    person_id = find_person(username)
    if person_id is None:
        raise CommandError("--as names a user who has no active account.")
    roles = {project.project_id: project.roles for project in list_projects_of(person_id)}
    return replace(
        operator,
        id=person_id,
        label=username,
        roles=roles.get(operator.project_id, frozenset()),
    )


def _agent(operator: Actor, name: str) -> Actor:
    found = list_live_credentials(operator.project_id, name)
    if len(found) != 1:
        number = "no" if not found else "more than one"
        raise CommandError(f"--as names a credential, and {number} live one has that name.")
    return replace(
        operator,
        kind=ActorKind.CREDENTIAL,
        id=found[0].id,
        label=name,
        roles=frozenset(),
        access=found[0].access,
        max_trust=found[0].max_trust,
    )
