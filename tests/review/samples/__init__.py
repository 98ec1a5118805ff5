"""Made-up screens, one per page and state, for tests of the templates without a database."""

from __future__ import annotations

from review.screens import Screen
from tests.review.samples.doubts import doubt_screens
from tests.review.samples.integrity import integrity_screens
from tests.review.samples.others import other_screens
from tests.review.samples.records import record_screens
from tests.review.samples.reports import report_screens
from tests.review.samples.runs import run_screens


def screens() -> dict[str, tuple[str, Screen]]:
    """Every page in every state: a name, the template under `review/`, the screen."""
    return {
        **report_screens(),
        **record_screens(),
        **doubt_screens(),
        **run_screens(),
        **integrity_screens(),
        **other_screens(),
    }
