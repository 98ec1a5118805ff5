"""Create a project."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.db import transaction

from memory import audit, policies
from memory.errors import FieldInvalid, NameTaken
from memory.models import Project
from memory.transactions import project_scope
from memory.vocabulary import PROJECT_NAME_PATTERN, Operation

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class ProjectReceipt:
    """The new project."""

    id: UUID
    name: str


def create_project(*, actor: Actor, name: str, search_language: str = "english") -> ProjectReceipt:
    """Create a project; the one operation that runs before there is a project to be in.

    May: the operator. Refuses: Denied, FieldInvalid (name), NameTaken. Writes: the project with its
    own digest key, one audit entry in it.
    """
    policies.can_operate(actor).require()
    if not re.fullmatch(PROJECT_NAME_PATTERN, name):
        raise FieldInvalid("name", "must be 1 to 63 of a-z, 0-9 and -, not starting with -.")
    project = Project(
        id=uuid4(), name=name, search_language=search_language, digest_key=secrets.token_bytes(32)
    )
    with transaction.atomic():
        _, is_new = Project.objects.get_or_create(
            name=name,
            defaults={
                "id": project.id,
                "search_language": project.search_language,
                "digest_key": project.digest_key,
            },
        )
        if not is_new:
            raise NameTaken
        with project_scope(project.id):
            audit.allowed(
                replace(actor, project_id=project.id), audit.Call(Operation.PROJECT_CREATE, 1)
            )
    return ProjectReceipt(project.id, name)
