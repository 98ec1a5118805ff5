"""A doubt about a record, and the promotion that may once come of it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import CheckConstraint, F, Index, Q, UniqueConstraint

from memory.models import Project, Record, Subject
from memory.models.columns import Recorded, bytes_check, choice_check, recorded_checks
from memory.models.querysets import ProjectQuerySet
from memory.vocabulary import (
    NOTE_BYTES,
    OBJECT_BYTES,
    PREDICATE_BYTES,
    PREVIEW_BYTES,
    SUBJECT_BYTES,
    ActorKind,
    Edge,
    RecordChange,
    RecordStatus,
)

_PLACE = (F("recorded_at").desc(), F("id").desc())
_OPEN = Q(promoted_at__isnull=True)
_READY = _OPEN & Q(target_closed_at__isnull=True)

_PROMOTION = (
    "promoted_at",
    "promoted_by_kind",
    "promoted_by_id",
    "promoted_via",
    "promotion_request_id",
    "promotion_change",
    "promotion_expected_version",
    "promotion_version",
)


def _all_null(names: tuple[str, ...], *, is_null: bool) -> Q:
    return Q(**{f"{name}__isnull": is_null for name in names})


class ReportQuerySet(ProjectQuerySet["Report"]):
    """Reports by queue; each queue has an index of its own."""

    def open(self) -> ReportQuerySet:
        """Not promoted."""
        return self.filter(_OPEN)

    def ready(self) -> ReportQuerySet:
        """Open, and the record still current."""
        return self.filter(_READY)

    def target_closed(self) -> ReportQuerySet:
        """Open, but the record is closed, so nothing can be promoted any more."""
        return self.filter(_OPEN & Q(target_closed_at__isnull=False))


class Report(Recorded):
    """A doubt about a record. Changes nothing until promoted, at most once; never edited.

    It carries what a list shows of its record and its reporter, so that a page reads nothing but
    its own rows. What a record says never changes; its state, `target_*`, is stamped on the open
    reports when it closes. Whoever adds another change of a record has to stamp here too.
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)  # leads every index
    record = models.ForeignKey(Record, models.DO_NOTHING, db_constraint=False, db_index=False)
    record_version = models.UUIDField()
    note = models.TextField()
    proposed_object = models.TextField(null=True)  # noqa: DJ001 - absent means retraction
    reporter_subject = models.ForeignKey(
        Subject, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    reporter_name = models.TextField(null=True)  # noqa: DJ001 - absent without a reporter
    target_subject = models.TextField()
    target_predicate = models.TextField()
    target_object = models.TextField()
    target_preview = models.TextField()  # the statement, cut
    # Copies of references that the record itself has, so they are none of their own.
    target_status = models.CharField(max_length=16, choices=RecordStatus.choices)
    target_version = models.UUIDField()
    target_version_number = models.PositiveIntegerField()
    target_replaced_by = models.UUIDField(null=True)
    target_closed_at = models.DateTimeField(null=True, editable=False)
    promoted_at = models.DateTimeField(null=True, editable=False)
    promoted_by_kind = models.CharField(max_length=16, choices=ActorKind.choices, null=True)  # noqa: DJ001 - set once
    promoted_by_id = models.UUIDField(null=True)
    promoted_via = models.CharField(max_length=16, choices=Edge.choices, null=True)  # noqa: DJ001 - set once
    promotion_request_id = models.CharField(max_length=36, null=True)  # noqa: DJ001 - set once
    promotion_change = models.CharField(max_length=16, choices=RecordChange.choices, null=True)  # noqa: DJ001 - set once
    promotion_expected_version = models.UUIDField(null=True)
    promotion_version = models.UUIDField(null=True)
    replacement_record_id = models.UUIDField(null=True)

    objects = ReportQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="feedback_report_project_id_uniq"),
            UniqueConstraint(
                fields=["project", "promotion_version"], name="feedback_report_result_uniq"
            ),
            UniqueConstraint(
                fields=["project", "record"],
                condition=Q(promoted_at__isnull=False),
                name="feedback_report_one_promotion_uniq",
            ),
            bytes_check("feedback_report", "note", NOTE_BYTES),
            bytes_check("feedback_report", "proposed_object", OBJECT_BYTES, optional=True),
            bytes_check("feedback_report", "reporter_name", SUBJECT_BYTES, optional=True),
            bytes_check("feedback_report", "target_subject", SUBJECT_BYTES),
            bytes_check("feedback_report", "target_predicate", PREDICATE_BYTES),
            bytes_check("feedback_report", "target_object", OBJECT_BYTES),
            bytes_check("feedback_report", "target_preview", PREVIEW_BYTES),
            choice_check("feedback_report", "target_status", RecordStatus),
            CheckConstraint(
                condition=Q(reporter_subject__isnull=True, reporter_name__isnull=True)
                | Q(reporter_subject__isnull=False, reporter_name__isnull=False),
                name="feedback_report_reporter_named",
            ),
            CheckConstraint(
                condition=Q(
                    target_status="current",
                    target_closed_at__isnull=True,
                    target_replaced_by__isnull=True,
                )
                | Q(
                    target_status="superseded",
                    target_closed_at__isnull=False,
                    target_replaced_by__isnull=False,
                )
                | Q(
                    target_status="retracted",
                    target_closed_at__isnull=False,
                    target_replaced_by__isnull=True,
                ),
                name="feedback_report_target_shape",
            ),
            choice_check("feedback_report", "promoted_by_kind", ActorKind),
            choice_check("feedback_report", "promoted_via", Edge),
            CheckConstraint(
                condition=Q(promotion_change__in=["record.correct", "record.retract"]),
                name="feedback_report_promotion_change_valid",
            ),
            CheckConstraint(
                condition=_all_null(_PROMOTION, is_null=True)
                | (_all_null(_PROMOTION, is_null=False) & Q(target_closed_at__isnull=False)),
                name="feedback_report_promotion_together",
            ),
            CheckConstraint(
                condition=Q(replacement_record_id__isnull=True)
                & (Q(promotion_change__isnull=True) | Q(promotion_change="record.retract"))
                | Q(
                    replacement_record_id__isnull=False,
                    promotion_change__isnull=False,  # a comparison with NULL would let it pass
                    promotion_change="record.correct",
                ),
                name="feedback_report_replacement_shape",
            ),
            *recorded_checks("feedback_report"),
        ]
        indexes: ClassVar = [
            Index("project", *_PLACE, name="feedback_report_all_idx"),
            Index("project", *_PLACE, condition=_OPEN, name="feedback_report_open_idx"),
            Index("project", *_PLACE, condition=_READY, name="feedback_report_ready_idx"),
            Index(
                "project",
                *_PLACE,
                condition=_OPEN & Q(target_closed_at__isnull=False),
                name="feedback_report_closed_idx",
            ),
            Index("project", "record", *_PLACE, name="feedback_report_target_idx"),
            Index(
                "project",
                "record",
                *_PLACE,
                condition=_READY,
                name="feedback_report_t_ready_idx",
            ),
        ]
