"""What is believed: records, every state they have been in, and the spans they rest on."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import CheckConstraint, F, Index, Q, UniqueConstraint
from django.db.models.functions import Now
from typing_extensions import override

from memory.models.access import Project
from memory.models.columns import Identified, Recorded, bytes_check, choice_check, recorded_checks
from memory.models.querysets import ProjectQuerySet
from memory.models.sources import Source, Subject
from memory.vocabulary import (
    OBJECT_BYTES,
    PREDICATE_BYTES,
    STATEMENT_BYTES,
    SUBJECT_BYTES,
    WORKER_CHARACTERS,
    MessageRole,
    RecordChange,
    RecordKind,
    RecordStatus,
    Relation,
    Trust,
)

_PLACE = (F("recorded_at").desc(), F("id").desc())


class Record(Recorded):
    """A belief and its sources. Once closed, by correction or retraction, it stays closed.

    The row is the root of its aggregate: its lock covers its versions, citations and reports.
    Subject, predicate, object and statement never change (trigger memory_record_legal_change_v1).
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    subject = models.TextField()
    predicate = models.TextField()
    object = models.TextField()
    statement = models.TextField()
    kind = models.CharField(max_length=16, choices=RecordKind.choices)
    confidence = models.FloatField()
    trust = models.SmallIntegerField(choices=Trust.choices)
    data_subject = models.ForeignKey(
        Subject, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    #: What a list calls them; set by the trigger memory_record_subject_name_v1.
    data_subject_name = models.TextField(null=True, editable=False)  # noqa: DJ001 - absent is not empty
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    known_from = models.DateTimeField()
    known_until = models.DateTimeField(null=True)
    status = models.CharField(
        max_length=16, choices=RecordStatus.choices, default=RecordStatus.CURRENT
    )
    version = models.UUIDField()
    version_number = models.PositiveIntegerField(default=1)
    replaces = models.UUIDField(null=True)
    replaced_by = models.UUIDField(null=True)
    #: What its predicate is; set by the trigger memory_record_single_valued_v1.
    is_single_valued = models.BooleanField(default=False)
    is_disputed = models.BooleanField(default=False)
    #: Role of the message that the first supporting citation quotes.
    source_role = models.CharField(max_length=16, choices=MessageRole.choices)
    #: Who noticed it, as the sender of a consolidation calls them.
    observer_name = models.CharField(max_length=WORKER_CHARACTERS, null=True)  # noqa: DJ001 - absent is not empty
    #: Keyed hashes of the statement's lexemes; set by the trigger memory_record_terms_v1.
    terms = ArrayField(models.BigIntegerField(), db_default=[], editable=False)
    #: Keyed digest of origin type and id, subject, predicate and object; NULL without an origin id.
    origin_digest = models.BinaryField(max_length=32, null=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_record_project_id_uniq"),
            UniqueConstraint(fields=["project", "origin_digest"], name="memory_record_origin_uniq"),
            UniqueConstraint(fields=["project", "replaces"], name="memory_record_replaces_uniq"),
            UniqueConstraint(
                fields=["project", "subject", "predicate"],
                condition=Q(is_single_valued=True, status="current"),
                name="memory_record_single_valued_uniq",
            ),
            bytes_check("memory_record", "subject", SUBJECT_BYTES),
            bytes_check("memory_record", "predicate", PREDICATE_BYTES),
            bytes_check("memory_record", "object", OBJECT_BYTES),
            bytes_check("memory_record", "statement", STATEMENT_BYTES),
            bytes_check("memory_record", "data_subject_name", SUBJECT_BYTES, optional=True),
            choice_check("memory_record", "kind", RecordKind),
            choice_check("memory_record", "trust", Trust),
            choice_check("memory_record", "status", RecordStatus),
            choice_check("memory_record", "source_role", MessageRole),
            CheckConstraint(
                condition=Q(confidence__gt=0, confidence__lte=1),
                name="memory_record_confidence_range",
            ),
            CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gt=F("valid_from")),
                name="memory_record_valid_order",
            ),
            CheckConstraint(
                condition=Q(known_until__isnull=True) | Q(known_until__gte=F("known_from")),
                name="memory_record_known_order",
            ),
            CheckConstraint(
                condition=Q(status="current", known_until__isnull=True, replaced_by__isnull=True)
                | Q(status="superseded", known_until__isnull=False, replaced_by__isnull=False)
                | Q(status="retracted", known_until__isnull=False, replaced_by__isnull=True),
                name="memory_record_status_shape",
            ),
            *recorded_checks("memory_record"),
        ]
        indexes: ClassVar = [
            Index("project", *_PLACE, name="memory_record_all_idx"),
            Index("project", "status", *_PLACE, name="memory_record_status_idx"),
            Index("project", "predicate", *_PLACE, name="memory_record_predicate_idx"),
            Index("project", "predicate", "status", *_PLACE, name="memory_record_pred_stat_idx"),
            Index("project", "subject", *_PLACE, name="memory_record_subject_idx"),
            Index(
                "project",
                "data_subject",
                *_PLACE,
                condition=Q(data_subject__isnull=False),
                name="memory_record_data_subject_idx",
            ),
        ]


