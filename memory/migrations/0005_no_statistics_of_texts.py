"""Texts leave no values in the planner's statistics, where an erasure could not reach them."""

from django.db import migrations

COLUMNS = {
    "memory_subject": ("name",),
    "memory_source": ("origin_type", "origin_ref", "origin_id", "content_hash"),
    "memory_message": ("content",),
    "memory_record": ("subject", "object", "statement", "origin_digest"),
    "memory_citation": ("quote",),
    "memory_idempotencykey": ("key_digest", "fingerprint", "receipt"),
}


def _alter(value: int) -> str:
    return "".join(
        f"ALTER TABLE {table} "
        + ", ".join(f"ALTER COLUMN {column} SET STATISTICS {value}" for column in columns)
        + ";"
        for table, columns in COLUMNS.items()
    )


class Migration(migrations.Migration):
    """`assurance.md` 5.6: a deleted value would otherwise stay in pg_statistic."""

    dependencies = [("memory", "0004_record_triggers")]

    operations = [migrations.RunSQL(_alter(0), _alter(-1))]
