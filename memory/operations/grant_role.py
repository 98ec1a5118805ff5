"""Grant a person a role in a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth.models import Permission

from memory import audit, policies
from memory.errors import FieldInvalid
from memory.models import Member, Project, User
from memory.transactions import operation
from memory.vocabulary import Operation, Role

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class RoleReceipt:
    """Who is what now; `is_new` is false where the person had the role already."""

    user_id: UUID
    role: Role
    is_new: bool


@operation(Operation.MEMBER_GRANT)
def grant_role(*, actor: Actor, username: str, role: Role) -> RoleReceipt:
    """Give a person a role; granting it again changes nothing.

    May: owner, the operator. Refuses: Denied, FieldInvalid (no account of that name). Writes: one
    guardian row, one audit entry. The only writer of roles.
    """
    policies.can_own(actor).require()
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise FieldInvalid("user", "is not the name of an active account.")
    permission = Permission.objects.get(
        content_type__app_label=Project._meta.app_label,
        content_type__model=Project._meta.model_name,
        codename=role.value,
    )
    _, is_new = Member.objects.get_or_create(
        user=user,
        permission=permission,
        content_object_id=actor.project_id,
        defaults={"granted_by_kind": actor.kind, "granted_by_id": actor.id},
    )
    audit.allowed(actor, audit.Call(Operation.MEMBER_GRANT, int(is_new)))
    return RoleReceipt(user.id, role, is_new)
