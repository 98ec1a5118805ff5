"""Notes leave no values in the planner's statistics, where an erasure could not reach them."""

from django.db import migrations


class Migration(migrations.Migration):
    """`assurance.md` 5.6; and the queue is vacuumed early, since promotions leave dead entries."""

    dependencies = [("feedback", "0003_report_set_once_trigger")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE feedback_report ALTER COLUMN note SET STATISTICS 0, "
            "ALTER COLUMN proposed_object SET STATISTICS 0, "
            "SET (autovacuum_vacuum_scale_factor = 0.02)",
            "ALTER TABLE feedback_report ALTER COLUMN note SET STATISTICS -1, "
            "ALTER COLUMN proposed_object SET STATISTICS -1, "
            "RESET (autovacuum_vacuum_scale_factor)",
        )
    ]
