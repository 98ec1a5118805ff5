"""Evidence: data subjects, sources and their messages. Append-only by trigger."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import CheckConstraint, F, Index, Q, UniqueConstraint

from memory.models.access import Project
from memory.models.columns import Identified, Recorded, bytes_check, choice_check, recorded_checks
from memory.models.querysets import ProjectQuerySet
from memory.vocabulary import (
    SOURCE_ID_CHARACTERS,
    SOURCE_REF_CHARACTERS,
    SOURCE_TYPE_CHARACTERS,
    SUBJECT_BYTES,
    WORKER_CHARACTERS,
    MessageRole,
    SourceKind,
    Trust,
)


class Subject(Identified):
    """A data subject: the person some content is about. Its id is a keyed digest of its name."""

    id = models.UUIDField(primary_key=True, editable=False)
    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    name = models.TextField()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_subject_project_id_uniq"),
            UniqueConstraint(fields=["project", "name"], name="memory_subject_name_uniq"),
            bytes_check("memory_subject", "name", SUBJECT_BYTES),
        ]


class Source(Recorded):
    """One piece of evidence: where it came from, how far it is trusted, its place in the log."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    kind = models.CharField(max_length=16, choices=SourceKind.choices)
    origin_type = models.CharField(max_length=SOURCE_TYPE_CHARACTERS)
    origin_ref = models.CharField(max_length=SOURCE_REF_CHARACTERS, null=True)  # noqa: DJ001 - absent is not empty
    origin_id = models.CharField(max_length=SOURCE_ID_CHARACTERS, null=True)  # noqa: DJ001 - absent is not empty
    trust = models.SmallIntegerField(choices=Trust.choices)
    data_subject = models.ForeignKey(
        Subject, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    content_hash = models.BinaryField(max_length=32)
    occurred_at = models.DateTimeField(null=True)
    #: What the sender calls the agent and the run that it speaks for.
    agent_name = models.CharField(max_length=WORKER_CHARACTERS, null=True)  # noqa: DJ001 - absent is not empty
    run_name = models.CharField(max_length=WORKER_CHARACTERS, null=True)  # noqa: DJ001 - absent is not empty
    #: Contiguous from 0 per project; set by the trigger memory_source_log_offset_v1.
    log_offset = models.BigIntegerField(db_default=-1, editable=False)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_source_project_id_uniq"),
            UniqueConstraint(
                fields=["project", "log_offset"], name="memory_source_log_offset_uniq"
            ),
            choice_check("memory_source", "kind", SourceKind),
            choice_check("memory_source", "trust", Trust),
            *recorded_checks("memory_source"),
        ]
        indexes: ClassVar = [
            Index(
                fields=["project", "data_subject"],
                condition=Q(data_subject__isnull=False),
                name="memory_source_data_subject_idx",
            ),
            Index(
                "project",
                "data_subject",
                F("log_offset").desc(),
                condition=Q(kind="turn"),
                name="memory_source_turn_idx",
            ),
            Index(
                "project",
                "data_subject",
                F("log_offset").desc(),
                condition=~Q(kind="curated"),
                name="memory_source_evidence_idx",
            ),
        ]


class Message(Identified):
    """One message of a source, in order."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    source = models.ForeignKey(Source, models.DO_NOTHING, db_constraint=False, db_index=False)
    ordinal = models.PositiveSmallIntegerField()
    role = models.CharField(max_length=16, choices=MessageRole.choices)
    content = models.TextField()
    occurred_at = models.DateTimeField(null=True)
    #: Messages of one step of a conversation share it; NULL where the sender says nothing of steps.
    group_ordinal = models.PositiveSmallIntegerField(null=True)

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_message_project_id_uniq"),
            UniqueConstraint(
                fields=["project", "source", "ordinal"], name="memory_message_ordinal_uniq"
            ),
            choice_check("memory_message", "role", MessageRole),
            CheckConstraint(
                condition=Q(content__bytes__gte=1), name="memory_message_content_bytes"
            ),
        ]
