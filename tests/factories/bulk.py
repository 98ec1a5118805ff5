"""Many rows for plans, written by SQL: the exception to "state is made through operations".

The rows keep every constraint, trigger and invariant but I5, since nobody is audited for them, and
they rest on no source. Ids are digests, so that they are as unordered as real ones. Reports that
lie beside each other are about records that do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import connection, transaction

from memory.digests import Digester
from memory.models import Project, Subject
from memory.paging import Seek

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from feedback.vocabulary import OutcomeKind
    from memory.actor import Actor

REPORTS_PER_RECORD: Final = 5
PREDICATES: Final = 10
SUBJECTS: Final = 50
PEOPLE: Final = 500  # in the table; records are about the first ten
CHUNK: Final = 50_000

# Records 0, 1, 2, ...: of ten, three are retracted, and every fourth is about a person.
_RECORDS: Final = """
INSERT INTO memory_record (id, project_id, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at, request_id, subject, predicate, object, statement, kind, confidence, trust,
  data_subject_id, valid_from, known_from, known_until, status, version, version_number,
  is_single_valued, is_disputed, source_role)
SELECT md5(p.id || 'record' || i)::uuid, p.id, 'credential', p.id, 'api', at, %(request)s::text,
  'Land ' || i %% %(subjects)s::int, 'predicate_' || i %% %(predicates)s::int, 'Town ' || i,
  'Town ' || i || ' is where the land meets, so they say.',
  (ARRAY['semantic_fact', 'decision'])[1 + i %% 2], 0.9, 1 + i %% 2,
  CASE WHEN i %% 4 = 1 THEN (%(people)s::uuid[])[1 + i %% 10] END,
  at, at, CASE WHEN i %% 10 > 6 THEN at + interval '1 year' END,
  CASE WHEN i %% 10 > 6 THEN 'retracted' ELSE 'current' END,
  md5(p.id || CASE WHEN i %% 10 > 6 THEN 'closing' ELSE 'first' END || i)::uuid,
  CASE WHEN i %% 10 > 6 THEN 2 ELSE 1 END, false, false, 'user'
FROM memory_project p, generate_series(%(start)s::int, %(stop)s::int - 1) i,
  LATERAL (SELECT timestamptz '2024-01-01' + i / 3 * interval '1 minute' AS at) placed
