"""Leave for the flush behind transactional tests to truncate what otherwise refuses it."""

from __future__ import annotations

from typing import Final

from django.db import connection

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
