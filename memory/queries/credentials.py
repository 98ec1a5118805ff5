"""Reads of credentials: the look-up behind every authenticated call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import Error, connection
from django.db.models import Q
from django.db.models.functions import Now

from memory.models import Credential
from memory.vocabulary import Access, Trust

_LOOK_UP: Final = """
SELECT c.id, c.project_id, c.digest, c.name, c.access, c.max_trust, c.may_erase,
       c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > statement_timestamp())
         AND p.suspended_at IS NULL,
       c.last_used_at IS NULL OR c.last_used_at < statement_timestamp() - interval '1 minute'
FROM memory_credential c JOIN memory_project p ON p.id = c.project_id
WHERE c.public_id = %s
"""

_TOUCH: Final = """
UPDATE memory_credential SET last_used_at = statement_timestamp()
WHERE id = %s AND (last_used_at IS NULL
                   OR last_used_at < statement_timestamp() - interval '1 minute')
"""


@dataclass(frozen=True, slots=True)
class CredentialRow:
    """A credential as authentication needs it; liveness is by the database's clock."""

    id: UUID
    project_id: UUID
    digest: bytes
    name: str
    access: Access
    max_trust: Trust
    may_erase: bool
    is_live: bool
    is_use_stale: bool


def find_credential(public_id: str) -> CredentialRow | None:
    """The credential with this public id, live or not. One statement by a unique index.

    Runs before any project is known, so outside of `project_scope`.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOOK_UP, [public_id])
        row = cursor.fetchone()
    if row is None:
        return None
    return CredentialRow(
        id=row[0],
        project_id=row[1],
        digest=bytes(row[2]),
        name=row[3],
        access=Access(row[4]),
        max_trust=Trust(row[5]),
        may_erase=row[6],
        is_live=row[7],
        is_use_stale=row[8],
    )


def touch_credential(credential_id: UUID) -> None:
    """Note that a credential is in use, at most once a minute; its failure fails nothing."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_TOUCH, [credential_id])
    except Error:
        return


@dataclass(frozen=True, slots=True)
class NamedCredential:
    """A credential as the command line names it."""

    id: UUID
    access: Access
    max_trust: Trust


def list_live_credentials(project_id: UUID, name: str) -> list[NamedCredential]:
    """Credentials of a project with this name, neither revoked nor expired; names may repeat."""
    rows = Credential.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=Now()),
        project_id=project_id,
        name=name,
        revoked_at=None,
    )
    return [
        NamedCredential(id_, Access(access), Trust(max_trust))
        for id_, access, max_trust in rows.values_list("id", "access", "max_trust")
    ]


def find_project_of(credential_id: UUID) -> UUID | None:
    """The project of a credential; for the command line, which knows the credential alone."""
    rows = Credential.objects.filter(id=credential_id)
    return rows.values_list("project_id", flat=True).first()
