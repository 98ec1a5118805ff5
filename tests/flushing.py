"""The flush behind transactional tests: it may truncate, and keeps what migrations wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.core.management.commands import flush
from django.db import connection

if TYPE_CHECKING:
    import pytest
    from django.core.management.color import Style
    from django.db.backends.base.base import BaseDatabaseWrapper

#: Written once by migrations; to write them anew took longer than to empty all other tables.
KEPT: Final = ("django_content_type", "auth_permission")

#: Of a table whose rows are deleted one by one.
MOST_BYTES: Final = 4 * 1024 * 1024
#: Without the triggers of foreign keys, and of tables that only grow.
DELETE: Final = "DO $$ BEGIN SET LOCAL session_replication_role = replica; {}; END $$"

#: Triggers that refuse TRUNCATE: bit 5 of pg_trigger.tgtype.
TRUNCATE_TRIGGERS: Final = """
SELECT format('ALTER TABLE %I DISABLE TRIGGER %I', tgrelid::regclass, tgname)
FROM pg_trigger WHERE NOT tgisinternal AND tgtype & 32 <> 0
"""


def let_truncate() -> None:
    """Disable just these triggers, as owner; a migration makes them anew, and enabled."""
    with connection.cursor() as cursor:
        cursor.execute(TRUNCATE_TRIGGERS)
        for (disable,) in cursor.fetchall():
            cursor.execute(disable)


def flush_rows_of_tests(patched: pytest.MonkeyPatch) -> None:
    """Let Django's command `flush` keep content types and permissions, and delete few rows by row.

    To truncate fifty tables makes hundreds of files, and every session learns all of them anew.
    """

    tables: list[str] = []

    def sql_flush(style: Style, connection: BaseDatabaseWrapper, **how: Any) -> list[str]:
        if not tables:
            tables.extend(sorted({*connection.introspection.django_table_names()} - {*KEPT}))
        if _may_delete_silently(tables):
            return [DELETE.format("; ".join(f"DELETE FROM {table}" for table in tables))]  # noqa: S608
        return connection.ops.sql_flush(style, tables, **how)

    patched.setattr(flush, "sql_flush", sql_flush)
    patched.setattr(flush, "emit_post_migrate_signal", lambda *_: None)


def _may_delete_silently(tables: list[str]) -> bool:
    """Whether this role may do without triggers, and the rows are few."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_parameter_privilege('session_replication_role', 'SET')"
            " AND max(pg_relation_size(name::regclass)) < %s FROM unnest(%s::text[]) AS name",
            [MOST_BYTES, tables],
        )
        (may,) = cursor.fetchone()
    return bool(may)
