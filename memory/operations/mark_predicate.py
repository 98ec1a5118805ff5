"""Say that a subject has a predicate once only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count

from memory import audit, policies
from memory.errors import FieldInvalid, PredicateConflict
from memory.models import Predicate, Project, Record
from memory.transactions import operation
from memory.vocabulary import (
    PREDICATE_BYTES,
    PREDICATE_PATTERN,
    STATES,
    Operation,
    RecordStatus,
)

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class PredicateReceipt:
    """The predicate, and how many current records came under the rule."""

    name: str
    records: int


@operation(Operation.PREDICATE_MARK)
def mark_predicate(*, actor: Actor, name: str) -> PredicateReceipt:
    """Make a predicate single-valued, for the records there are and those to come.

    May: owner, the operator. Refuses: Denied, FieldInvalid, PredicateConflict while some subject
    has two current records with it. Writes: the mark, on each current record too, one audit entry.
    """
    policies.can_own(actor).require()
    if len(name) > PREDICATE_BYTES or not re.fullmatch(PREDICATE_PATTERN, name):
        raise FieldInvalid("name", "must match [a-z][a-z0-9_]* in at most 128 bytes.")
    if name == STATES:
        raise FieldInvalid("name", "must not be states, which a subject has any number of times.")
    # Records under way are waited for and counted; the trigger on those to come waits for the mark.
    Project.objects.select_for_update().get(id=actor.project_id)
    current = Record.objects.visible_to(actor).filter(predicate=name, status=RecordStatus.CURRENT)
    twice = current.order_by().values("subject").annotate(rows=Count("*")).filter(rows__gt=1)
    if twice.exists():
        raise PredicateConflict
    Predicate.objects.update_or_create(
        project_id=actor.project_id, name=name, defaults={"is_single_valued": True}
    )
    marked = current.filter(is_single_valued=False).update(is_single_valued=True)
    audit.allowed(actor, audit.Call(Operation.PREDICATE_MARK, marked))
    return PredicateReceipt(name, marked)
