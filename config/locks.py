"""Lock files that the kernel releases when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class FileLock:
    """A lock on one file: taken alone, or shared with others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> None:
        """Wait until nobody else has the lock, and take it alone."""
        self._lock(fcntl.LOCK_EX)

    def try_to_take(self) -> bool:
        """Take the lock alone, unless somebody has it."""
        try:
            self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            return False
        return True

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the lock together with others who share it."""
        self._lock(fcntl.LOCK_SH)
        try:
            yield
        finally:
            self.release()

    def release(self) -> None:
        """Let go of the lock; harmless when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _lock(self, how: int) -> None:
        if self._descriptor is None:
            # Python opens it so that children do not inherit it, and the lock with it.
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._descriptor, how)
