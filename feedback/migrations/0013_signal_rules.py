"""What signals refer to, that they never change, and what the planner may not remember."""

from django.db import migrations

REFERENCES = [
    # (name, table, column, referenced table)
    ("feedback_signal_record_fk", "feedback_signal", "record_id", "memory_record"),
    ("feedback_signal_version_fk", "feedback_signal", "record_version", "memory_recordversion"),
    ("feedback_integrityitem_record_fk", "feedback_integrityitem", "record_id", "memory_record"),
    ("feedback_integrityitem_report_fk", "feedback_integrityitem", "report_id", "feedback_report"),
]

# Unbound signals are pruned by age; bound ones go with an erasure only.
GUARD = """
CREATE FUNCTION feedback_signal_append_only_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (nullif(current_setting('errata.erasure', true), '')::uuid IS NOT NULL
      OR OLD.record_id IS NULL
        AND nullif(current_setting('errata.pruning', true), '')::uuid IS NOT NULL) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of this table never change'
    USING ERRCODE = 'check_violation', CONSTRAINT = 'feedback_signal_append_only';
END $$;
CREATE TRIGGER feedback_signal_append_only_v1 BEFORE UPDATE OR DELETE ON feedback_signal
  FOR EACH ROW EXECUTE FUNCTION feedback_signal_append_only_v1();
CREATE TRIGGER feedback_signal_no_truncate_v1 BEFORE TRUNCATE ON feedback_signal
  FOR EACH STATEMENT EXECUTE FUNCTION memory_append_only_v1();
"""
UNGUARD = """
DROP TRIGGER feedback_signal_no_truncate_v1 ON feedback_signal;
DROP TRIGGER feedback_signal_append_only_v1 ON feedback_signal;
DROP FUNCTION feedback_signal_append_only_v1();
"""

DIGESTS = ("hit_digest", "session_digest", "query_digest")


def _reference(name: str, table: str, column: str, target: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} "
        f"FOREIGN KEY (project_id, {column}) REFERENCES {target} (project_id, id)",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


def _statistics(value: int) -> str:
    columns = ", ".join(f"ALTER COLUMN {column} SET STATISTICS {value}" for column in DIGESTS)
    return (
        f"ALTER TABLE feedback_signal {columns};"
        f"ALTER TABLE feedback_integrityitem ALTER COLUMN reason SET STATISTICS {value};"
    )


class Migration(migrations.Migration):
    """SQL, since Django knows neither composite references nor triggers nor statistics."""

    dependencies = [("feedback", "0012_signals")]

    operations = [
        *[_reference(*reference) for reference in REFERENCES],
        migrations.RunSQL(GUARD, UNGUARD),
        migrations.RunSQL(_statistics(0), _statistics(-1)),
    ]
