"""The loop: evidence about somebody, what is concluded from it, packs, and what became of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid4

from factory.base import Factory
from factory.declarations import Sequence

from feedback.operations.compile_context import (
    CompiledContext,
    ContextRequest,
    RankedRecord,
    compile_context,
)
from feedback.operations.record_outcome import OutcomeDraft, OutcomeReceipt, record_outcome
from feedback.operations.record_signals import SignalDraft, SignalsReceipt, record_signals
from feedback.packing import tokens_of
from feedback.vocabulary import OutcomeKind
from memory.operations.append_source import (
    MessageDraft,
    SourceDraft,
    SourceReceipt,
    append_source,
    role_of_evidence,
)
from memory.operations.consolidate_records import ClaimDraft, ClaimSource, consolidate_records
from memory.operations.record_rows import Origin
from memory.vocabulary import RecordKind, Relation, SourceKind
from tests.factories.content import MARKER, REMEMBERED
from tests.factories.people import fresh

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest
    from memory.operations.assert_records import AssertedRecord
    from memory.queries.claims import ClaimRow

#: The person whom evidence and claims are about, unless a test says otherwise.
PERSON: Final = f"{MARKER} herder"


class ClaimDraftFactory(Factory[ClaimDraft]):
    """What somebody concludes: every statement distinct. The sources have to be given."""

    class Meta:
        model = ClaimDraft

    kind = RecordKind.EPISODIC_EVENT
    statement = Sequence(lambda n: f"Herd {n} of the {MARKER} crossed the river.")  # type: ignore[no-untyped-call]


def a_source(
    actor: Actor, content: str = f"The {MARKER} was seen by the river.", **said: Any
) -> SourceReceipt:
    """One observation about `PERSON`, in the words of its kind's role."""
    kind = said.setdefault("kind", SourceKind.USER_STATEMENT)
    values: dict[str, Any] = {
        "messages": (MessageDraft(role_of_evidence(kind), content),),
        "origin": Origin("chat"),
        "data_subject": PERSON,
        **said,
    }
    receipt = append_source(actor=fresh(actor), draft=SourceDraft(**values))
    REMEMBERED.add(str(receipt.id))
    return receipt


def supports(*sources: SourceReceipt) -> tuple[ClaimSource, ...]:
    """All of these sources, as what a claim rests on."""
    return tuple(ClaimSource(source.id, Relation.SUPPORTS) for source in sources)


def a_claim(actor: Actor, *sources: SourceReceipt, **said: Any) -> ClaimRow:
    """One claim about `PERSON` that rests on these sources, or on a new one."""
    person = said.pop("data_subject", PERSON)
    if "sources" not in said:
        said["sources"] = supports(*sources or [a_source(actor, data_subject=person)])
    draft = ClaimDraftFactory.create(**said)
    receipt = consolidate_records(actor=fresh(actor), data_subject=person, drafts=[draft])
    (row,) = receipt.records
    REMEMBERED.update({str(row.id), str(row.version)})
    return row


def weigh(item: RankedRecord) -> int:
    """The tokens of an item's statement; the edges weigh all that they send."""
    return tokens_of(len(item.statement.encode()))


def a_run(actor: Actor, task: str = f"Where is the {MARKER}?", **said: Any) -> CompiledContext:
    """A pack for a task: with room for everything that is found."""
    request = ContextRequest(**{"task": task, "max_tokens": 32_000, "max_candidates": 200, **said})
    run = compile_context(actor=fresh(actor), request=request, weigh=weigh)
    REMEMBERED.add(str(run.run_id))
    return run


def an_outcome(
    actor: Actor,
    run: CompiledContext | UUID,
    record_id: UUID | None = None,
    kind: OutcomeKind = OutcomeKind.USEFUL,
    **said: Any,
) -> OutcomeReceipt:
    """What became of a pack, or of one record in it."""
    run_id = run.run_id if isinstance(run, CompiledContext) else run
    draft = OutcomeDraft(run_id=run_id, record_id=record_id, kind=kind, **said)
    receipt = record_outcome(actor=fresh(actor), draft=draft)
    REMEMBERED.add(str(receipt.id))
    return receipt


def a_hit(record: AssertedRecord | ClaimRow | UUID | str) -> dict[str, Any]:
    """What names a hit in a signal: a record in its version, a bare record, or any other text."""
    if isinstance(record, str):
        return {"hit": record}
    if isinstance(record, UUID):
        return {"hit": str(record), "record_id": record}
    return {
        "hit": f"{record.id}@{record.version}",
        "record_id": record.id,
        "version": record.version,
    }


def some_signals(
    actor: Actor,
    drafts: list[SignalDraft],
    *,
    session: str | None = None,
    query: str | None = None,
    key: IdempotencyRequest | None = None,
) -> SignalsReceipt:
    """What a client says of several hits at once."""
    return record_signals(actor=fresh(actor), drafts=drafts, session=session, query=query, key=key)


def a_signal(
    actor: Actor,
    record: AssertedRecord | ClaimRow | UUID | str,
    *,
    session: str | None = None,
    **said: Any,
) -> SignalsReceipt:
    """What a client says of one hit."""
    return some_signals(actor, [SignalDraft(**a_hit(record), **said)], session=session)


def another(actor: Actor) -> Actor:
    """Another program of the same project."""
    return replace(fresh(actor), id=uuid4())


def suspect(
    actor: Actor, record: AssertedRecord | ClaimRow | UUID, *, actors: int = 2, **said: Any
) -> None:
    """So many programs suspect a record of being planted, unless told of what."""
    for _ in range(actors):
        a_signal(another(actor), record, **(said or {"is_poison_suspected": True}))
