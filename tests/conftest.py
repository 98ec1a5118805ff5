"""What every test shares: the database, personas, race helpers, and the watch for leaked texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection

if TYPE_CHECKING:
    from pytest_django import DjangoDbBlocker

pytest_plugins = [
    "tests.database",
    "tests.personas",
    "tests.statements",
    "tests.leaks",
    "tests.wire",
    "tests.serving",
    "tests.looping",
]

#: Triggers that refuse TRUNCATE: bit 5 of pg_trigger.tgtype.
TRUNCATE_TRIGGERS = """
SELECT format('ALTER TABLE %I DISABLE TRIGGER %I', tgrelid::regclass, tgname)
FROM pg_trigger WHERE NOT tgisinternal AND tgtype & 32 <> 0
"""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:  # noqa: ARG001
    """Let the flush behind transactional tests truncate: as owner, disable just these triggers.

    `tests/contracts/test_triggers.py` enables them again to prove that they refuse.
    """
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(TRUNCATE_TRIGGERS)
        for (disable,) in cursor.fetchall():
            cursor.execute(disable)
