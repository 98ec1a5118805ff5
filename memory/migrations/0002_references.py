"""Composite references: a row can only point at rows of its own project."""

from django.db import migrations

AT_ONCE = ""
AT_COMMIT = "DEFERRABLE INITIALLY DEFERRED"

REFERENCES = [
    # (name, table, column, referenced table, when it is checked): the last for
    # rows that point at each other
    (
        "memory_source_data_subject_fk",
        "memory_source",
        "data_subject_id",
        "memory_subject",
        AT_ONCE,
    ),
    ("memory_message_source_fk", "memory_message", "source_id", "memory_source", AT_ONCE),
    (
        "memory_record_data_subject_fk",
        "memory_record",
        "data_subject_id",
        "memory_subject",
        AT_ONCE,
    ),
    (
        "memory_record_version_fk",
        "memory_record",
        "version",
        "memory_recordversion",
        AT_COMMIT,
    ),
    ("memory_record_replaces_fk", "memory_record", "replaces", "memory_record", AT_COMMIT),
    (
        "memory_record_replaced_by_fk",
        "memory_record",
        "replaced_by",
        "memory_record",
        AT_COMMIT,
    ),
    (
        "memory_recordversion_record_fk",
        "memory_recordversion",
        "record_id",
        "memory_record",
        AT_ONCE,
    ),
    (
        "memory_recordversion_source_fk",
        "memory_recordversion",
        "source_id",
        "memory_source",
        AT_ONCE,
    ),
    (
        "memory_citation_record_fk",
        "memory_citation",
        "record_id",
        "memory_record",
        AT_ONCE,
    ),
    (
        "memory_citation_source_fk",
        "memory_citation",
        "source_id",
        "memory_source",
        AT_ONCE,
    ),
]


def _add(name: str, table: str, column: str, target: str, check: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (project_id, {column}) "
        f"REFERENCES {target} (project_id, id) {check}",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    """Adds them as SQL, since Django's ForeignKey joins on one column."""

    dependencies = [("memory", "0001_initial")]

    operations = [
        *[_add(*reference) for reference in REFERENCES],
        migrations.RunSQL(
            "ALTER TABLE memory_citation ADD CONSTRAINT memory_citation_message_fk "
            "FOREIGN KEY (project_id, source_id, ordinal) "
            "REFERENCES memory_message (project_id, source_id, ordinal)",
            "ALTER TABLE memory_citation DROP CONSTRAINT memory_citation_message_fk",
        ),
    ]
