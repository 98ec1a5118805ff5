"""Use an RCP session, which keeps it alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import connection

from feedback.operations.rcp_session_rows import IS_STALE, key_of
from memory.transactions import project_scope

if TYPE_CHECKING:
    from memory.actor import Actor

_USE: Final = f"""
UPDATE feedback_rcpsession s SET last_used_at = statement_timestamp()
WHERE s.project_id = %(project)s AND s.credential_id = %(credential)s AND s.name_digest = %(name)s
  AND NOT {IS_STALE}
"""  # noqa: S608 - ours


def use_rcp_session(*, actor: Actor, name: str) -> bool:
    """Whether the credential has an open session of this name; notes that it is in use.

    Not audited, since it reaches nothing. One statement besides the scope's.
    """
    with project_scope(actor.project_id), connection.cursor() as cursor:
        cursor.execute(_USE, key_of(actor, name))
        found: int = cursor.rowcount
        return found == 1
