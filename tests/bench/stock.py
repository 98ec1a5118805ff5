"""Ready reports that promotions use up: each about a current record of its own.

They are older than the other reports, so the first page of a queue is the same before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection, transaction

if TYPE_CHECKING:
    from memory.actor import Actor

_RECORDS: Final = """
INSERT INTO memory_record (id, project_id, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at, request_id, subject, predicate, object, statement, kind, confidence, trust,
  valid_from, known_from, status, version, version_number, is_single_valued, is_disputed,
  source_role)
SELECT md5(p.id || 'stock' || i)::uuid, p.id, 'credential', p.id, 'api', at, %(request)s::text,
  'Isle ' || i, 'has_harbour', 'Harbour ' || i,
  'Harbour ' || i || ' is where the ships of the isle lie.', 'semantic_fact', 0.9, 1,
  at, at, 'current', md5(%(project)s::uuid || 'stock version' || i)::uuid, 1, false, false, 'user'
FROM memory_project p, generate_series(%(start)s::int, %(stop)s::int - 1) i,
  LATERAL (SELECT timestamptz '2023-01-01' + i * interval '1 second' AS at) placed
WHERE p.id = %(project)s
"""
_VERSIONS: Final = """
INSERT INTO memory_recordversion (id, project_id, record_id, number, change, status, valid_from,
  known_from, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT r.version, r.project_id, r.id, 1, 'record.assert', 'current', r.valid_from, r.known_from,
  r.recorded_by_kind, r.recorded_by_id, r.recorded_via, r.recorded_at, r.request_id
FROM generate_series(%(start)s::int, %(stop)s::int - 1) i
JOIN memory_record r ON r.id = md5(%(project)s::uuid || 'stock' || i)::uuid
"""
_REPORTS: Final = """
INSERT INTO feedback_report (id, project_id, record_id, record_version, note, proposed_object,
  target_subject, target_predicate, target_object, target_preview, target_status, target_version,
  target_version_number, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT md5(r.project_id || 'stock report' || i)::uuid, r.project_id, r.id, r.version,
  'The ships lie elsewhere, says witness ' || i || '.',
  CASE WHEN i %% 2 = 0 THEN 'Bay ' || i END,
  r.subject, r.predicate, r.object, left(r.statement, 512), r.status, r.version, r.version_number,
  'credential', r.project_id, 'api', r.recorded_at, r.request_id
FROM generate_series(%(start)s::int, %(stop)s::int - 1) i
JOIN memory_record r ON r.id = md5(%(project)s::uuid || 'stock' || i)::uuid
"""
_READY: Final = """
SELECT q.id, r.version FROM feedback_report q
JOIN memory_record r ON r.project_id = q.project_id AND r.id = q.record_id
WHERE q.project_id = %s AND q.recorded_at < '2024-01-01' AND (q.proposed_object IS NULL) = %s
ORDER BY q.id
"""
_CURRENT: Final = """
SELECT id FROM memory_record
WHERE project_id = %s AND status = 'current' AND recorded_at >= '2024-01-01' ORDER BY id LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Ready:
    """A report to promote, and the version of its record that the call must name."""

    report_id: UUID
    expected_version: UUID


def bulk_stock(actor: Actor, *, start: int, stop: int) -> None:
    """Write reports number `start` up to `stop`: even ones propose an object, odd ones do not."""
    values: dict[str, str | int] = {
        "project": str(actor.project_id),
        "request": actor.request_id,
        "start": start,
        "stop": stop,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in (_RECORDS, _VERSIONS, _REPORTS):
            cursor.execute(statement, values)


def list_stock(project_id: UUID, *, is_retraction: bool) -> list[Ready]:
    """The stock of one kind; ordered by digest, so neighbours in a list are none in an index."""
    with connection.cursor() as cursor:
        cursor.execute(_READY, [project_id, is_retraction])
        return [Ready(*row) for row in cursor.fetchall()]


def list_reportable(project_id: UUID, most: int) -> list[UUID]:
    """Current records outside of the stock."""
    with connection.cursor() as cursor:
        cursor.execute(_CURRENT, [project_id, most])
        return [row[0] for row in cursor.fetchall()]
