"""Evidence, versions and citations are appended, never changed; audit entries never go."""

from django.db import migrations

ERASABLE = (
    "memory_source",
    "memory_message",
    "memory_recordversion",
    "memory_citation",
)

CREATE_FUNCTIONS = """
CREATE FUNCTION memory_append_only_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A row goes only in a transaction that names its erasure; the cast fails closed.
  IF TG_OP = 'DELETE' AND nullif(current_setting('errata.erasure', true), '')::uuid IS NOT NULL THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of this table are append-only'
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;
CREATE FUNCTION memory_never_changes_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of this table never change and never go'
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_never_changes';
END $$;
"""

DROP_FUNCTIONS = "DROP FUNCTION memory_append_only_v1(); DROP FUNCTION memory_never_changes_v1();"


def _guard(table: str, function: str, rule: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {table}_{rule}_v1 BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {function}();"
        f"CREATE TRIGGER {table}_no_truncate_v1 BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {function}();",
        f"DROP TRIGGER {table}_{rule}_v1 ON {table};"
        f"DROP TRIGGER {table}_no_truncate_v1 ON {table};",
    )


class Migration(migrations.Migration):
    """Triggers, because a CHECK cannot see what a row was."""

    dependencies = [("memory", "0002_references")]

    operations = [
        migrations.RunSQL(CREATE_FUNCTIONS, DROP_FUNCTIONS),
        *[_guard(table, "memory_append_only_v1", "append_only") for table in ERASABLE],
        _guard("memory_auditentry", "memory_never_changes_v1", "never_changes"),
    ]
