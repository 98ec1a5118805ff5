"""Row security on every table of a project, by the policy of `assurance.md` 5.3, for one test.

It binds the owner of the tables too, as whom the tests are connected, and raises where a statement
does not name the project to the database. Tests that use it need `transactional_db`: the setting
ends with a transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.actor import Actor

#: Looked at before anybody's project is known: who calls and who is a member of what, and the log,
#: which calls by nobody reach too.
BEFORE_A_PROJECT: Final = (
    *("memory_credential", "memory_member", "memory_membergroup"),
    "memory_auditentry",
)
TABLES: Final = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind = 'r' AND a.attname = 'project_id' AND c.relname ~ '^(memory|feedback)_'
  AND NOT a.attisdropped AND c.relname <> ALL (%s)
"""


@pytest.fixture
def with_row_security(agent: Actor) -> Iterator[list[str]]:  # noqa: ARG001 - made before
    """The tables that have a policy meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES, [list(BEFORE_A_PROJECT)])
        tables = [name for (name,) in cursor]
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
            cursor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
            cursor.execute(
                f"CREATE POLICY own ON {table} USING"
                " (project_id = current_setting('errata.project')::uuid)"
            )
    yield tables
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DROP POLICY own ON {table}")
            cursor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
            cursor.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