WHERE p.id = %(project)s
"""

_VERSIONS: Final = """
INSERT INTO memory_recordversion (id, project_id, record_id, number, change, status, valid_from,
  known_from, known_until, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT md5(r.project_id || step.name || i)::uuid, r.project_id, r.id, step.number, step.change,
  CASE step.number WHEN 1 THEN 'current' ELSE r.status END, r.valid_from, r.known_from,
  CASE step.number WHEN 2 THEN r.known_until END, r.recorded_by_kind, r.recorded_by_id,
  r.recorded_via, r.recorded_at, r.request_id
FROM generate_series(%(start)s::int, %(stop)s::int - 1) i
JOIN memory_record r ON r.id = md5(%(project)s::uuid || 'record' || i)::uuid
JOIN (VALUES (1, 'first', 'record.assert'), (2, 'closing', 'record.retract'))
  step (number, name, change) ON step.number <= r.version_number
ORDER BY i, step.number
"""

# A tenth is about record 0. Every fifth opens a new record, and is promoted if that is retracted.
# Every second says what a person has said.
_REPORTS: Final = """
INSERT INTO feedback_report (id, project_id, record_id, record_version, note, proposed_object,
  target_subject, target_predicate, target_object, target_preview, target_status, target_version,
  target_version_number, target_closed_at, reporter_subject_id, reporter_name,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id, promoted_at,
  promoted_by_kind, promoted_by_id, promoted_via, promotion_request_id, promotion_change,
  promotion_expected_version, promotion_version)
SELECT md5(r.project_id || 'report' || i)::uuid, r.project_id, r.id,
  md5(r.project_id || 'first' || target)::uuid, 'It meets elsewhere, says witness ' || i || '.',
  CASE WHEN i %% 2 = 0 THEN 'Town ' || i END,
  r.subject, r.predicate, r.object, left(r.statement, 512), r.status, r.version, r.version_number,
  r.known_until, (%(people)s::uuid[])[1 + person], 'person ' || person,
  'credential', r.project_id, 'api', at, %(request)s::text,
  CASE WHEN promoted THEN r.known_until END,
  CASE WHEN promoted THEN 'credential' END, CASE WHEN promoted THEN r.project_id END,
  CASE WHEN promoted THEN 'api' END, CASE WHEN promoted THEN %(request)s::text END,
  CASE WHEN promoted THEN 'record.retract' END,
  CASE WHEN promoted THEN md5(r.project_id || 'first' || target)::uuid END,
  CASE WHEN promoted THEN r.version END
FROM generate_series(%(start)s::int * %(each)s::int, %(stop)s::int * %(each)s::int - 1) i,
  LATERAL (SELECT CASE WHEN i %% 10 = 4 THEN 0 WHEN i %% %(each)s::int = 0 THEN i / %(each)s::int
             ELSE (i::bigint * 7919) %% %(stop)s::int END AS target,
           timestamptz '2024-01-01' + i / 3 * interval '10 seconds' AS at) aim
JOIN memory_record r ON r.id = md5(%(project)s::uuid || 'record' || target)::uuid,
  LATERAL (SELECT r.known_until IS NOT NULL AND i %% %(each)s::int = 0 AS promoted,
             CASE WHEN i %% 2 = 1 THEN i %% %(crowd)s::int END AS person) decided
ORDER BY i
"""


# Current records about one person or nobody, each with the same words and a number.
_SAID: Final = """
WITH said AS (
  INSERT INTO memory_record (id, project_id, recorded_by_kind, recorded_by_id, recorded_via,
    recorded_at, request_id, subject, predicate, object, statement, kind, confidence, trust,
    data_subject_id, valid_from, known_from, version, is_single_valued, is_disputed, source_role,
    status, version_number)
  SELECT gen_random_uuid(), p.id, 'credential', p.id, 'api', at, %(request)s, 'Land ' || i,
    'states', 'Town ' || i, %(statement)s || ' ' || i, 'semantic_fact', 1, 3, %(person)s, at, at,
    gen_random_uuid(), false, false, 'user', 'current', 1
  FROM memory_project p, generate_series(1, %(number)s) i,
    LATERAL (SELECT timestamptz '2024-01-01' AS at) placed
  WHERE p.id = %(project)s
  RETURNING *
)
INSERT INTO memory_recordversion (id, project_id, record_id, number, change, status, valid_from,
  known_from, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT version, project_id, id, 1, 'record.assert', 'current', valid_from, known_from,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id
FROM said
"""

# Outcomes of so many actors about one item of a run, or about the run.
_OUTCOMES: Final = """
INSERT INTO feedback_outcome (id, project_id, run_id, record_id, kind, lexemes_digest,
  data_subject_id, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT gen_random_uuid(), r.project_id, r.id, %(record)s, %(kind)s, r.lexemes_digest,
  r.data_subject_id, 'credential', gen_random_uuid(), 'api', clock_timestamp(), %(request)s
FROM feedback_contextrun r, generate_series(1, %(number)s)
WHERE r.project_id = %(project)s AND r.id = %(run)s
"""


def bulk_records(
    actor: Actor, number: int, *, statement: str, data_subject: str | None = None
) -> None:
    """Fill the actor's project with current records that all say these words, and a number."""
    person = None
    if data_subject is not None:
        key = Project.objects.values_list("digest_key", flat=True).get(id=actor.project_id)
        person = Digester(bytes(key)).subject_id(data_subject)
        subject = Subject(id=person, project_id=actor.project_id, name=data_subject)
        Subject.objects.bulk_create([subject], ignore_conflicts=True)
    with connection.cursor() as cursor:
        cursor.execute(
            _SAID,
            {
                "project": actor.project_id,
                "request": actor.request_id,
                "number": number,
                "statement": statement,
                "person": person,
            },
        )


def bulk_outcomes(
    actor: Actor, number: int, *, run_id: UUID, record_id: UUID | None, kind: OutcomeKind
) -> None:
    """So many outcomes about a run of the actor's project, each by an actor of its own."""
    with connection.cursor() as cursor:
        cursor.execute(
            _OUTCOMES,
            {
                "project": actor.project_id,
                "request": actor.request_id,
                "number": number,
                "run": run_id,
                "record": record_id,
                "kind": kind.value,
            },
        )


def bulk_reports(actor: Actor, *, start: int, stop: int) -> None:
    """Fill the actor's project from report number `start` up to `stop`, with their records."""
    people = bulk_people(actor)
    for chunk in range(start, stop, CHUNK):
        places = (place // REPORTS_PER_RECORD for place in (chunk, min(chunk + CHUNK, stop)))
        _write(actor, people, (_RECORDS, _VERSIONS, _REPORTS), *places)


def bulk_reported(actor: Actor, *, stop: int) -> None:
    """Fill the actor's project with records up to number `stop`, without their reports."""
    _write(actor, bulk_people(actor), (_RECORDS, _VERSIONS), 0, stop)


def _write(
    actor: Actor, people: list[UUID], statements: Iterable[str], start: int, stop: int
) -> None:
    values: dict[str, Any] = {
        "project": actor.project_id,
        "request": actor.request_id,
        "start": start,
        "stop": stop,
        "each": REPORTS_PER_RECORD,
        "predicates": PREDICATES,
        "subjects": SUBJECTS,
        "people": people,
        "crowd": PEOPLE,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        for statement in statements:
            cursor.execute(statement, values)


def bulk_people(actor: Actor) -> list[UUID]:
    """Ids of the data subjects `person 0`, `person 1`, ..., written where they are new."""
    key = Project.objects.values_list("digest_key", flat=True).get(id=actor.project_id)
    names = [f"person {number}" for number in range(PEOPLE)]
    people = [
        Subject(id=Digester(bytes(key)).subject_id(name), project_id=actor.project_id, name=name)
        for name in names
    ]
    Subject.objects.bulk_create(people, ignore_conflicts=True)
    return [person.id for person in people]


def bulk_place(actor: Actor, table: str, number: int) -> tuple[UUID, Seek]:
    """The id and place of the bulk row of this number in a table, `memory_record` or another."""
    kind = table.rpartition("_")[2]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, recorded_at FROM {table} WHERE id = md5(%s::uuid || %s || %s)::uuid",  # noqa: S608 - ours
            [actor.project_id, kind, number],
        )
        id_, recorded_at = cursor.fetchone()
        return id_, Seek(recorded_at, id_)


def settle() -> None:
    """What autovacuum would do in time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "VACUUM ANALYZE feedback_report, memory_record, memory_recordversion, memory_subject"
        )
