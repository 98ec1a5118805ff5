"""Records and reports, and the keys under which a call may be repeated."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from factory.base import Factory
from factory.declarations import LazyAttribute, LazyFunction, Sequence

from feedback.operations.record_report import ReportDraft, ReportReceipt, record_report
from memory.keys import IdempotencyRequest
from memory.operations.assert_records import AssertedRecord, RecordDraft, assert_records
from tests.factories.people import fresh

if TYPE_CHECKING:
    from memory.actor import Actor

#: Stands in every text that the factories make; no log and no audit entry may hold it.
MARKER = "quagga"

#: Ids of what the factories made in this test; no log and no audit entry may hold them either.
REMEMBERED: set[str] = set()


class RecordDraftFactory(Factory[RecordDraft]):
    """What somebody asserts: every text distinct, none of it true."""

    class Meta:
        model = RecordDraft

    subject = Sequence(lambda n: f"Land {n} of the {MARKER}")  # type: ignore[no-untyped-call]
    predicate = "has_capital"
    object = Sequence(lambda n: f"Town {n} of the {MARKER}")  # type: ignore[no-untyped-call]
    statement = LazyAttribute(  # type: ignore[no-untyped-call]
        lambda draft: f"{draft.object} is where {draft.subject} meets."
    )
    idempotency_key = LazyFunction(uuid4)  # type: ignore[no-untyped-call]


def a_record(actor: Actor, **said: Any) -> AssertedRecord:
    """One asserted record."""
    return some_records(actor, 1, **said)[0]


def some_records(actor: Actor, number: int, **said: Any) -> tuple[AssertedRecord, ...]:
    """Several records, asserted together, at most 20."""
    drafts = RecordDraftFactory.create_batch(number, **said)
    receipt = assert_records(actor=fresh(actor), drafts=drafts)
    for record in receipt.records:
        REMEMBERED.update({str(record.id), str(record.version), str(record.source_id)})
    return receipt.records


def a_report(
    actor: Actor, record: AssertedRecord | UUID | None = None, **said: Any
) -> ReportReceipt:
    """One report, about a new record unless told which."""
    if record is None:
        record = a_record(actor)
    record_id = record if isinstance(record, UUID) else record.id
    draft = ReportDraft(record_id=record_id, **{"note": f"No {MARKER} ever met there.", **said})
    receipt = record_report(actor=fresh(actor), draft=draft)
    REMEMBERED.update({str(receipt.id), str(record_id)})
    return receipt


def a_key(
    text: str | None = None, *, call: object = "", route: str = "route"
) -> IdempotencyRequest:
    """The key of one whole call, as an edge hands it over."""
    return IdempotencyRequest(
        key=text or f"{MARKER}-{uuid4()}",
        route=route,
        fingerprint=sha256(repr((route, call)).encode()).digest(),
    )
