"""The floor's SQL, by hand: the statements that the product needs for the same contract.

In the order of the operations, with the same effect, and in the round trips of `assurance.md` 6.1:
the product joins some of them. `ONE_STATEMENT` alone does the whole contract of a list at once.
"""

from __future__ import annotations

from typing import Final

CREDENTIAL: Final = """
SELECT c.id, c.project_id, c.digest,
  c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > statement_timestamp())
    AND p.suspended_at IS NULL
FROM memory_credential c JOIN memory_project p ON p.id = c.project_id WHERE c.public_id = %s
"""
SETTING: Final = """
SELECT set_config('errata.project', id::text, true), digest_key, clock_timestamp()
FROM memory_project WHERE id = %s
"""
AUDIT: Final = """
INSERT INTO memory_auditentry (id, project_id, operation, outcome, actor_kind, actor_id, edge,
  request_id, magnitude, is_read)
VALUES (gen_random_uuid(), %s, %s, 'allowed', 'credential', %s, 'api', %s, %s, %s)
"""
AUDIT_TWO: Final = """
INSERT INTO memory_auditentry (id, project_id, operation, outcome, actor_kind, actor_id, edge,
  request_id, magnitude, is_read)
SELECT gen_random_uuid(), %s, operation, 'allowed', 'credential', %s, 'api', %s, 1, false
FROM (VALUES ('feedback.promote'), (%s)) calls (operation)
"""

# --- List ----------------------------------------------------------------------------------------
_COLUMNS: Final = """
id, record_id, record_version, note, proposed_object, reporter_name,
recorded_by_id, recorded_by_kind, recorded_via, recorded_at,
target_status, target_version, target_closed_at, target_subject, target_predicate, target_object,
target_preview
"""
PAGE: Final = f"""
SELECT {_COLUMNS}
FROM feedback_report WHERE project_id = %s AND promoted_at IS NULL
ORDER BY recorded_at DESC, id DESC LIMIT 21
"""  # noqa: S608 - no value is put in
ONE_STATEMENT: Final = f"""
WITH caller AS MATERIALIZED (
  SELECT c.id, c.project_id, set_config('errata.project', c.project_id::text, true)
  FROM memory_credential c JOIN memory_project p ON p.id = c.project_id
  WHERE c.public_id = %s AND c.digest = %s AND c.revoked_at IS NULL
    AND (c.expires_at IS NULL OR c.expires_at > statement_timestamp())
    AND p.suspended_at IS NULL
), page AS MATERIALIZED (
  SELECT {_COLUMNS}
  FROM feedback_report
  WHERE project_id = (SELECT project_id FROM caller) AND promoted_at IS NULL
  ORDER BY recorded_at DESC, id DESC LIMIT 21
), entry AS (
  INSERT INTO memory_auditentry (id, project_id, operation, outcome, actor_kind, actor_id, edge,
    request_id, magnitude, is_read)
  SELECT gen_random_uuid(), caller.project_id, 'feedback.list', 'allowed', 'credential', caller.id,
    'api', %s, (SELECT least(count(*), 20) FROM page), true
  FROM caller
)
SELECT * FROM page
"""  # noqa: S608 - no value is put in

# --- Report --------------------------------------------------------------------------------------
SHARE_RECORD: Final = """
SELECT subject, predicate, object, left(statement, 512), status, version, version_number,
  known_until, replaced_by
FROM memory_record WHERE project_id = %s AND id = %s FOR SHARE
"""
INSERT_REPORT: Final = """
INSERT INTO feedback_report (id, project_id, record_id, record_version, note, target_subject,
  target_predicate, target_object, target_preview, target_status, target_version,
  target_version_number, target_closed_at, target_replaced_by, recorded_by_kind, recorded_by_id,
  recorded_via, request_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'credential', %s, 'api', %s)
RETURNING recorded_at
"""

# --- Promote -------------------------------------------------------------------------------------
READ_REPORT: Final = """
SELECT record_id, note, proposed_object, promoted_at FROM feedback_report
WHERE project_id = %s AND id = %s
"""
LOCK_RECORD: Final = """
SELECT id, version, version_number, status, subject, predicate, kind, confidence, trust,
  data_subject_id, valid_from, valid_until, known_from, is_single_valued
FROM memory_record WHERE project_id = %s AND id = %s FOR NO KEY UPDATE
"""
READ_AGAIN: Final = """
SELECT promoted_at, clock_timestamp() FROM feedback_report WHERE project_id = %s AND id = %s
"""
CLOSE_RECORD: Final = """
UPDATE memory_record SET status = %s, version = %s, version_number = %s, known_until = %s,
  replaced_by = %s
WHERE project_id = %s AND id = %s
"""
INSERT_CLOSING_VERSION: Final = """
INSERT INTO memory_recordversion (id, project_id, record_id, number, change, status, valid_from,
  valid_until, known_from, known_until, source_id, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at, request_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'credential', %s, 'api', %s, %s)
"""
INSERT_BOTH_VERSIONS: Final = (
    INSERT_CLOSING_VERSION.rstrip()
    + """,
  (%s, %s, %s, 1, 'record.correct', 'current', %s, NULL, %s, NULL, %s, 'credential', %s, 'api',
   %s, %s)
"""
)
STAMP_REPORTS: Final = """
UPDATE feedback_report SET target_closed_at = %s, target_status = %s, target_version = %s,
  target_version_number = %s, target_replaced_by = %s
WHERE project_id = %s AND record_id = %s AND promoted_at IS NULL AND target_closed_at IS NULL
"""
MARK_REPORT: Final = """
UPDATE feedback_report SET promoted_at = %s, promoted_by_kind = 'credential', promoted_by_id = %s,
  promoted_via = 'api', promotion_request_id = %s, promotion_change = %s,
  promotion_expected_version = %s, promotion_version = %s, replacement_record_id = %s
WHERE project_id = %s AND id = %s
"""
INSERT_SOURCE: Final = """
INSERT INTO memory_source (id, project_id, kind, origin_type, trust, data_subject_id, content_hash,
  occurred_at, recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
VALUES (%s, %s, 'curated', 'api', %s, %s, %s, %s, 'credential', %s, 'api', %s, %s)
RETURNING log_offset
"""
INSERT_MESSAGE: Final = """
INSERT INTO memory_message (id, project_id, source_id, ordinal, role, content, occurred_at)
VALUES (gen_random_uuid(), %s, %s, 0, 'user', %s, %s)
"""
INSERT_RECORD: Final = """
INSERT INTO memory_record (id, project_id, subject, predicate, object, statement, kind, confidence,
  trust, data_subject_id, valid_from, known_from, status, version, version_number, replaces,
  is_single_valued, is_disputed, source_role, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at, request_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'current', %s, 1, %s, %s, false, 'user',
  'credential', %s, 'api', %s, %s)
"""
INSERT_CITATION: Final = """
INSERT INTO memory_citation (id, project_id, record_id, source_id, ordinal, byte_start, byte_end,
  quote, relation, recorded_at)
VALUES (gen_random_uuid(), %s, %s, %s, 0, 0, %s, %s, 'supports', %s)
"""
