"""Set how a project lets outcomes and signals count, and when suspicions ask for a look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory import audit, policies
from memory.errors import FieldInvalid
from memory.models import Project
from memory.scope import UtilityRules
from memory.transactions import operation
from memory.vocabulary import MOST_ACTORS, MOST_QUORUM, Operation, UtilityScope

if TYPE_CHECKING:
    from memory.actor import Actor


_SETTINGS: Final = [
    "one_vote_per_run",
    "minimum_actors",
    "utility_scope",
    "are_signals_in_utility",
    "integrity_quorum",
]


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """How all settings of a project stand."""

    utility: UtilityRules
    integrity_quorum: int


@operation(Operation.PROJECT_CONFIGURE)
def configure_project(
    *,
    actor: Actor,
    one_vote_per_run: bool | None = None,
    minimum_actors: int | None = None,
    utility_scope: UtilityScope | None = None,
    are_signals_counted: bool | None = None,
    integrity_quorum: int | None = None,
) -> ProjectSettings:
    """Change the settings that are given, and say how all of them stand then.

    May: owner, the operator. Refuses: Denied, FieldInvalid. Writes: the project, one audit entry.
    The next compile reads them; nothing is computed anew. Rule: `contract.md` 4.3.
    """
    policies.can_own(actor).require()
    if minimum_actors is not None and not 1 <= minimum_actors <= MOST_ACTORS:
        raise FieldInvalid("minimum_actors", f"must be 1 to {MOST_ACTORS}.")
    if integrity_quorum is not None and not 1 <= integrity_quorum <= MOST_QUORUM:
        raise FieldInvalid("integrity_quorum", f"must be 1 to {MOST_QUORUM}.")
    project = Project.objects.select_for_update(no_key=True).get(id=actor.project_id)
    if one_vote_per_run is not None:
        project.one_vote_per_run = one_vote_per_run
    if minimum_actors is not None:
        project.minimum_actors = minimum_actors
    if utility_scope is not None:
        project.utility_scope = utility_scope
    if are_signals_counted is not None:
        project.are_signals_in_utility = are_signals_counted
    if integrity_quorum is not None:
        project.integrity_quorum = integrity_quorum
    project.save(update_fields=_SETTINGS)
    audit.allowed(actor, audit.Call(Operation.PROJECT_CONFIGURE, 1))
    return ProjectSettings(
        UtilityRules(
            project.one_vote_per_run,
            project.minimum_actors,
            UtilityScope(project.utility_scope),
            project.are_signals_in_utility,
        ),
        project.integrity_quorum,
    )
