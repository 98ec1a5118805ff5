"""Starting points of console tests: reports and records in the states that a screen knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django.db import connection

from feedback.models import IntegrityItem, Report
from feedback.operations.compile_context import CompiledContext, ContextRequest, compile_context
from feedback.operations.promote_report import PromotionReceipt, promote_report
from feedback.operations.record_outcome import OutcomeDraft, record_outcome
from feedback.operations.record_signals import SignalDraft, record_signals
from feedback.vocabulary import OutcomeKind
from memory.models import Citation, Record
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import Edge
from tests.factories import MARKER, REMEMBERED, fresh

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord


def correct(
    actor: Actor, record: AssertedRecord | UUID, *, to: str = f"Gitega of the {MARKER}"
) -> UUID:
    """Correct a record directly; the id of the new one."""
    record_id = record if isinstance(record, UUID) else record.id
    correction = Correction(
        record_id=record_id,
        expected_version=_version(record_id),
        object=to,
        statement=f"It is {to}.",
    )
    row = correct_records(actor=fresh(actor), corrections=[correction]).records[0]
    REMEMBERED.update({str(row.id), str(row.version)})
    return row.id


def retract(actor: Actor, record: AssertedRecord) -> None:
    """Retract a record directly."""
    draft = RetractionDraft(record_id=record.id, expected_version=_version(record.id))
    retract_records(actor=fresh(actor), retractions=[draft])


def promote(actor: Actor, report_id: UUID) -> PromotionReceipt:
    """Promote a report against the version that its record has now."""
    version = _version(Report.objects.get(id=report_id).record_id)
    return promote_report(actor=fresh(actor), report_id=report_id, expected_version=version)


def move(record: AssertedRecord, by: Actor) -> UUID:
    """Give a current record a second version, which no operation does yet; the new token.

    Reports show it too: whatever will change a record has to see to that.
    """
    version = uuid4()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_record SET version = %s, version_number = 2 WHERE id = %s",
            [version, record.id],
        )
        cursor.execute(
            "INSERT INTO memory_recordversion (id, project_id, record_id, number, change, status,"
            " valid_from, known_from, recorded_by_kind, recorded_by_id, recorded_via, recorded_at,"
            " request_id)"
            " SELECT %s, project_id, id, 2, 'record.assert', status, valid_from, known_from,"
            " %s, %s, %s, clock_timestamp(), %s FROM memory_record WHERE id = %s",
            [version, by.kind, by.id, by.edge, by.request_id, record.id],
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what is pending would forbid ALTER TABLE
        cursor.execute("ALTER TABLE feedback_report DISABLE TRIGGER feedback_report_set_once_v2")
        cursor.execute(
            "UPDATE feedback_report SET target_version = %s, target_version_number = 2"
            " WHERE record_id = %s",
            [version, record.id],
        )
        cursor.execute("ALTER TABLE feedback_report ENABLE TRIGGER feedback_report_set_once_v2")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return version


def compiled(
    actor: Actor, task: str = f"where the {MARKER} meets", **wanted: Any
) -> CompiledContext:
    """Compile a pack from what is there; every item costs ten tokens."""
    request = ContextRequest(
        task=task,
        **{"max_tokens": 32_000, "max_candidates": 1_000, "include_shared": True, **wanted},
    )
    context = compile_context(actor=fresh(actor), request=request, weigh=lambda _item: 10)
    REMEMBERED.add(str(context.run_id))
    return context


def graded(
    actor: Actor,
    run: CompiledContext,
    kind: OutcomeKind,
    record: AssertedRecord | UUID | None = None,
    reason: str | None = None,
) -> None:
    """Say what became of a record in a pack, or of the pack as a whole."""
    record_id = record if isinstance(record, UUID) or record is None else record.id
    draft = OutcomeDraft(run_id=run.run_id, kind=kind, record_id=record_id, reason_code=reason)
    record_outcome(actor=fresh(actor), draft=draft)


def signalled(
    actor: Actor,
    *records: AssertedRecord | UUID | str,
    session: str | None = None,
    **said: Any,
) -> None:
    """Say something of these hits over RCP; a text is the hit of no record here."""
    drafts = [_signal(hit, said) for hit in records]
    sender = replace(fresh(actor), edge=Edge.RCP)
    record_signals(actor=sender, drafts=drafts, session=session)


def _signal(hit: AssertedRecord | UUID | str, said: dict[str, Any]) -> SignalDraft:
    if isinstance(hit, str):
        return SignalDraft(hit=hit, **said)
    if isinstance(hit, UUID):
        return SignalDraft(hit=str(hit), record_id=hit, **said)
    return SignalDraft(hit=f"{hit.id}@{hit.version}", record_id=hit.id, version=hit.version, **said)


def suspected(record: AssertedRecord | UUID, *actors: Actor, **said: Any) -> UUID:
    """Let these actors suspect a record, of poison unless told otherwise; its integrity item."""
    for actor in actors:
        signalled(actor, record, **(said or {"is_poison_suspected": True}))
    item = IntegrityItem.objects.get(record_id=getattr(record, "id", record))
    REMEMBERED.add(str(item.id))
    return item.id


def cite_again(record: AssertedRecord, times: int) -> None:
    """Let a record rest on the same words several times more."""
    cited = Citation.objects.get(record_id=record.id)
    for _ in range(times):
        cited.pk = None
        cited.id = uuid4()
        cited.save(force_insert=True)


def everything() -> str:
    """All records, versions and reports, byte for byte: what a refused form leaves alone."""
    found = []
    with connection.cursor() as cursor:
        for table in ("memory_record", "memory_recordversion", "feedback_report"):
            cursor.execute(
                f"SELECT coalesce(string_agg(to_jsonb(t)::text, E'\\n' ORDER BY id), '')"  # noqa: S608
                f" FROM {table} t"
            )
            found.append(str(cursor.fetchone()[0]))
    return "\n".join(found)


def _version(record_id: UUID) -> UUID:
    return Record.objects.get(id=record_id).version
