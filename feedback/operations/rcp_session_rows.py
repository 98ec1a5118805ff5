"""How an RCP session is known: by whose it is and a keyed digest of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from feedback.vocabulary import SESSION_MINUTES
from memory.scope import current_scope

if TYPE_CHECKING:
    from memory.actor import Actor

#: The condition under which a session counts as used long ago.
IS_STALE = "s.last_used_at <= statement_timestamp() - make_interval(mins => %(minutes)s)"


def key_of(actor: Actor, name: str) -> dict[str, Any]:
    """The parameters that name one session; inside of `project_scope`."""
    return {
        "project": actor.project_id,
        "credential": actor.id,
        "name": current_scope().digests.digest("rcp_session", name),
        "minutes": SESSION_MINUTES,
    }
