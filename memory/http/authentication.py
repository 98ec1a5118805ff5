"""Who calls: the bearer token of a request or process, looked up and turned into an actor.

One refusal for all causes, audited here because no actor is known yet. An address with too many
refusals gets 429 instead of 401; a good credential from there still passes, since one misconfigured
client must not lock out its neighbours behind the same address. Rules: `contract.md` 0.1,
`assurance.md` 5.1. One statement; none for a token whose form or checksum is wrong.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.conf import settings

from memory import audit
from memory.actor import Actor
from memory.errors import DomainError, Unauthenticated
from memory.http import rates
from memory.http.context import context_of
from memory.http.errors import RateLimited
from memory.queries.credentials import CredentialRow, find_credential, touch_credential
from memory.tokens import DUMMY_DIGEST, digest_of, public_id_of
from memory.vocabulary import ActorKind

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest

    from memory.vocabulary import Edge

_BEARER: Final = re.compile(r"bearer +([!-~]+)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Through which edge, from where and in which request a token came."""

    edge: Edge
    request_id: str
    address: str


def authenticate(request: HttpRequest, edge: Edge) -> Actor:
    """The credential of the request as an actor. Raises Unauthenticated, RateLimited."""
    context = context_of(request)
    token = _token_of(request)
    public_id = public_id_of(token)
    address = request.META.get("REMOTE_ADDR", "")
    actor = _actor_of(token, public_id, Arrival(edge, context.request_id, address))
    context.credential_public_id = public_id or ""
    return actor


def authenticate_token(token: str, arrival: Arrival) -> Actor:
    """The credential of a token as an actor. Raises Unauthenticated, RateLimited."""
    return _actor_of(token, public_id_of(token), arrival)


def _actor_of(token: str, public_id: str | None, arrival: Arrival) -> Actor:
    row = None if public_id is None else find_credential(public_id)
    is_known = public_id is not None and _is_digest_of(row, token)
    if row is None or not is_known or not row.is_live:
        raise _refusal(arrival, row)
    if row.is_use_stale:
        touch_credential(row.id)
    return Actor(
        project_id=row.project_id,
        kind=ActorKind.CREDENTIAL,
        id=row.id,
        edge=arrival.edge,
        request_id=arrival.request_id,
        label=row.name,
        access=row.access,
        max_trust=row.max_trust,
    )


def _token_of(request: HttpRequest) -> str:
    """The token of the one Authorization header; a server joins two with a comma: no token."""
    match = _BEARER.fullmatch(request.META.get("HTTP_AUTHORIZATION", ""))
    return match[1] if match else ""


def _is_digest_of(row: CredentialRow | None, token: str) -> bool:
    """Whether the secret is right; as much work where no credential has the public id."""
    stored = row.digest if row else DUMMY_DIGEST
    return hmac.compare_digest(stored, digest_of(token))


def _refusal(arrival: Arrival, row: CredentialRow | None) -> DomainError:
    """The audited refusal. Raises Unavailable when its entry cannot be written."""
    wait = rates.failed_authentications.take(
        arrival.address, settings.FAILED_AUTHENTICATIONS_PER_MINUTE
    )
    error: DomainError = RateLimited(wait) if wait else Unauthenticated()
    project_id: UUID | None = row.project_id if row else None
    left_out = rates.audited_refusals.admit((project_id, error.code))
    if left_out is not None:
        audit.authentication_refused(
            request_id=arrival.request_id,
            edge=arrival.edge,
            code=error.code,
            project_id=project_id,
            magnitude=left_out,
        )
    error.is_audited = True
    return error
