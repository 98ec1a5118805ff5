"""Append evidence to the log: a turn of a conversation, or one observation."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from memory import audit, hooks, policies
from memory.errors import Denied, NotFound
from memory.idempotency import Key, claim, claim_request
from memory.models import Message, Source
from memory.operations.record_rows import Origin, ensure_subjects
from memory.scope import current_scope
from memory.transactions import operation
from memory.vocabulary import RECALLED, KeyScope, MessageRole, Operation, SourceKind, Trust

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest

_ROLES: Final = {
    SourceKind.TOOL_RESULT: MessageRole.TOOL,
    SourceKind.IMPORTED_SOURCE: MessageRole.DOCUMENT,
    SourceKind.SYSTEM_EVENT: MessageRole.SYSTEM,
}


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """One message; `group_ordinal` numbers the steps of a conversation."""

    role: MessageRole
    content: str
    occurred_at: datetime | None = None
    group_ordinal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDraft:
    """Evidence to be appended. `recalled_from` is the context run in whose pack it was seen."""

    kind: SourceKind
    messages: tuple[MessageDraft, ...]
    origin: Origin
    data_subject: str | None = None
    trust: Trust | None = None
    occurred_at: datetime | None = None
    agent_name: str | None = None
    run_name: str | None = None
    recalled_from: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReceipt:
    """The source that was appended, or that an equal call had appended before."""

    id: UUID
    scope: str
    log_offset: int
    trust: Trust
    content_hash: bytes
    occurred_at: datetime | None
    recorded_at: datetime
    is_replay: bool


def role_of_evidence(kind: SourceKind) -> MessageRole:
    """Who speaks in an observation of a kind (`contract.md` 3.1)."""
    return _ROLES.get(kind, MessageRole.USER)


@operation(Operation.OBSERVE)
def append_source(
    *, actor: Actor, draft: SourceDraft, key: IdempotencyRequest | None = None
) -> SourceReceipt:
    """Append one source with its messages at the end of the log. It forms no record by itself.

    An origin id that the actor has sent before, with the same content, answers the first source.
    May: reviewer, owner, read_write credential, also over MCP. Refuses: Denied (also trust above
    the cap), NotFound (the run it was recalled from), IdempotencyConflict, IdempotencyInProgress.
    Writes: source, messages, keys, one audit entry. Rule: `contract.md` 3.1.
    """
    policies.can_observe(actor).require()
    planned = _claim_origin(actor, draft, uuid4())
    receipt = {"source": str(planned.id)}
    stored = claim_request(actor, key, receipt)
    if stored is not None or planned.is_known:
        audit.allowed(actor, audit.Call(Operation.OBSERVE, 0))
        return _replayed(actor, UUID((stored or receipt)["source"]))
    if draft.recalled_from and not hooks.has_context_run(actor.project_id, draft.recalled_from):
        raise NotFound
    trust = min(Trust.ASSERTED, actor.max_trust) if draft.trust is None else draft.trust
    if trust > actor.max_trust:
        raise Denied("trust_above_cap")
    source = _write(actor, draft, planned.id, trust)
    audit.allowed(actor, audit.Call(Operation.OBSERVE, 1))
    return _receipt(source, is_replay=False)


@dataclass(frozen=True, slots=True)
class _Planned:
    """The id of a source to be, or of the one that its origin already names."""

    id: UUID
    is_known: bool


def _claim_origin(actor: Actor, draft: SourceDraft, new_id: UUID) -> _Planned:
    """Claim the place that the origin's id has among the actor's sources."""
    if draft.origin.id is None:
        return _Planned(new_id, is_known=False)
    text = json.dumps([draft.origin.type, draft.origin.id])
    content = json.dumps(asdict(draft), sort_keys=True, default=str)
    fingerprint = current_scope().digests.digest("source", content)
    receipts = claim(actor, KeyScope.SOURCE, [Key(text, fingerprint, {"source": str(new_id)})])
    if text not in receipts:
        return _Planned(new_id, is_known=False)
    return _Planned(UUID(receipts[text]["source"]), is_known=True)


def _write(actor: Actor, draft: SourceDraft, source_id: UUID, trust: Trust) -> Source:
    scope = current_scope()
    said = [part for m in draft.messages for part in (m.role.value, m.content)]
    source = Source(
        id=source_id,
        project_id=actor.project_id,
        kind=draft.kind,
        origin_type=RECALLED if draft.recalled_from else draft.origin.type,
        origin_ref=draft.origin.ref,
        origin_id=draft.origin.id,
        trust=trust,
        data_subject_id=ensure_subjects(actor, [draft.data_subject])[draft.data_subject],
        content_hash=scope.digests.digest("content", *said),
        occurred_at=draft.occurred_at,
        agent_name=draft.agent_name,
        run_name=draft.run_name,
        recorded_by_kind=actor.kind,
        recorded_by_id=actor.id,
        recorded_via=actor.edge,
        recorded_at=scope.opened_at,
        request_id=actor.request_id,
    )
    source.save(force_insert=True)
    Message.objects.bulk_create(
        Message(
            project_id=actor.project_id,
            source_id=source_id,
            ordinal=ordinal,
            role=message.role,
            content=message.content,
            occurred_at=message.occurred_at,
            group_ordinal=message.group_ordinal,
        )
        for ordinal, message in enumerate(draft.messages)
    )
    return source


def _replayed(actor: Actor, source_id: UUID) -> SourceReceipt:
    return _receipt(Source.objects.visible_to(actor).get(id=source_id), is_replay=True)


def _receipt(source: Source, *, is_replay: bool) -> SourceReceipt:
    return SourceReceipt(
        id=source.id,
        scope=current_scope().name,
        log_offset=source.log_offset,
        trust=Trust(source.trust),
        content_hash=bytes(source.content_hash),
        occurred_at=source.occurred_at,
        recorded_at=source.recorded_at,
        is_replay=is_replay,
    )
