"""Record what became of a context pack, or of one record in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from django.db import connection

from feedback import policies
from feedback.models import Outcome
from feedback.vocabulary import OutcomeKind
from memory import audit
from memory.errors import NotFound
from memory.idempotency import claim_request
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeDraft:
    """What became of a run's pack; without a record, of the pack as a whole."""

    run_id: UUID
    kind: OutcomeKind
    record_id: UUID | None = None
    reason_code: str | None = None


@dataclass(frozen=True, slots=True)
class OutcomeReceipt:
    """The outcome that was recorded, or that an equal call had recorded before."""

    id: UUID
    run_id: UUID
    record_id: UUID | None
    kind: OutcomeKind
    recorded_at: datetime
    is_replay: bool = False


# KEY SHARE: the run may not be pruned or erased before the outcome about it is there.
_RUN: Final = """
SELECT r.lexemes_digest, r.data_subject_id, %(record)s::uuid IS NULL OR EXISTS (
    SELECT FROM feedback_contextitem i
    WHERE i.project_id = r.project_id AND i.run_id = r.id AND i.record_id = %(record)s::uuid)
FROM feedback_contextrun r WHERE r.project_id = %(project)s AND r.id = %(run)s FOR KEY SHARE OF r
"""


@operation(Operation.OUTCOME_RECORD)
def record_outcome(
    *, actor: Actor, draft: OutcomeDraft, key: IdempotencyRequest | None = None
) -> OutcomeReceipt:
    """Say whether a pack helped. It may change what ranks first next time, and nothing else.

    May: reviewer, owner, read_write credential, also over MCP; not only who compiled the pack.
    Refuses: Denied, NotFound (the run, or a record that is not in its pack), IdempotencyConflict,
    IdempotencyInProgress. Writes: the outcome and one audit entry. Rule: titen seed, "Record an
    outcome".
    """
    policies.can_record_outcome(actor).require()
    outcome_id = uuid4()
    stored = claim_request(actor, key, {"outcome": str(outcome_id)})
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.OUTCOME_RECORD, 0))
        return _replayed(actor, UUID(stored["outcome"]))
    lexemes_digest, data_subject_id = _run_of(actor, draft)
    outcome = Outcome(
        id=outcome_id,
        project_id=actor.project_id,
        run_id=draft.run_id,
        record_id=draft.record_id,
        kind=draft.kind,
        reason_code=draft.reason_code,
        lexemes_digest=lexemes_digest,
        data_subject_id=data_subject_id,
        recorded_by_kind=actor.kind,
        recorded_by_id=actor.id,
        recorded_via=actor.edge,
        recorded_at=current_scope().opened_at,
        request_id=actor.request_id,
    )
    outcome.save(force_insert=True)
    audit.allowed(actor, audit.Call(Operation.OUTCOME_RECORD, 1))
    return OutcomeReceipt(
        outcome.id, outcome.run_id, outcome.record_id, draft.kind, outcome.recorded_at
    )


def _run_of(actor: Actor, draft: OutcomeDraft) -> tuple[bytes, UUID | None]:
    """Digest of the run's lexemes and its person, with the run kept from going, or NotFound."""
    with connection.cursor() as cursor:
        cursor.execute(
            _RUN,
            {"project": actor.project_id, "run": draft.run_id, "record": draft.record_id},
        )
        row = cursor.fetchone()
    if row is None or not row[2]:
        raise NotFound
    return bytes(row[0]), row[1]


def _replayed(actor: Actor, outcome_id: UUID) -> OutcomeReceipt:
    rows = Outcome.objects.visible_to(actor).filter(id=outcome_id)
    row = rows.values_list("id", "run_id", "record_id", "kind", "recorded_at").get()
    return OutcomeReceipt(row[0], row[1], row[2], OutcomeKind(row[3]), row[4], is_replay=True)
