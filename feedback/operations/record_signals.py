"""Record what a client says of hits, and ask reviewers to look where enough of them suspect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid4

from django.db import connection

from feedback import policies
from memory import audit
from memory.idempotency import claim_request
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.keys import IdempotencyRequest

SUSPICION_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDraft:
    """What a client says of one hit; None for what it does not say.

    `record_id` and `version` are what the hit's id claims to be; None where it is no id of ours.
    """

    hit: str
    record_id: UUID | None = None
    version: UUID | None = None
    is_used: bool | None = None
    is_cited: bool | None = None
    is_helpful: bool | None = None
    reward: float | None = None
    is_poison_suspected: bool | None = None
    is_injection_suspected: bool | None = None

    @property
    def is_suspicion(self) -> bool:
        """Whether it suspects its hit of something."""
        return bool(self.is_poison_suspected or self.is_injection_suspected)


@dataclass(frozen=True, slots=True)
class SignalsReceipt:
    """How many signals were stored, whether or not their hits exist."""

    accepted: int
    is_replay: bool = False


# KEY SHARE: no record may be erased before the signals about it are there. Suspected records are
# locked one after the other, by ascending id, so that of several calls that make a quorum together
# the last one sees all others. Nothing else waits for that lock.
_RESOLVE: Final = """
SELECT place, record_id, version_id,
  CASE WHEN is_suspicion
    THEN pg_advisory_xact_lock(hashtextextended(record_id::text, 0)) END
FROM (
  SELECT hit.place, hit.is_suspicion, r.id AS record_id, v.id AS version_id
  FROM unnest(%(records)s::uuid[], %(versions)s::uuid[], %(suspicions)s::boolean[])
    WITH ORDINALITY AS hit(record_id, version_id, is_suspicion, place)
  JOIN memory_record r ON r.project_id = %(project)s AND r.id = hit.record_id
  LEFT JOIN memory_recordversion v ON v.project_id = %(project)s AND v.id = hit.version_id
    AND v.record_id = r.id
  WHERE hit.version_id IS NULL OR v.id IS NOT NULL
  ORDER BY r.id FOR KEY SHARE OF r) AS found
