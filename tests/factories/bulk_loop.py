"""Many runs, outcomes, signals and integrity items for plans, written by SQL as `bulk` does it.

Runs have no items. What is told of record 0 and of run 0 is a tenth of it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import connection, transaction

from tests.factories.bulk import bulk_people

if TYPE_CHECKING:
    from uuid import UUID

    from memory.actor import Actor

ACTORS: Final = 10

_RUNS: Final = """
INSERT INTO feedback_contextrun (id, project_id, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at, request_id, task_digest, lexemes_digest, data_subject_id, is_shared_included, as_of,
  policy, max_tokens, used_tokens, selected_items, omitted_items, deduplicated_items,
  unconsolidated_observations, is_budget_exhausted)
SELECT md5(p.id || 'contextrun' || i)::uuid, p.id, 'credential',
  md5(p.id || 'actor' || i %% %(actors)s::int)::uuid, 'api', at, %(request)s::text,
  sha256(i::text::bytea), sha256((i %% 9)::text::bytea),
  CASE WHEN i %% 4 = 1 THEN (%(people)s::uuid[])[1 + i %% 10] END, true, at, 'v1', 1200, 600, 3, 0,
  0, 0, false
FROM memory_project p, generate_series(%(start)s::int, %(stop)s::int - 1) i,
  LATERAL (SELECT timestamptz '2024-01-01' + i / 3 * interval '1 minute' AS at) placed
WHERE p.id = %(project)s
"""

_OUTCOMES: Final = """
INSERT INTO feedback_outcome (id, project_id, run_id, record_id, kind, lexemes_digest,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT md5(p.id || 'outcome' || i)::uuid, p.id,
  md5(p.id || 'contextrun' || CASE WHEN i %% 10 = 3 THEN 0
    ELSE i::bigint * 7919 %% %(stop)s::int END)::uuid,
  CASE WHEN i %% 7 > 0 THEN md5(p.id || 'record' || CASE WHEN i %% 10 = 4 THEN 0
    ELSE i::bigint * 31 %% %(records)s::int END)::uuid END,
  (ARRAY['used', 'useful', 'irrelevant', 'incorrect', 'harmful'])[1 + i %% 5],
  sha256((i %% 9)::text::bytea), 'credential',
  md5(p.id || 'actor' || i / 5 %% %(actors)s::int)::uuid, 'api',
  timestamptz '2024-01-01' + i / 3 * interval '1 minute', %(request)s::text
FROM memory_project p, generate_series(%(start)s::int, %(stop)s::int - 1) i
WHERE p.id = %(project)s
"""

# A fifth names no record here, a tenth of the others suspects one: a few of each tenth record, so
# that the statistics of a thousand tell those of one record from those that suspect it.
_SIGNALS: Final = """
INSERT INTO feedback_signal (id, project_id, record_id, hit_digest, is_used, is_poison_suspected,
  is_injection_suspected, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT md5(p.id || 'signal' || i)::uuid, p.id,
  CASE WHEN i %% 5 > 0 THEN md5(p.id || 'record' || CASE WHEN i %% 10 = 4 THEN 0
    ELSE i::bigint * 31 %% (%(records)s::int / 10) END)::uuid END,
  CASE WHEN i %% 5 = 0 THEN sha256(i::text::bytea) END, i %% 2 = 0,
  CASE WHEN i / 5 %% 20 = 7 THEN true END, CASE WHEN i / 5 %% 20 = 9 THEN true END, 'credential',
  md5(p.id || 'actor' || i / 5 %% %(actors)s::int)::uuid, 'rcp',
  timestamptz '2024-01-01' + i / 3 * interval '1 minute', %(request)s::text
FROM memory_project p, generate_series(%(start)s::int, %(stop)s::int - 1) i
WHERE p.id = %(project)s
"""

# One a record; every third is decided.
_ITEMS: Final = """
INSERT INTO feedback_integrityitem (id, project_id, record_id, state, recorded_at, decided_at,
  decided_by_kind, decided_by_id, reason)
SELECT md5(p.id || 'integrityitem' || i)::uuid, p.id, md5(p.id || 'record' || i)::uuid,
  CASE WHEN decided THEN 'no_concern' ELSE 'open' END, at, CASE WHEN decided THEN at END,
  CASE WHEN decided THEN 'user' END, CASE WHEN decided THEN p.id END,
  CASE WHEN decided THEN 'Well known.' END
FROM memory_project p, generate_series(%(start)s::int / 10, %(stop)s::int / 10 - 1) i,
  LATERAL (SELECT i %% 3 = 0 AS decided,
             timestamptz '2024-01-01' + i / 3 * interval '1 minute' AS at) placed
WHERE p.id = %(project)s
"""


def bulk_loop(actor: Actor, *, records: int, start: int, stop: int) -> None:
    """Write runs, outcomes and signals of these numbers, and a tenth as many integrity items.

    They are about the project's first bulk records, of which there are so many.
    """
    values: dict[str, Any] = {
        "project": actor.project_id,
        "request": actor.request_id,
        "start": start,
        "stop": stop,
        "records": records,
        "actors": ACTORS,
        "people": bulk_people(actor),
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        for statement in (_RUNS, _OUTCOMES, _SIGNALS, _ITEMS):
            cursor.execute(statement, values)


def settle_loop() -> None:
    """What autovacuum would do in time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "VACUUM ANALYZE feedback_contextrun, feedback_outcome, feedback_signal,"
            " feedback_integrityitem, memory_record, memory_subject"
        )


def bulk_actor(actor: Actor, number: int) -> UUID:
    """The id of the program of this number that sent a tenth of it all."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT md5(%s::uuid || 'actor' || %s)::uuid", [actor.project_id, str(number)]
        )
        row: tuple[UUID] = cursor.fetchone()
    return row[0]
