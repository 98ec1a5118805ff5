"""Every report carries what it shows of its target, in the shape of a record's state."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import CheckConstraint, Q

TEXTS = {
    "target_subject": 1_024,
    "target_predicate": 128,
    "target_object": 1_024,
    "target_preview": 2_048,
}
STATUS = [("current", "Current"), ("superseded", "Superseded"), ("retracted", "Retracted")]

CHECKS = {
    "reporter_name_bytes": Q(reporter_name__bytes__range=(1, 1_024))
    | Q(reporter_name__isnull=True),
    **{f"{text}_bytes": Q((f"{text}__bytes__range", (1, most))) for text, most in TEXTS.items()},
    "target_status_valid": Q(target_status__in=[status for status, _ in STATUS]),
    "reporter_named": Q(reporter_subject__isnull=True, reporter_name__isnull=True)
    | Q(reporter_subject__isnull=False, reporter_name__isnull=False),
    "target_shape": Q(
        target_status="current", target_closed_at__isnull=True, target_replaced_by__isnull=True
    )
    | Q(
        target_status="superseded", target_closed_at__isnull=False, target_replaced_by__isnull=False
    )
    | Q(target_status="retracted", target_closed_at__isnull=False, target_replaced_by__isnull=True),
}


class Migration(migrations.Migration):
    """New rows are checked from now on; those that were there before, by the next migration."""

    dependencies = [("feedback", "0008_fill_report_targets")]

    operations = [
        *[migrations.AlterField("report", text, models.TextField()) for text in TEXTS],
        migrations.AlterField(
            "report", "target_status", models.CharField(choices=STATUS, max_length=16)
        ),
        migrations.AlterField("report", "target_version", models.UUIDField()),
        migrations.AlterField("report", "target_version_number", models.PositiveIntegerField()),
        *[
            AddConstraintNotValid(
                "report", CheckConstraint(condition=rule, name=f"feedback_report_{name}")
            )
            for name, rule in CHECKS.items()
        ],
    ]
