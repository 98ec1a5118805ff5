"""What every test shares: the database, personas, race helpers, and the watch for leaked texts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.flushing import flush_rows_of_tests, let_truncate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker

pytest_plugins = [
    "tests.database",
    "tests.personas",
    "tests.statements",
    "tests.leaks",
    "tests.wire",
    "tests.serving",
    "tests.looping",
    "tests.row_security",
]


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors, since each waits for a server or a browser at times."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that the workers end together."""

    def files_with(mark: str) -> set[Path]:
        return {item.path for item in items if item.get_closest_marker(mark)}

    in_browser, slow = files_with("browser"), files_with("slow")
    items.sort(key=lambda item: (item.path not in in_browser, item.path not in slow))


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None,  # noqa: ARG001
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Let the flush behind transactional tests truncate: as owner, disable just these triggers.

    `tests/contracts/test_triggers.py` enables them again to prove that they refuse.
    """
    with django_db_blocker.unblock():
        let_truncate()
    with pytest.MonkeyPatch.context() as patched:
        flush_rows_of_tests(patched)
        yield