class Posting(models.Model):
    """A lexeme occurs in a record's statement: what retrieval reads (ADR 10).

    Written by triggers alone, from `Record.terms` and `Record.status`. `term` hashes the data
    subject with the lexeme, so a range of the key is one word among the records about one person.
    No reference to the record: its check would read all of a project's postings when one goes.
    """

    pk = models.CompositePrimaryKey("project_id", "term", "is_current", "record_id", "term_count")
    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    term = models.BigIntegerField()
    is_current = models.BooleanField()
    record_id = models.UUIDField()
    #: How many lexemes the statement has; in the key, so that a score reads nothing but the index.
    term_count = models.PositiveSmallIntegerField()

    class Meta:
        default_permissions = ()

    @override
    def __str__(self) -> str:
        return str(self.record_id)


class RecordVersion(Recorded):
    """One state of a record; its id is the token that `expected_version` compares."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    record = models.ForeignKey(Record, models.DO_NOTHING, db_constraint=False, db_index=False)
    number = models.PositiveIntegerField()
    change = models.CharField(max_length=16, choices=RecordChange.choices)
    status = models.CharField(max_length=16, choices=RecordStatus.choices)
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    known_from = models.DateTimeField()
    known_until = models.DateTimeField(null=True)
    #: The source that came with the change; NULL for a plain retraction.
    source = models.ForeignKey(
        Source, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_recordversion_project_id_uniq"),
            UniqueConstraint(
                fields=["project", "record", "number"], name="memory_recordversion_number_uniq"
            ),
            choice_check("memory_recordversion", "change", RecordChange),
            choice_check("memory_recordversion", "status", RecordStatus),
            *recorded_checks("memory_recordversion"),
        ]


class Citation(Identified):
    """A record rests on exactly these bytes of a message (trigger memory_citation_quote_v1)."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    record = models.ForeignKey(Record, models.DO_NOTHING, db_constraint=False, db_index=False)
    source = models.ForeignKey(Source, models.DO_NOTHING, db_constraint=False, db_index=False)
    ordinal = models.PositiveSmallIntegerField()
    byte_start = models.PositiveIntegerField()
    byte_end = models.PositiveIntegerField()
    quote = models.TextField()
    relation = models.CharField(max_length=16, choices=Relation.choices)
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="memory_citation_project_id_uniq"),
            CheckConstraint(
                condition=Q(byte_end__gt=F("byte_start")), name="memory_citation_span_order"
            ),
            choice_check("memory_citation", "relation", Relation),
        ]
        indexes: ClassVar = [
            Index("project", "record", *_PLACE, name="memory_citation_record_idx"),
            Index("project", "source", *_PLACE, name="memory_citation_source_idx"),
        ]