"""

_INSERT: Final = """
INSERT INTO feedback_signal (id, project_id, record_id, record_version, hit_digest, session_digest,
  query_digest, is_used, is_cited, is_helpful, reward, is_poison_suspected,
  is_injection_suspected, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT signal.id, %(project)s, signal.record_id, signal.record_version, signal.hit_digest,
  %(session)s, %(query)s, signal.is_used, signal.is_cited, signal.is_helpful, signal.reward,
  signal.is_poison_suspected, signal.is_injection_suspected, %(by_kind)s, %(by)s, %(via)s,
  clock_timestamp(), %(request)s
FROM unnest(%(ids)s::uuid[], %(records)s::uuid[], %(versions)s::uuid[], %(hits)s::bytea[],
    %(used)s::boolean[], %(cited)s::boolean[], %(helpful)s::boolean[], %(rewards)s::float8[],
    %(poison)s::boolean[], %(injection)s::boolean[])
  AS signal(id, record_id, record_version, hit_digest, is_used, is_cited, is_helpful, reward,
    is_poison_suspected, is_injection_suspected)
"""

# After "no concern" only signals from after that decision count, so that it stands until then.
_OPEN: Final = """
INSERT INTO feedback_integrityitem (id, project_id, record_id, state, recorded_at)
SELECT gen_random_uuid(), %(project)s, suspected.record_id, 'open', clock_timestamp()
FROM unnest(%(records)s::uuid[]) AS suspected(record_id)
LEFT JOIN feedback_integrityitem item
  ON item.project_id = %(project)s AND item.record_id = suspected.record_id
WHERE (item.state IS NULL OR item.state = 'no_concern') AND (
  SELECT count(DISTINCT (s.recorded_by_kind, s.recorded_by_id)) FROM feedback_signal s
  WHERE s.project_id = %(project)s AND s.record_id = suspected.record_id
    AND (s.is_poison_suspected OR s.is_injection_suspected)
    AND s.recorded_at > clock_timestamp() - make_interval(days => %(days)s)
    AND (item.decided_at IS NULL OR s.recorded_at > item.decided_at)) >= (
  SELECT integrity_quorum FROM memory_project WHERE id = %(project)s)
ON CONFLICT ON CONSTRAINT feedback_integrityitem_record_uniq DO UPDATE
SET state = 'open', recorded_at = EXCLUDED.recorded_at, decided_at = NULL, decided_by_kind = NULL,
  decided_by_id = NULL, reason = NULL
WHERE feedback_integrityitem.state = 'no_concern'
"""


@operation(Operation.SIGNAL_RECORD)
def record_signals(
    *,
    actor: Actor,
    drafts: Sequence[SignalDraft],
    session: str | None = None,
    query: str | None = None,
    key: IdempotencyRequest | None = None,
) -> SignalsReceipt:
    """Store what a client says of hits: untrusted advice that changes nothing by itself.

    A hit that is unknown, erased, another project's or no id at all is stored unbound and counted
    like the others, with the same work. May: reviewer, owner, read_write credential. Refuses:
    Denied, IdempotencyConflict, IdempotencyInProgress. Writes: one row a signal, an integrity item
    for a record that a quorum of distinct actors suspects within 30 days, one audit entry. Rule:
    rcp seed, "Feedback"; `protocols.md` 1.9.
    """
    policies.can_record_signals(actor).require()
    stored = claim_request(actor, key, {"accepted": len(drafts)})
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.SIGNAL_RECORD, 0))
        return SignalsReceipt(stored["accepted"], is_replay=True)
    bound = _resolve(actor, drafts) if drafts else {}
    if drafts:
        _insert(actor, drafts, bound, session, query)
    suspicions = [place for place, draft in enumerate(drafts) if draft.is_suspicion]
    if suspicions:  # also where no hit is bound: nobody can tell that by the work
        _open_items(actor, sorted({bound[place][0] for place in suspicions if place in bound}))
    audit.allowed(actor, audit.Call(Operation.SIGNAL_RECORD, len(drafts)))
    return SignalsReceipt(len(drafts))


def _resolve(actor: Actor, drafts: Sequence[SignalDraft]) -> dict[int, tuple[UUID, UUID | None]]:
    """Record and version of each hit that is one of ours, by its place."""
    with connection.cursor() as cursor:
        cursor.execute(
            _RESOLVE,
            {
                "project": actor.project_id,
                "records": [draft.record_id for draft in drafts],
                "versions": [draft.version for draft in drafts],
                "suspicions": [draft.is_suspicion for draft in drafts],
            },
        )
        return {place - 1: (record, version) for place, record, version, _ in cursor}


def _insert(
    actor: Actor,
    drafts: Sequence[SignalDraft],
    bound: dict[int, tuple[UUID, UUID | None]],
    session: str | None,
    query: str | None,
) -> None:
    digests = current_scope().digests
    places = [bound.get(place, (None, None)) for place in range(len(drafts))]
    values: dict[str, Any] = {
        "project": actor.project_id,
        "session": None if session is None else digests.digest("session", session),
        "query": None if query is None else digests.digest("query", query),
        "by_kind": actor.kind.value,
        "by": actor.id,
        "via": actor.edge.value,
        "request": actor.request_id,
        "ids": [uuid4() for _ in drafts],
        "records": [record for record, _ in places],
        "versions": [version for _, version in places],
        "hits": [
            digests.digest("hit", draft.hit) if record is None else None
            for draft, (record, _) in zip(drafts, places, strict=True)
        ],
        "used": [draft.is_used for draft in drafts],
        "cited": [draft.is_cited for draft in drafts],
        "helpful": [draft.is_helpful for draft in drafts],
        "rewards": [None if draft.reward is None else float(draft.reward) for draft in drafts],
        "poison": [draft.is_poison_suspected for draft in drafts],
        "injection": [draft.is_injection_suspected for draft in drafts],
    }
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, values)


def _open_items(actor: Actor, record_ids: Sequence[UUID]) -> None:
    """Open the items of records that enough actors suspect; open ones stay as they are."""
    with connection.cursor() as cursor:
        cursor.execute(
            _OPEN,
            {"project": actor.project_id, "records": list(record_ids), "days": SUSPICION_DAYS},
        )
