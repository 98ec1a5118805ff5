"""Context packs that were compiled, and what came back about them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import CheckConstraint, F, Index, Q, UniqueConstraint
from django.db.models.functions import Now

from feedback.vocabulary import REASON_CHARACTERS, OutcomeKind
from memory.models import Project, Record, Subject
from memory.models.columns import Identified, Recorded, choice_check, recorded_checks
from memory.models.querysets import ProjectQuerySet

_PLACE = (F("recorded_at").desc(), F("id").desc())
_SHARES = ("relevance", "trust", "recency", "utility", "conflict", "confidence", "score")


class ContextRun(Recorded):
    """One compile: who asked, for what task (as a keyed digest), and what came of it.

    Never changed (trigger); pruned by age with its items, without its outcomes.
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    #: Keyed digest of the task's text, which is not kept.
    task_digest = models.BinaryField(max_length=32)
    #: Keyed digest of the task's sorted lexemes: equal tasks for `utility_scope` task.
    lexemes_digest = models.BinaryField(max_length=32)
    data_subject = models.ForeignKey(
        Subject, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    is_shared_included = models.BooleanField()
    as_of = models.DateTimeField()
    policy = models.CharField(max_length=32)
    max_tokens = models.PositiveIntegerField()
    used_tokens = models.PositiveIntegerField()
    selected_items = models.PositiveIntegerField()
    omitted_items = models.PositiveIntegerField()
    deduplicated_items = models.PositiveIntegerField()
    unconsolidated_observations = models.PositiveIntegerField()
    is_budget_exhausted = models.BooleanField()

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="feedback_contextrun_project_id_uniq"),
            CheckConstraint(
                condition=Q(used_tokens__lte=F("max_tokens")), name="feedback_contextrun_budget"
            ),
            *recorded_checks("feedback_contextrun"),
        ]
        indexes: ClassVar = [
            Index("project", *_PLACE, name="feedback_contextrun_all_idx"),
            Index("project", "data_subject", *_PLACE, name="feedback_contextrun_person_idx"),
            Index("project", "recorded_by_id", *_PLACE, name="feedback_contextrun_actor_idx"),
        ]


class ContextItem(Identified):
    """A record in a pack, as it was then: its version, rank and every component of its score."""

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    run = models.ForeignKey(ContextRun, models.DO_NOTHING, db_constraint=False, db_index=False)
    record = models.ForeignKey(Record, models.DO_NOTHING, db_constraint=False, db_index=False)
    record_version = models.UUIDField()
    rank = models.PositiveSmallIntegerField()
    score = models.FloatField()
    relevance = models.FloatField()
    trust = models.FloatField()
    recency = models.FloatField()
    utility = models.FloatField()
    conflict = models.FloatField()
    confidence = models.FloatField()
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="feedback_contextitem_project_id_uniq"),
            UniqueConstraint(
                fields=["project", "run", "rank"], name="feedback_contextitem_rank_uniq"
            ),
            UniqueConstraint(
                fields=["project", "run", "record"], name="feedback_contextitem_record_uniq"
            ),
            CheckConstraint(
                condition=Q(
                    *(Q((f"{share}__gte", 0)) & Q((f"{share}__lte", 1)) for share in _SHARES)
                ),
                name="feedback_contextitem_shares",
            ),
        ]
        indexes: ClassVar = [
            Index("project", "record", *_PLACE, name="feedback_contextitem_packs_idx"),
        ]


class Outcome(Recorded):
    """What became of a pack, or of one record in it. Append-only; read at each compile.

    It outlives its run, so `run_id` refers to nothing in the database, and the digest of the run's
    lexemes is copied.
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    run_id = models.UUIDField()
    #: NULL grades the whole pack and moves nothing.
    record = models.ForeignKey(
        Record, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    kind = models.CharField(max_length=16, choices=OutcomeKind.choices)
    reason_code = models.CharField(max_length=REASON_CHARACTERS, null=True)  # noqa: DJ001 - absent is not empty
    lexemes_digest = models.BinaryField(max_length=32)
    data_subject = models.ForeignKey(
        Subject, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="feedback_outcome_project_id_uniq"),
            choice_check("feedback_outcome", "kind", OutcomeKind),
            *recorded_checks("feedback_outcome"),
        ]
        indexes: ClassVar = [
            Index("project", *_PLACE, name="feedback_outcome_all_idx"),
            Index("project", "record", *_PLACE, name="feedback_outcome_record_idx"),
            Index("project", "run_id", *_PLACE, include=["kind"], name="feedback_outcome_pack_idx"),
            Index(
                *("project", "run_id", "record", "recorded_by_id"),
                *_PLACE,
                condition=Q(record__isnull=False),
                name="feedback_outcome_vote_idx",
            ),
            Index("project", "recorded_by_id", *_PLACE, name="feedback_outcome_actor_idx"),
            Index("project", "kind", *_PLACE, name="feedback_outcome_kind_idx"),
        ]
