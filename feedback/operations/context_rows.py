"""The rows of a compile: the run and its items, written together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from feedback.ranking import Components
    from memory.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to be written. Digests are keyed; neither task nor lexemes are kept."""

    id: UUID
    task_digest: bytes
    lexemes_digest: bytes
    data_subject_id: UUID | None
    is_shared_included: bool
    as_of: datetime
    policy: str
    max_tokens: int
    used_tokens: int
    omitted_items: int
    deduplicated_items: int
    unconsolidated_observations: int
    is_budget_exhausted: bool
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class NewItem:
    """A record of the pack, at the version and with the score that was delivered."""

    record_id: UUID
    record_version: UUID
    components: Components
    score: float


# In SQL, since a pack may have a thousand items: the ORM takes longer for them than all the rest.
_WRITE: Final = """
WITH run AS (
  INSERT INTO feedback_contextrun (id, project_id, task_digest, lexemes_digest, data_subject_id,
    is_shared_included, as_of, policy, max_tokens, used_tokens, selected_items, omitted_items,
    deduplicated_items, unconsolidated_observations, is_budget_exhausted, recorded_by_kind,
    recorded_by_id, recorded_via, recorded_at, request_id)
  VALUES (%(id)s, %(project)s, %(task)s, %(lexemes)s, %(person)s, %(is_shared)s, %(as_of)s,
    %(policy)s, %(max_tokens)s, %(used_tokens)s, %(selected)s, %(omitted)s, %(deduplicated)s,
    %(unconsolidated)s, %(is_exhausted)s, %(by_kind)s, %(by)s, %(via)s, %(at)s, %(request)s)
  RETURNING id, project_id, recorded_at
)
INSERT INTO feedback_contextitem (id, project_id, run_id, record_id, record_version, rank, score,
  relevance, trust, recency, utility, conflict, confidence, recorded_at)
SELECT gen_random_uuid(), run.project_id, run.id, item.record_id, item.record_version, item.rank,
  item.score, item.relevance, item.trust, item.recency, item.utility, item.conflict,
  item.confidence, run.recorded_at
FROM run, unnest(%(records)s::uuid[], %(versions)s::uuid[], %(scores)s::float8[],
    %(relevances)s::float8[], %(trusts)s::float8[], %(recencies)s::float8[],
    %(utilities)s::float8[], %(conflicts)s::float8[], %(confidences)s::float8[])
  WITH ORDINALITY AS item(record_id, record_version, score, relevance, trust, recency, utility,
    conflict, confidence, rank)
"""


def write_run(actor: Actor, run: NewRun, items: Sequence[NewItem]) -> None:
    """Write a run of the actor's, and its items in the order of their ranks. One statement."""
    parts = [item.components for item in items]
    values: dict[str, Any] = {
        "id": run.id,
        "project": actor.project_id,
        "task": run.task_digest,
        "lexemes": run.lexemes_digest,
        "person": run.data_subject_id,
        "is_shared": run.is_shared_included,
        "as_of": run.as_of,
        "policy": run.policy,
        "max_tokens": run.max_tokens,
        "used_tokens": run.used_tokens,
        "selected": len(items),
        "omitted": run.omitted_items,
        "deduplicated": run.deduplicated_items,
        "unconsolidated": run.unconsolidated_observations,
        "is_exhausted": run.is_budget_exhausted,
        "by_kind": actor.kind.value,
        "by": actor.id,
        "via": actor.edge.value,
        "at": run.recorded_at,
        "request": actor.request_id,
        "records": [item.record_id for item in items],
        "versions": [item.record_version for item in items],
        "scores": [item.score for item in items],
        "relevances": [part.relevance for part in parts],
        "trusts": [part.trust for part in parts],
        "recencies": [part.recency for part in parts],
        "utilities": [part.utility for part in parts],
        "conflicts": [part.conflict for part in parts],
        "confidences": [part.confidence for part in parts],
    }
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, values)
