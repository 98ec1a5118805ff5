"""What a browser finds: records and reports made through operations, by an agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory import audit
from memory.transactions import project_scope
from memory.vocabulary import Operation
from tests.factories import MARKER, a_record, a_report, fresh
from tests.review.situations import move

if TYPE_CHECKING:
    from uuid import UUID

    from feedback.operations.compile_context import CompiledContext
    from feedback.operations.record_report import ReportReceipt
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord

REPORTS: Final = "/p/demo/reports/"
AUDIT: Final = "/p/demo/audit/"
RUNS: Final = "/p/demo/runs/"
TROUBLE: Final = "/p/demo/trouble/"
INTEGRITY: Final = "/p/demo/integrity/"
PROPOSED: Final = "Gitega"
#: Longer than what a note shows unfolded.
LONG: Final = f"The {MARKER} moved its capital from Bujumbura to Gitega in 2019. " * 21


@dataclass(frozen=True, slots=True)
class Scene:
    """The project `demo`: who writes to it, and another person who decides there."""

    agent: Actor
    rival: Actor

    def record(self, **said: Any) -> AssertedRecord:
        """A record with evidence."""
        return a_record(self.agent, **{"object": "Bujumbura", **said})

    def correction(self, record: AssertedRecord | None = None, **said: Any) -> ReportReceipt:
        """A report that proposes to correct a record, a new one unless told which."""
        said = {"note": f"It is {PROPOSED}, {MARKER}.", "proposed_object": PROPOSED, **said}
        return a_report(self.agent, record or self.record(), **said)

    def retraction(self, record: AssertedRecord | None = None, **said: Any) -> ReportReceipt:
        """A report that proposes to retract a record, a new one unless told which."""
        return a_report(self.agent, record or self.record(), **said)

    def move(self, record: AssertedRecord) -> UUID:
        """Give a current record a second version, with its entry; the new token."""
        rival = fresh(self.rival)
        with project_scope(rival.project_id):
            version = move(record, rival)
            audit.allowed(rival, audit.Call(Operation.RECORD_ASSERT, 1))
        return version


def address(report: ReportReceipt) -> str:
    """Where a report is shown."""
    return f"{REPORTS}{report.id}/"


def record_address(record: AssertedRecord | UUID, tab: str = "") -> str:
    """Where a record is shown."""
    return f"/p/demo/records/{getattr(record, 'id', record)}/{tab}"


def run_address(run: CompiledContext) -> str:
    """Where a context run is shown."""
    return f"{RUNS}{run.run_id}/"


def item_address(item: UUID) -> str:
    """Where a suspected record is shown."""
    return f"{INTEGRITY}{item}/"
