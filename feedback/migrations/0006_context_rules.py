"""What refers to what, what never changes, and what the planner may not remember."""

from django.db import migrations

REFERENCES = [
    # (name, table, column, referenced table)
    ("feedback_contextrun_person_fk", "feedback_contextrun", "data_subject_id", "memory_subject"),
    ("feedback_contextitem_run_fk", "feedback_contextitem", "run_id", "feedback_contextrun"),
    ("feedback_contextitem_record_fk", "feedback_contextitem", "record_id", "memory_record"),
    (
        "feedback_contextitem_version_fk",
        "feedback_contextitem",
        "record_version",
        "memory_recordversion",
    ),
    # No reference to the run: outcomes outlive it.
    ("feedback_outcome_record_fk", "feedback_outcome", "record_id", "memory_record"),
    ("feedback_outcome_person_fk", "feedback_outcome", "data_subject_id", "memory_subject"),
]

FUNCTION = """
CREATE FUNCTION feedback_prunable_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A run goes only in a transaction that names its pruning or its erasure; the casts fail closed.
  IF TG_OP = 'DELETE' AND (nullif(current_setting('errata.pruning', true), '')::uuid IS NOT NULL
      OR nullif(current_setting('errata.erasure', true), '')::uuid IS NOT NULL) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of this table never change'
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;
"""

GUARDS = {
    "feedback_contextrun": "feedback_prunable_v1",
    "feedback_contextitem": "feedback_prunable_v1",
    "feedback_outcome": "memory_append_only_v1",
}

COLUMNS = {
    "feedback_contextrun": ("task_digest", "lexemes_digest"),
    "feedback_outcome": ("reason_code", "lexemes_digest"),
}


def _reference(name: str, table: str, column: str, target: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} "
        f"FOREIGN KEY (project_id, {column}) REFERENCES {target} (project_id, id)",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


def _guard(table: str, function: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {table}_append_only_v1 BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {function}();"
        f"CREATE TRIGGER {table}_no_truncate_v1 BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {function}();",
        f"DROP TRIGGER {table}_append_only_v1 ON {table};"
        f"DROP TRIGGER {table}_no_truncate_v1 ON {table};",
    )


def _statistics(value: int) -> str:
    return "".join(
        f"ALTER TABLE {table} "
        + ", ".join(f"ALTER COLUMN {column} SET STATISTICS {value}" for column in columns)
        + ";"
        for table, columns in COLUMNS.items()
    )


class Migration(migrations.Migration):
    """SQL, since Django knows neither composite references nor triggers nor statistics."""

    dependencies = [("feedback", "0005_context"), ("memory", "0009_posting_triggers")]

    operations = [
        *[_reference(*reference) for reference in REFERENCES],
        migrations.RunSQL(FUNCTION, "DROP FUNCTION feedback_prunable_v1();"),
        *[_guard(table, function) for table, function in GUARDS.items()],
        migrations.RunSQL(_statistics(0), _statistics(-1)),
    ]
