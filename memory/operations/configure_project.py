"""Set how a project lets outcomes count in the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory import audit, policies
from memory.errors import FieldInvalid
from memory.models import Project
from memory.scope import UtilityRules, current_scope
from memory.transactions import operation
from memory.vocabulary import MOST_ACTORS, Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.vocabulary import UtilityScope


@operation(Operation.PROJECT_CONFIGURE)
def configure_project(
    *,
    actor: Actor,
    one_vote_per_run: bool | None = None,
    minimum_actors: int | None = None,
    utility_scope: UtilityScope | None = None,
) -> UtilityRules:
    """Change the settings that are given, and say how all of them stand then.

    May: owner, the operator. Refuses: Denied, FieldInvalid. Writes: the project, one audit entry.
    The next compile reads them; nothing is computed anew. Rule: `contract.md` 4.3.
    """
    policies.can_own(actor).require()
    if minimum_actors is not None and not 1 <= minimum_actors <= MOST_ACTORS:
        raise FieldInvalid("minimum_actors", f"must be 1 to {MOST_ACTORS}.")
    old = current_scope().utility
    rules = UtilityRules(
        old.one_vote_per_run if one_vote_per_run is None else one_vote_per_run,
        old.minimum_actors if minimum_actors is None else minimum_actors,
        old.scope if utility_scope is None else utility_scope,
    )
    Project.objects.filter(id=actor.project_id).update(
        one_vote_per_run=rules.one_vote_per_run,
        minimum_actors=rules.minimum_actors,
        utility_scope=rules.scope,
    )
    audit.allowed(actor, audit.Call(Operation.PROJECT_CONFIGURE, 1))
    return rules
