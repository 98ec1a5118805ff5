"""Records at size, written by SQL as `tests/factories/bulk.py` does; triggers write the postings.

Each is current and cites a whole message of a turn, of which twenty records share one, as a
consolidation leaves them; nobody is audited. One in twenty has ended before the bench began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import connection, transaction

from tests.bench.loop.vocabulary import statement

if TYPE_CHECKING:
    from memory.actor import Actor

CHUNK: Final = 2_000  # keeps each statement below the statement time-out
_EACH: Final = 20  # records that rest on one turn

_SAID: Final = """
CREATE TEMPORARY TABLE said AS
SELECT i::int, statement, md5(project || ' record ' || i)::uuid AS record_id,
  md5(project || ' version ' || i)::uuid AS version,
  md5(project || ' source ' || i / %(each)s)::uuid AS source,
  (i %% %(each)s)::int AS ordinal,
  timestamptz '2024-01-01' + (i * 7919 %% 700) * interval '1 day' AS at, project
FROM unnest(%(statements)s::text[]) WITH ORDINALITY AS given(statement, place),
  LATERAL (SELECT %(start)s::bigint + place - 1 AS i, %(project)s::uuid AS project) AS numbered
"""
_COLUMNS: Final = "recorded_by_kind, recorded_by_id, recorded_via, request_id, recorded_at"
_BY: Final = "'credential', project, 'api', %(request)s::text, at"
_ROWS: Final = (
    f"""
INSERT INTO memory_source (id, project_id, kind, origin_type, trust, content_hash, occurred_at,
  {_COLUMNS})
SELECT source, project, 'turn', 'bench', 1, sha256(convert_to(statement, 'UTF8')), at, {_BY}
FROM said WHERE ordinal = 0 ORDER BY i
""",  # noqa: S608 - no value is put in
    """
INSERT INTO memory_message (id, project_id, source_id, ordinal, role, content, occurred_at)
SELECT gen_random_uuid(), project, source, ordinal, 'user', statement, at FROM said
""",
    f"""
INSERT INTO memory_record (id, project_id, {_COLUMNS}, subject, predicate, object, statement, kind,
  confidence, trust, valid_from, valid_until, known_from, status, version, version_number,
  is_single_valued, is_disputed, source_role)
SELECT record_id, project, {_BY}, 'Subject ' || i / 5, 'says_' || i %% 10, 'Object ' || i,
  statement, 'semantic_fact', 0.6 + i %% 5 * 0.1, 1 + i %% 2, at,
  CASE WHEN i %% 20 = 7 THEN at + interval '1 day' END, at, 'current', version, 1, false,
  i %% 50 = 3, 'user'
FROM said
""",  # noqa: S608 - no value is put in
    f"""
INSERT INTO memory_recordversion (id, project_id, record_id, number, change, status, valid_from,
  valid_until, known_from, source_id, {_COLUMNS})
SELECT version, project, record_id, 1, 'record.assert', 'current', at,
  CASE WHEN i %% 20 = 7 THEN at + interval '1 day' END, at, source, {_BY}
FROM said
""",  # noqa: S608 - no value is put in
    """
INSERT INTO memory_citation (id, project_id, record_id, source_id, ordinal, byte_start, byte_end,
  quote, relation, recorded_at)
SELECT gen_random_uuid(), project, record_id, source, ordinal, 0, octet_length(statement),
  statement, 'supports', at
FROM said
""",
)


def bulk_statements(actor: Actor, *, project: int, start: int, stop: int) -> None:
    """Write records number `start` up to `stop` of the actor's project, the bench's `project`th."""
    values: dict[str, Any] = {
        "project": actor.project_id,
        "request": actor.request_id,
        "each": _EACH,
        "start": start,
        "statements": [statement(project, record) for record in range(start, stop)],
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SAID, values)
        for rows in _ROWS:
            cursor.execute(rows, values)
        cursor.execute("DROP TABLE said")
