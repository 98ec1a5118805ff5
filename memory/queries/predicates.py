"""Reads of what a project says about predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.models import Predicate

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from memory.actor import Actor


def single_valued_among(actor: Actor, names: AbstractSet[str]) -> frozenset[str]:
    """Which of these predicates a subject has once only. One statement."""
    marked = Predicate.objects.filter(
        project_id=actor.project_id, name__in=names, is_single_valued=True
    )
    return frozenset(marked.values_list("name", flat=True))
