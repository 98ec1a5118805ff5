"""Whose an RCP session is, and that the planner remembers no digest of its name."""

from django.db import migrations


class Migration(migrations.Migration):
    """SQL, since Django knows neither composite references nor statistics."""

    dependencies = [("feedback", "0014_rcp_sessions")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE feedback_rcpsession ADD CONSTRAINT feedback_rcpsession_credential_fk"
            " FOREIGN KEY (project_id, credential_id)"
            " REFERENCES memory_credential (project_id, id)",
            "ALTER TABLE feedback_rcpsession DROP CONSTRAINT feedback_rcpsession_credential_fk",
        ),
        migrations.RunSQL(
            "ALTER TABLE feedback_rcpsession ALTER COLUMN name_digest SET STATISTICS 0",
            "ALTER TABLE feedback_rcpsession ALTER COLUMN name_digest SET STATISTICS -1",
        ),
    ]
