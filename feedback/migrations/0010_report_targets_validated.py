"""The checks of what a report shows of its target hold for the rows that were there before."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations

CHECKS = [
    "feedback_report_reporter_name_bytes",
    "feedback_report_target_subject_bytes",
    "feedback_report_target_predicate_bytes",
    "feedback_report_target_object_bytes",
    "feedback_report_target_preview_bytes",
    "feedback_report_target_status_valid",
    "feedback_report_reporter_named",
    "feedback_report_target_shape",
]


class Migration(migrations.Migration):
    """Reads the table once a check, without keeping anybody from it."""

    dependencies = [("feedback", "0009_report_targets_required")]

    operations = [ValidateConstraint("report", name) for name in CHECKS]
