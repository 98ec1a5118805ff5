"""Revoke a credential: its next request is refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memory import audit, policies
from memory.errors import NotFound
from memory.models import Credential
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class RevocationReceipt:
    """When the credential was revoked, by this call or an earlier one."""

    id: UUID
    name: str
    revoked_at: datetime
    is_new: bool


@operation(Operation.CREDENTIAL_REVOKE)
def revoke_credential(*, actor: Actor, credential_id: UUID) -> RevocationReceipt:
    """Close the door to a credential for good; revoking it again changes nothing.

    May: owner, the operator. Refuses: Denied, NotFound. Writes: the time, one audit entry.
    """
    policies.can_own(actor).require()
    credential = (
        Credential.objects.select_for_update(no_key=True)
        .filter(project_id=actor.project_id, id=credential_id)
        .first()
    )
    if credential is None:
        raise NotFound
    is_new = credential.revoked_at is None
    revoked_at = credential.revoked_at or current_scope().opened_at
    if is_new:
        credential.revoked_at = revoked_at
        credential.save(update_fields=["revoked_at"])
    audit.allowed(actor, audit.Call(Operation.CREDENTIAL_REVOKE, int(is_new)))
    return RevocationReceipt(credential.id, credential.name, revoked_at, is_new)
