"""Open an RCP session; the longest unused ones of the credential make room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import uuid4

from django.db import connection

from feedback.operations.rcp_session_rows import IS_STALE, key_of
from feedback.vocabulary import SESSIONS_PER_CREDENTIAL
from memory.transactions import project_scope

if TYPE_CHECKING:
    from memory.actor import Actor

# Openings of one credential take turns, so that there are never more sessions than may be.
_LOCK: Final = """
SELECT FROM memory_credential WHERE project_id = %(project)s AND id = %(credential)s
FOR NO KEY UPDATE
"""

_OPEN: Final = f"""
INSERT INTO feedback_rcpsession AS s (id, project_id, credential_id, name_digest, last_used_at)
VALUES (%(id)s, %(project)s, %(credential)s, %(name)s, statement_timestamp())
ON CONFLICT ON CONSTRAINT feedback_rcpsession_name_uniq DO UPDATE
SET id = EXCLUDED.id, last_used_at = EXCLUDED.last_used_at
WHERE {IS_STALE}
"""  # noqa: S608 - ours

_MAKE_ROOM: Final = f"""
DELETE FROM feedback_rcpsession WHERE id IN (
  SELECT id FROM (
    SELECT s.id, {IS_STALE} AS is_stale, row_number() OVER (ORDER BY s.last_used_at DESC, s.id) AS n
    FROM feedback_rcpsession s
    WHERE s.project_id = %(project)s AND s.credential_id = %(credential)s) AS ranked
  WHERE is_stale OR n > %(most)s)
"""  # noqa: S608 - ours


def open_rcp_session(*, actor: Actor, name: str) -> bool:
    """Whether the session was opened by this call; False where it is open already.

    Not audited, since it reaches nothing. Writes: the session; deletes those of the same credential
    that were not used for 15 minutes or that would be a 33rd. Rule: `protocols.md` 1.3.
    """
    with project_scope(actor.project_id), connection.cursor() as cursor:
        key = {**key_of(actor, name), "id": uuid4(), "most": SESSIONS_PER_CREDENTIAL}
        cursor.execute(_LOCK, key)
        cursor.execute(_OPEN, key)
        opened: int = cursor.rowcount
        is_opened = opened == 1
        if is_opened:
            cursor.execute(_MAKE_ROOM, key)
        return is_opened
