"""Who compiled context packs, for the filter of their list and for their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection

from memory.vocabulary import SCANNED_ROWS, ActorKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class RunActor:
    """Somebody who compiled. `is_recent`: among the last who did."""

    id: UUID
    name: str
    kind: ActorKind
    is_recent: bool


OFFERED_ACTORS: Final = 100

_ACTORS: Final = """
WITH newest AS (
  SELECT recorded_by_id, recorded_at FROM feedback_contextrun WHERE project_id = %(project)s
  ORDER BY recorded_at DESC, id DESC LIMIT %(scanned)s
), recent AS (
  SELECT recorded_by_id FROM newest
  GROUP BY recorded_by_id ORDER BY max(recorded_at) DESC, recorded_by_id LIMIT %(offered)s
), wanted AS (
  SELECT recorded_by_id AS id, true AS is_recent FROM recent
  UNION ALL SELECT unnest(%(others)s::uuid[]), false
)
SELECT w.id, coalesce(c.name, u.username),
       CASE WHEN c.id IS NULL THEN 'user' ELSE 'credential' END, w.is_recent
FROM (SELECT id, bool_or(is_recent) AS is_recent FROM wanted GROUP BY id) AS w
LEFT JOIN memory_credential c ON c.id = w.id AND c.project_id = %(project)s
LEFT JOIN memory_user u ON u.id = w.id
WHERE c.id IS NOT NULL OR u.id IS NOT NULL
"""


def list_run_actors(actor: Actor, others: Iterable[UUID]) -> dict[UUID, RunActor]:
    """The last `OFFERED_ACTORS` who compiled in this project, and the names of `others`.

    One statement that reads the newest `SCANNED_ROWS` runs by feedback_contextrun_all_idx. Ask for
    none but ids from this project's runs: names of people belong to no project.
    """
    parameters: dict[str, Any] = {
        "project": actor.project_id,
        "scanned": SCANNED_ROWS,
        "offered": OFFERED_ACTORS,
        "others": sorted(set(others)),
    }
    with connection.cursor() as cursor:
        cursor.execute(_ACTORS, parameters)
        found = [
            RunActor(id_, name, ActorKind(kind), is_recent)
            for id_, name, kind, is_recent in cursor.fetchall()
        ]
    return {known.id: known for known in found}
