"""Close an RCP session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import connection

from feedback.operations.rcp_session_rows import key_of
from memory.transactions import project_scope

if TYPE_CHECKING:
    from memory.actor import Actor

_CLOSE: Final = """
DELETE FROM feedback_rcpsession
WHERE project_id = %(project)s AND credential_id = %(credential)s AND name_digest = %(name)s
"""


def close_rcp_session(*, actor: Actor, name: str) -> None:
    """Drop the session; without one nothing happens. Not audited, since it reaches nothing."""
    with project_scope(actor.project_id), connection.cursor() as cursor:
        cursor.execute(_CLOSE, key_of(actor, name))
