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
    """Let Django's command `flush` keep content types and permissions, and not write them anew."""

    def sql_flush(style: Style, connection: BaseDatabaseWrapper, **how: Any) -> list[str]:
        found = connection.introspection.django_table_names(only_existing=True, include_views=False)
        tables = [table for table in found if table not in KEPT]
        return connection.ops.sql_flush(style, tables, **how)

    patched.setattr(flush, "sql_flush", sql_flush)
    patched.setattr(flush, "emit_post_migrate_signal", lambda *_: None)
