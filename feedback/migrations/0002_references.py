"""Composite references of reports: record, version, reporter and replacement of one project."""

from django.db import migrations

REFERENCES = [
    # (name, column, referenced table)
    ("feedback_report_record_fk", "record_id", "memory_record"),
    ("feedback_report_record_version_fk", "record_version", "memory_recordversion"),
    ("feedback_report_reporter_fk", "reporter_subject_id", "memory_subject"),
    ("feedback_report_result_fk", "promotion_version", "memory_recordversion"),
    ("feedback_report_replacement_fk", "replacement_record_id", "memory_record"),
]


class Migration(migrations.Migration):
    """Adds them as SQL, since Django's ForeignKey joins on one column."""

    dependencies = [
        ("feedback", "0001_initial"),
        ("memory", "0005_no_statistics_of_texts"),
    ]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE feedback_report ADD CONSTRAINT {name} "
            f"FOREIGN KEY (project_id, {column}) REFERENCES {target} (project_id, id)",
            f"ALTER TABLE feedback_report DROP CONSTRAINT {name}",
        )
        for name, column, target in REFERENCES
    ]
