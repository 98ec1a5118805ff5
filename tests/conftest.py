"""What every test shares: the database, personas, race helpers, and the watch for leaked texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.flushing import let_truncate

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


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:  # noqa: ARG001
    """Let the flush behind transactional tests truncate: as owner, disable just these triggers.

    `tests/contracts/test_triggers.py` enables them again to prove that they refuse.
    """
    with django_db_blocker.unblock():
        let_truncate()
