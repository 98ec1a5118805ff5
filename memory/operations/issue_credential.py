"""Issue a credential: the one moment at which its token is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from memory import audit, policies, tokens
from memory.errors import FieldInvalid
from memory.models import Credential
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import NAME_CHARACTERS, Access, Operation, Trust

if TYPE_CHECKING:
    from memory.actor import Actor

DAYS_DEFAULT = 90
DAYS_MOST = 366


@dataclass(frozen=True, slots=True)
class CredentialReceipt:
    """The new credential. The token is in no row and is shown once."""

    id: UUID
    public_id: str
    token: str = field(repr=False)
    expires_at: datetime


@operation(Operation.CREDENTIAL_CREATE)
def issue_credential(
    *,
    actor: Actor,
    name: str,
    access: Access,
    days: int = DAYS_DEFAULT,
    max_trust: Trust = Trust.ASSERTED,
    may_erase: bool = False,
) -> CredentialReceipt:
    """Let an agent in until a day comes or somebody revokes it.

    May: owner, the operator. Refuses: Denied, FieldInvalid. Writes: public id and digest, one audit
    entry. Rule: `assurance.md` 5.1.
    """
    policies.can_own(actor).require()
    if not name.strip() or len(name) > NAME_CHARACTERS:
        raise FieldInvalid("name", f"must be 1 to {NAME_CHARACTERS} characters.")
    if not 1 <= days <= DAYS_MOST:
        raise FieldInvalid("expires", f"must be 1 to {DAYS_MOST} days.")
    if may_erase and access is not Access.READ_WRITE:
        raise FieldInvalid("may_erase", "needs the access read_write.")
    token = tokens.new_token()
    expires_at = current_scope().opened_at + timedelta(days=days)
    credential = Credential.objects.create(
        project_id=actor.project_id,
        public_id=tokens.public_id_of(token) or "",
        digest=tokens.digest_of(token),
        name=name,
        access=access,
        max_trust=max_trust,
        may_erase=may_erase,
        created_by_kind=actor.kind,
        created_by_id=actor.id,
        expires_at=expires_at,
    )
    audit.allowed(actor, audit.Call(Operation.CREDENTIAL_CREATE, 1))
    return CredentialReceipt(credential.id, credential.public_id, token, expires_at)
