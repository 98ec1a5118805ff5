"""State made the way the product makes it: through operations, so that it cannot drift.

Every text made here holds `MARKER`, and every id is remembered: `tests/leaks.py` proves that none
of them reaches the audit log or the application's log. The bulk maker for plans
(`tests/factories/bulk.py`) writes rows by SQL and is the exception.
"""

from tests.factories.content import (
    MARKER,
    REMEMBERED,
    RecordDraftFactory,
    a_key,
    a_record,
    a_report,
    some_records,
)
from tests.factories.loop import (
    PERSON,
    ClaimDraftFactory,
    a_claim,
    a_hit,
    a_run,
    a_signal,
    a_source,
    an_outcome,
    another,
    some_signals,
    supports,
    suspect,
    weigh,
)
from tests.factories.people import PASSWORD, UserFactory, a_project, an_actor, fresh, grant

__all__ = [
    "MARKER",
    "PASSWORD",
    "PERSON",
    "REMEMBERED",
    "ClaimDraftFactory",
    "RecordDraftFactory",
    "UserFactory",
    "a_claim",
    "a_hit",
    "a_key",
    "a_project",
    "a_record",
    "a_report",
    "a_run",
    "a_signal",
    "a_source",
    "an_actor",
    "an_outcome",
    "another",
    "fresh",
    "grant",
    "some_records",
    "some_signals",
    "supports",
    "suspect",
    "weigh",
]
