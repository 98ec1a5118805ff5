"""Repeating a call safely: claim a key, or get back what it stood for (`contract.md` 0.6).

The key is inserted first, with its complete receipt, in the transaction of its effect: receipts
hold ids only and those are made before anything is written. A concurrent duplicate waits for the
first call here, before it holds any other lock, so keys and records cannot deadlock.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from django.db import OperationalError, connection
from psycopg.types.json import Jsonb

from memory.constraints import sqlstate
from memory.errors import IdempotencyConflict, IdempotencyInProgress
from memory.models import IdempotencyKey
from memory.scope import current_scope
from memory.vocabulary import KeyScope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet

    from memory.actor import Actor
    from memory.keys import IdempotencyRequest

Receipt = dict[str, Any]

_LOCK_NOT_AVAILABLE: Final = "55P03"

# The second half does not see what the first one inserts.
_CLAIM: Final = """
WITH claimed AS (
  INSERT INTO memory_idempotencykey (id, project_id, actor_kind, actor_id, scope, key_digest,
    fingerprint, receipt)
  VALUES {places}
  ON CONFLICT ON CONSTRAINT memory_idempotencykey_key_uniq DO NOTHING
  RETURNING key_digest
)
SELECT key_digest, NULL, NULL FROM claimed
UNION ALL
SELECT key_digest, fingerprint, receipt FROM memory_idempotencykey
WHERE project_id = %s AND actor_kind = %s AND actor_id = %s AND scope = %s AND key_digest = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an actor, what the call says, and what it will have done."""

    text: str
    fingerprint: bytes
    receipt: Receipt


def claim_request(
    actor: Actor, request: IdempotencyRequest | None, receipt: Receipt
) -> Receipt | None:
    """Claim the key of a whole request; the stored receipt if an equal call already had it.

    None means: carry on. Raises IdempotencyConflict, IdempotencyInProgress.
    """
    if request is None:
        return None
    key = Key(request.key, request.fingerprint, receipt)
    return claim(actor, KeyScope.REQUEST, [key]).get(request.key)


def stored_requests(actor: Actor, request: IdempotencyRequest) -> QuerySet[IdempotencyKey]:
    """The row that holds the key of a request, if there is one; for a condition of a query.

    Tells a repetition from a new call before anything is claimed. memory_idempotencykey_key_uniq.
    """
    digest = current_scope().digests.digest("idempotency", KeyScope.REQUEST, request.key)
    return _keys(actor, KeyScope.REQUEST, [digest])


def claim(actor: Actor, scope: KeyScope, keys: Sequence[Key]) -> dict[str, Receipt]:
    """Claim several keys at once; the receipts of those that equal calls already had.

    One statement, a second one where a key was taken in this moment. Raises IdempotencyConflict
    when a key stood for something else or its effect was erased, IdempotencyInProgress when its
    first call runs on.
    """
    if not keys:
        return {}
    digests = current_scope().digests
    by_digest = {digests.digest("idempotency", scope, key.text): key for key in keys}
    found = _insert(actor, scope, by_digest)
    taken = by_digest.keys() - found.keys()
    if taken:  # by calls that this one has waited for, so it could not see their keys
        found |= _stored(actor, scope, taken)
    receipts = {}
    for digest, stored in found.items():
        if stored is None:
            continue
        key = by_digest[digest]
        if stored.fingerprint != _keyed(key.fingerprint) or stored.receipt is None:
            raise IdempotencyConflict
        receipts[key.text] = stored.receipt
    return receipts


def _keyed(fingerprint: bytes) -> bytes:
    """What is stored of a fingerprint: under the project's key, so that nobody can guess texts."""
    return current_scope().digests.digest("fingerprint", fingerprint.hex())


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a key stood for already; without a receipt, its effect was erased."""

    fingerprint: bytes
    receipt: Receipt | None


def _stored(actor: Actor, scope: KeyScope, digests: Iterable[bytes]) -> dict[bytes, _Stored | None]:
    rows = _keys(actor, scope, digests).values_list("key_digest", "fingerprint", "receipt")
    return {
        bytes(digest): _Stored(bytes(fingerprint), receipt) for digest, fingerprint, receipt in rows
    }


def _keys(actor: Actor, scope: KeyScope, digests: Iterable[bytes]) -> QuerySet[IdempotencyKey]:
    return IdempotencyKey.objects.filter(
        project_id=actor.project_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        scope=scope,
        key_digest__in=list(digests),
    )


def _insert(
    actor: Actor, scope: KeyScope, by_digest: dict[bytes, Key]
) -> dict[bytes, _Stored | None]:
    """Insert keys; None for each new one, and what the others stood for when this began."""
    rows: list[Any] = []
    for digest in sorted(by_digest):  # one order for everybody: two batches cannot deadlock
        key = by_digest[digest]
        rows += [
            uuid4(),
            actor.project_id,
            actor.kind.value,
            actor.id,
            scope.value,
            digest,
            _keyed(key.fingerprint),
            Jsonb(key.receipt),
        ]
    places = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(by_digest))
    whose: list[Any] = [actor.project_id, actor.kind.value, actor.id, scope.value, list(by_digest)]
    try:
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM.format(places=places), [*rows, *whose])
            found = cursor.fetchall()
    except OperationalError as error:
        if sqlstate(error) == _LOCK_NOT_AVAILABLE:
            raise IdempotencyInProgress from error
        raise
    return {
        bytes(digest): fingerprint and _Stored(bytes(fingerprint), receipt and json.loads(receipt))
        for digest, fingerprint, receipt in found
    }
