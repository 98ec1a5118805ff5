"""Columns and checks that several models share: who recorded a row, and closed vocabularies."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from django.db import models
from django.db.models import CheckConstraint, Q
from django.db.models.functions import Now
from typing_extensions import override

from memory.models.lookups import OctetLength
from memory.vocabulary import ActorKind, Edge

if TYPE_CHECKING:
    from django.db.models.enums import Choices

__all__ = [
    "Identified",
    "OctetLength",
    "Recorded",
    "bytes_check",
    "choice_check",
    "recorded_checks",
]


class Identified(models.Model):
    """A row with a UUID; shown by it, since no other column may reach a log."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)

    class Meta:
        abstract = True

    @override
    def __str__(self) -> str:
        return str(self.id)


class Recorded(Identified):
    """Who recorded the row, through which edge, in which request and when (database clock)."""

    recorded_by_kind = models.CharField(max_length=16, choices=ActorKind.choices)
    recorded_by_id = models.UUIDField()
    recorded_via = models.CharField(max_length=16, choices=Edge.choices)
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    request_id = models.CharField(max_length=36)

    class Meta:
        abstract = True


def choice_check(table: str, field: str, choices: type[Choices]) -> CheckConstraint:
    """The database's own copy of a closed vocabulary."""
    return CheckConstraint(
        condition=Q(**{f"{field}__in": choices.values}), name=f"{table}_{field}_valid"
    )


def bytes_check(table: str, field: str, most: int, *, optional: bool = False) -> CheckConstraint:
    """A text of 1 to `most` UTF-8 bytes; NULL passes where it is optional."""
    within = Q(**{f"{field}__bytes__range": (1, most)})
    if optional:
        within |= Q(**{f"{field}__isnull": True})
    return CheckConstraint(condition=within, name=f"{table}_{field}_bytes")


def recorded_checks(table: str) -> list[CheckConstraint]:
    """The checks of `Recorded`'s vocabularies."""
    return [
        choice_check(table, "recorded_by_kind", ActorKind),
        choice_check(table, "recorded_via", Edge),
    ]
