"""The audit log: who did what through which edge, without a word of content. Append-only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import (
    BigIntegerField,
    CheckConstraint,
    F,
    Func,
    Index,
    Q,
    TextField,
    UniqueConstraint,
)
from django.db.models.functions import Cast, Now

from memory.models.access import Project
from memory.models.columns import Identified, choice_check
from memory.models.querysets import ProjectQuerySet
from memory.vocabulary import ActorKind, AuditOutcome, Edge

_PLACE = (F("recorded_at").desc(), F("id").desc())


#: `pg_current_xact_id()`, the number of the running transaction, as a bigint.
_TRANSACTION_ID = Cast(Func(function="pg_current_xact_id", output_field=TextField()), TextField())


class AuditEntry(Identified):
    """One call of one actor. Never holds a note, a record or report id, a subject or a query."""

    #: NULL only for a failed authentication that named no credential of a project.
    project = models.ForeignKey(Project, models.PROTECT, null=True, db_index=False)
    transaction_id = models.BigIntegerField(
        db_default=Cast(_TRANSACTION_ID, BigIntegerField()), editable=False
    )
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    operation = models.CharField(max_length=32)
    outcome = models.CharField(max_length=16, choices=AuditOutcome.choices)
    code = models.CharField(max_length=64, default="", db_default="")
    actor_kind = models.CharField(max_length=16, choices=ActorKind.choices)
    actor_id = models.UUIDField(null=True)
    edge = models.CharField(max_length=16, choices=Edge.choices)
    request_id = models.CharField(max_length=36)
    magnitude = models.PositiveIntegerField()
    #: Derived from the operation; lets "hide reads" be answered by an index.
    is_read = models.BooleanField()

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_auditentry_project_id_uniq"),
            choice_check("memory_auditentry", "outcome", AuditOutcome),
            choice_check("memory_auditentry", "actor_kind", ActorKind),
            choice_check("memory_auditentry", "edge", Edge),
            CheckConstraint(
                condition=Q(project__isnull=False) | Q(operation="authenticate"),
                name="memory_auditentry_project_known",
            ),
            CheckConstraint(
                condition=Q(actor_id__isnull=False) | Q(actor_kind="anonymous"),
                name="memory_auditentry_actor_known",
            ),
            CheckConstraint(
                condition=Q(outcome="allowed", code="") | (Q(outcome="refused") & ~Q(code="")),
                name="memory_auditentry_code_of_refusal",
            ),
        ]
        indexes: ClassVar = [
            Index("project", *_PLACE, name="memory_auditentry_all_idx"),
            Index(
                "project", *_PLACE, condition=Q(is_read=False), name="memory_auditentry_change_idx"
            ),
            Index("project", "operation", *_PLACE, name="memory_auditentry_op_idx"),
            Index("project", "actor_id", *_PLACE, name="memory_auditentry_actor_idx"),
            Index("project", "request_id", *_PLACE, name="memory_auditentry_request_idx"),
        ]
