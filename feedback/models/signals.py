"""What RCP clients say of single hits, and the records that enough of them suspect."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import CheckConstraint, F, Index, Q, UniqueConstraint
from django.db.models.functions import Now

from feedback.models.reports import Report
from feedback.vocabulary import REASON_BYTES, IntegrityState
from memory.models import Project, Record
from memory.models.columns import (
    Identified,
    Recorded,
    bytes_check,
    choice_check,
    recorded_checks,
)
from memory.models.querysets import ProjectQuerySet
from memory.vocabulary import ActorKind

_PLACE = (F("recorded_at").desc(), F("id").desc())
_SUSPECTED = Q(is_poison_suspected=True) | Q(is_injection_suspected=True)


class Signal(Recorded):
    """What a client said of a hit: untrusted advice. Append-only.

    Bound to a record, and to the version that was judged, where its hit resolved; else only a keyed
    digest of the hit's id is kept. Session and query are kept as keyed digests too. What was not
    sent is NULL.
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    record = models.ForeignKey(
        Record, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    record_version = models.UUIDField(null=True)
    hit_digest = models.BinaryField(max_length=32, null=True)
    session_digest = models.BinaryField(max_length=32, null=True)
    query_digest = models.BinaryField(max_length=32, null=True)
    is_used = models.BooleanField(null=True)
    is_cited = models.BooleanField(null=True)
    is_helpful = models.BooleanField(null=True)
    reward = models.FloatField(null=True)
    is_poison_suspected = models.BooleanField(null=True)
    is_injection_suspected = models.BooleanField(null=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="feedback_signal_project_id_uniq"),
            CheckConstraint(
                condition=Q(record__isnull=False, hit_digest__isnull=True)
                | Q(record__isnull=True, record_version__isnull=True, hit_digest__isnull=False),
                name="feedback_signal_bound_or_not",
            ),
            CheckConstraint(
                condition=Q(reward__isnull=True) | Q(reward__gte=-1, reward__lte=1),
                name="feedback_signal_reward_range",
            ),
            *recorded_checks("feedback_signal"),
        ]
        indexes: ClassVar = [
            Index(
                "project",
                *_PLACE,
                condition=Q(record__isnull=False),
                name="feedback_signal_bound_idx",
            ),
            Index("project", "record", *_PLACE, name="feedback_signal_record_idx"),
            Index(
                *("project", "record"),
                *_PLACE,
                condition=Q(record__isnull=False) & _SUSPECTED,
                name="feedback_signal_suspect_idx",
            ),
            Index(
                "project",
                *_PLACE,
                condition=Q(record__isnull=False) & _SUSPECTED,
                name="feedback_signal_suspected_idx",
            ),
            Index(
                "project",
                *_PLACE,
                condition=Q(record__isnull=True),
                name="feedback_signal_unbound_idx",
            ),
        ]


class IntegrityItem(Identified):
    """A record that a quorum of distinct actors suspects: for reviewers to look at, no verdict.

    One a record. A decision can be taken back; after *no concern* only later signals open it again.
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    record = models.ForeignKey(Record, models.DO_NOTHING, db_constraint=False, db_index=False)
    state = models.CharField(
        max_length=16, choices=IntegrityState.choices, default=IntegrityState.OPEN
    )
    #: When it was opened last; signals from before do not open it again.
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    decided_at = models.DateTimeField(null=True)
    decided_by_kind = models.CharField(max_length=16, choices=ActorKind.choices, null=True)  # noqa: DJ001 - absent while open
    decided_by_id = models.UUIDField(null=True)
    reason = models.TextField(null=True)  # noqa: DJ001 - absent is not empty
    report = models.ForeignKey(
        Report, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(
                fields=["project", "id"], name="feedback_integrityitem_project_id_uniq"
            ),
            UniqueConstraint(
                fields=["project", "record"], name="feedback_integrityitem_record_uniq"
            ),
            choice_check("feedback_integrityitem", "state", IntegrityState),
            choice_check("feedback_integrityitem", "decided_by_kind", ActorKind),
            bytes_check("feedback_integrityitem", "reason", REASON_BYTES, optional=True),
            CheckConstraint(
                condition=Q(
                    state="open",
                    decided_at__isnull=True,
                    decided_by_kind__isnull=True,
                    decided_by_id__isnull=True,
                    reason__isnull=True,
                    report__isnull=True,
                )
                | Q(
                    state="no_concern",
                    decided_at__isnull=False,
                    decided_by_kind__isnull=False,
                    decided_by_id__isnull=False,
                    reason__isnull=False,
                    report__isnull=True,
                )
                | Q(
                    state="reported",
                    decided_at__isnull=False,
                    decided_by_kind__isnull=False,
                    decided_by_id__isnull=False,
                    reason__isnull=True,
                    report__isnull=False,
                ),
                name="feedback_integrityitem_decision_shape",
            ),
        ]
        indexes: ClassVar = [
            Index("project", *_PLACE, name="feedback_integrity_all_idx"),
            Index("project", "state", *_PLACE, name="feedback_integrity_state_idx"),
        ]
