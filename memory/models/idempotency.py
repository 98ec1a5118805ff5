"""Keys under which an actor may repeat a call safely; written with the effect."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import UniqueConstraint
from django.db.models.functions import Now

from memory.models.access import Project
from memory.models.columns import Identified, choice_check
from memory.vocabulary import ActorKind, KeyScope


class IdempotencyKey(Identified):
    """What an actor's key stood for. The receipt holds ids only; an erasure empties it."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    actor_kind = models.CharField(max_length=16, choices=ActorKind.choices)
    actor_id = models.UUIDField()
    scope = models.CharField(max_length=16, choices=KeyScope.choices)
    key_digest = models.BinaryField(max_length=32)
    fingerprint = models.BinaryField(max_length=32)
    receipt = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["project", "id"], name="memory_idempotencykey_project_id_uniq"
            ),
            UniqueConstraint(
                fields=["project", "actor_kind", "actor_id", "scope", "key_digest"],
                name="memory_idempotencykey_key_uniq",
            ),
            choice_check("memory_idempotencykey", "actor_kind", ActorKind),
            choice_check("memory_idempotencykey", "scope", KeyScope),
        ]
