"""Reports carry what a list shows of their record and their reporter."""

from django.db import migrations, models

TEXTS = ["reporter_name", "target_subject", "target_predicate", "target_object", "target_preview"]


def _statistics(value: int) -> str:
    alterations = ", ".join(f"ALTER COLUMN {text} SET STATISTICS {value}" for text in TEXTS)
    return f"ALTER TABLE feedback_report {alterations}"


class Migration(migrations.Migration):
    """Columns that may be empty as yet; the texts leave no values in the planner's statistics."""

    dependencies = [("feedback", "0006_context_rules")]

    operations = [
        *[migrations.AddField("report", text, models.TextField(null=True)) for text in TEXTS],
        migrations.AddField(
            "report",
            "target_status",
            models.CharField(
                choices=[
                    ("current", "Current"),
                    ("superseded", "Superseded"),
                    ("retracted", "Retracted"),
                ],
                max_length=16,
                null=True,
            ),
        ),
        migrations.AddField("report", "target_version", models.UUIDField(null=True)),
        migrations.AddField(
            "report", "target_version_number", models.PositiveIntegerField(null=True)
        ),
        migrations.AddField("report", "target_replaced_by", models.UUIDField(null=True)),
        migrations.RunSQL(_statistics(0), _statistics(-1)),
    ]
