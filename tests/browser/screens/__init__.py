"""Every screen of the console in every state that it has, and how to come to see it.

The matrix of `console.md` 12: each module shows what one part of the console can look like, and
for whom. A route that no entry names fails `test_screens.py`.
"""

from tests.browser.screens import (
    arriving,
    audit,
    decision,
    doubt,
    failures,
    integrity,
    queue,
    quiet,
    record,
    report,
    runs,
)
from tests.browser.screens.matrix import MATRIX, Shown

__all__ = [
    "MATRIX",
    "Shown",
    "arriving",
    "audit",
    "decision",
    "doubt",
    "failures",
    "integrity",
    "queue",
    "quiet",
    "record",
    "report",
    "runs",
]
