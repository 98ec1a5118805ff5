"""How much a test does: little in `make test`, on every change; all of it in `make faults`.

Rule: `assurance.md` 3, the suites Q and S of tests that are in both.
"""

from __future__ import annotations

import os
from typing import Final, TypeVar

#: Whether this is the slow suite.
IS_FULL: Final = os.environ.get("ERRATA_TESTS") == "full"
#: Seconds that a test with a full amount may take.
PATIENCE: Final = 1_800 if IS_FULL else 120
_Amount = TypeVar("_Amount")


def amount(*, quick: _Amount, full: _Amount) -> _Amount:
    """What this run does."""
    return full if IS_FULL else quick
