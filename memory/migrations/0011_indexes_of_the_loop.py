"""Indexes of evidence by person and of names, built beside running writes."""

from django.apps.registry import Apps
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def create_names_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001 - as Django calls it
    """Index names by trigrams, where the server has the extension."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'")
        if not cursor.fetchone()[0]:
            return
        cursor.execute(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_record_names_idx ON memory_record"
            " USING gin (memory_names_v1(subject, object) gin_trgm_ops) WHERE status = 'current'"
        )
        cursor.execute("ALTER INDEX memory_record_names_idx ALTER COLUMN 1 SET STATISTICS 0")


def drop_names_index(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001 - the same
    """Take it back."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("DROP INDEX CONCURRENTLY IF EXISTS memory_record_names_idx")


class Migration(migrations.Migration):
    """Not atomic, because a concurrent build cannot be."""

    atomic = False
    dependencies = [("memory", "0010_similar_names")]

    operations = [
        AddIndexConcurrently(
            model_name="source",
            index=models.Index(
                models.F("project"),
                models.F("data_subject"),
                models.OrderBy(models.F("log_offset"), descending=True),
                condition=models.Q(("kind", "turn")),
                name="memory_source_turn_idx",
            ),
        ),
        AddIndexConcurrently(
            model_name="source",
            index=models.Index(
                models.F("project"),
                models.F("data_subject"),
                models.OrderBy(models.F("log_offset"), descending=True),
                condition=models.Q(("kind", "curated"), _negated=True),
                name="memory_source_evidence_idx",
            ),
        ),
        migrations.RunPython(create_names_index, drop_names_index),
    ]
