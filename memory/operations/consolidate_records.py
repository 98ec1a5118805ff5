"""Believe what follows from evidence: records that cite sources of the log."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from memory import audit, policies
from memory.errors import Denied, FieldInvalid
from memory.idempotency import Key, claim, claim_request
from memory.operations.record_rows import (
    CitedSpan,
    NewIds,
    NewRecord,
    Origin,
    ensure_subjects,
    write_records,
)
from memory.queries.claims import ClaimRow, find_claims
from memory.queries.evidence import get_citable_sources
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import (
    OBJECT_BYTES,
    STATES,
    KeyScope,
    MessageRole,
    Operation,
    RecordChange,
    RecordKind,
    Relation,
    Trust,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.actor import Actor
    from memory.idempotency import Receipt
    from memory.keys import IdempotencyRequest
    from memory.queries.evidence import CitableSource

CONSOLIDATED_CONFIDENCE: Final = 0.8
#: Not written: the record cites sources that are there already.
_CONSOLIDATION: Final = Origin("consolidation")


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """A source that a claim cites: a quote from it, or all of it."""

    source_id: UUID
    relation: Relation
    quote: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimDraft:
    """What somebody concludes, and from what. Without an object it simply states something."""

    kind: RecordKind
    statement: str
    sources: tuple[ClaimSource, ...]
    confidence: float = CONSOLIDATED_CONFIDENCE
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    trust: Trust | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    observer_name: str | None = None


@dataclass(frozen=True, slots=True)
class ConsolidationReceipt:
    """One row a claim, in their order, as each record is now."""

    records: tuple[ClaimRow, ...]
    canonical_replays: int
    is_replay: bool = False


@operation(Operation.RECORD_CONSOLIDATE)
def consolidate_records(
    *,
    actor: Actor,
    data_subject: str,
    drafts: Sequence[ClaimDraft],
    key: IdempotencyRequest | None = None,
) -> ConsolidationReceipt:
    """Conclude things about one person from evidence about that person, all or nothing.

    No model is asked and nothing is merged by what it says. A claim that the actor has made before
    from the same sources answers that record in whatever state it is: nothing revives. May:
    reviewer, owner, read_write credential; not MCP. Refuses: NotFound (a source), FieldInvalid,
    Denied (also trust above the cap), RecordConflict (a single-valued place is taken),
    IdempotencyConflict, IdempotencyInProgress. Writes per new record: record, version 1,
    citations, key; one audit entry. Rule: `contract.md` 4.1.
    """
    policies.can_change_records(actor).require()
    contents = [_content_of(data_subject, draft) for draft in drafts]
    planned = _claim_contents(actor, contents)
    new = [place for place, content in enumerate(contents) if planned[content].place == place]
    receipt = {
        "records": [str(planned[content].record_id) for content in contents],
        "canonical_replays": len(drafts) - len(new),
    }
    stored = claim_request(actor, key, receipt)
    if stored is not None:
        audit.allowed(actor, audit.Call(Operation.RECORD_CONSOLIDATE, 0))
        return _receipt_of(actor, stored, is_replay=True)
    if new:
        at = current_scope().opened_at
        ids = {place: planned[contents[place]].record_id for place in new}
        write_records(actor, new=_new_records(actor, data_subject, drafts, ids, at), at=at)
    audit.allowed(actor, audit.Call(Operation.RECORD_CONSOLIDATE, len(new)))
    return _receipt_of(actor, receipt, is_replay=False)


@dataclass(frozen=True, slots=True)
class _Planned:
    """The record of a claim, and which of the drafts makes it; None if an earlier call has."""

    record_id: UUID
    place: int | None


def _content_of(data_subject: str, draft: ClaimDraft) -> str:
    """What makes two claims identical: everything that they say and cite, as a keyed digest."""
    text = json.dumps([data_subject, asdict(draft)], sort_keys=True, default=str)
    return current_scope().digests.digest("claim", text).hex()


def _claim_contents(actor: Actor, contents: Sequence[str]) -> dict[str, _Planned]:
    """Claim what each draft says; what equal claims made before takes the place of new records."""
    planned: dict[str, _Planned] = {}
    for place, content in enumerate(contents):
        planned.setdefault(content, _Planned(uuid4(), place))
    keys = [
        Key(content, bytes.fromhex(content), {"record": str(plan.record_id)})
        for content, plan in planned.items()
    ]
    known = {
        content: _Planned(UUID(receipt["record"]), None)
        for content, receipt in claim(actor, KeyScope.CLAIM, keys).items()
    }
    return planned | known


def _receipt_of(actor: Actor, receipt: Receipt, *, is_replay: bool) -> ConsolidationReceipt:
    ids = [UUID(id_) for id_ in receipt["records"]]
    rows = find_claims(actor, ids)
    return ConsolidationReceipt(
        tuple(rows[id_] for id_ in ids), receipt["canonical_replays"], is_replay
    )


def _new_records(
    actor: Actor,
    data_subject: str,
    drafts: Sequence[ClaimDraft],
    ids: Mapping[int, UUID],
    at: datetime,
) -> list[NewRecord]:
    """The records that these drafts make, once every rule between claim and sources holds."""
    sources = get_citable_sources(
        actor, {source.source_id for place in ids for source in drafts[place].sources}
    )
    subject_id = ensure_subjects(actor, [data_subject])[data_subject]
    for place in ids:
        _check(drafts[place], sources, subject_id, at, f"claims[{place}]")
    return [
        _new_record(actor, data_subject, drafts[place], sources, record_id, at)
        for place, record_id in ids.items()
    ]


def _check(
    draft: ClaimDraft,
    sources: Mapping[UUID, CitableSource],
    subject_id: UUID | None,
    at: datetime,
    path: str,
) -> None:
    for number, cited in enumerate(draft.sources):
        source = sources[cited.source_id]
        place = f"{path}.sources[{number}]"
        if source.data_subject_id != subject_id:
            raise FieldInvalid(f"{place}.observation_id", "must be about the same subject.")
        if source.is_recalled and cited.relation is Relation.SUPPORTS:
            raise FieldInvalid(
                f"{place}.observation_id", "was recalled from a pack and supports nothing."
            )
        if cited.quote is not None and not any(cited.quote in m.content for m in source.messages):
            raise FieldInvalid(f"{place}.quote", "must occur in the source.")
    if draft.valid_until is not None and draft.valid_until <= (draft.valid_from or at):
        raise FieldInvalid(f"{path}.valid_to", "must be after valid_from.")
    if draft.trust is not None and draft.trust > _best_trust(draft, sources):
        raise FieldInvalid(f"{path}.trust", "must not be above that of the best supporting source.")


def _best_trust(draft: ClaimDraft, sources: Mapping[UUID, CitableSource]) -> Trust:
    return max(sources[s.source_id].trust for s in draft.sources if s.relation is Relation.SUPPORTS)


def _new_record(
    actor: Actor,
    data_subject: str,
    draft: ClaimDraft,
    sources: Mapping[UUID, CitableSource],
    record_id: UUID,
    at: datetime,
) -> NewRecord:
    best = _best_trust(draft, sources)
    trust = min(best, actor.max_trust) if draft.trust is None else draft.trust
    if trust > actor.max_trust:
        raise Denied("trust_above_cap")
    cited = tuple(span for source in draft.sources for span in _spans(source, sources))
    first = next(span for span in cited if span.relation is Relation.SUPPORTS)
    role = sources[first.source_id].messages[first.ordinal].role
    return NewRecord(
        ids=NewIds(record=record_id, source=first.source_id),
        subject=draft.subject or data_subject,
        predicate=draft.predicate or STATES,
        object=draft.object or _beginning(draft.statement),
        statement=draft.statement,
        kind=draft.kind,
        confidence=draft.confidence,
        trust=trust,
        data_subject_id=current_scope().digests.subject_id(data_subject),
        valid_from=draft.valid_from or at,
        valid_until=draft.valid_until,
        origin=_CONSOLIDATION,
        change=RecordChange.ASSERT,
        cited=cited,
        source_role=MessageRole(role),
        is_disputed=any(source.relation is Relation.CONTRADICTS for source in draft.sources),
        observer_name=draft.observer_name,
    )


def _spans(cited: ClaimSource, sources: Mapping[UUID, CitableSource]) -> list[CitedSpan]:
    """The bytes that are cited: of the first message that has the quote, or of every message."""
    spans = []
    for message in sources[cited.source_id].messages:
        quote = message.content if cited.quote is None else cited.quote
        characters = message.content.find(quote)
        if characters < 0:
            continue
        start = len(message.content[:characters].encode())
        end = start + len(quote.encode())
        spans.append(CitedSpan(cited.source_id, message.ordinal, start, end, quote, cited.relation))
        if cited.quote is not None:
            break
    return spans


def _beginning(statement: str) -> str:
    """As much of a statement as an object may hold, cut between characters."""
    return statement.encode()[:OBJECT_BYTES].decode(errors="ignore")
