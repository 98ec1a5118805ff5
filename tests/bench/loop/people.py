"""Programs that act in a project of the bench, and what they do there, through operations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from feedback.http.context_sizes import least, weigh
from feedback.operations.compile_context import CompiledContext, ContextRequest, compile_context
from feedback.operations.record_outcome import OutcomeDraft, record_outcome
from memory.actor import Actor, new_request_id
from memory.operations.assert_records import RecordDraft, assert_records
from memory.operations.issue_credential import issue_credential
from memory.vocabulary import Access, ActorKind, Edge
from tests.bench.servers import ROOT
from tests.factories import fresh

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from feedback.vocabulary import OutcomeKind

FACTS: Final = ROOT / "feedback" / "management" / "demo" / "countries.jsonl"
AT_ONCE: Final = 20
TOKENS: Final = 32_000


def facts() -> list[RecordDraft]:
    """What the demo asserts."""
    lines = FACTS.read_text(encoding="utf-8").splitlines()
    texts = ("subject", "predicate", "object", "statement")
    return [
        RecordDraft(**{name: said[name] for name in texts})
        for said in map(json.loads, filter(None, lines))
    ]


def program(operator: Actor, name: str) -> Actor:
    """A new credential that may write, as an actor."""
    receipt = issue_credential(actor=fresh(operator), name=name, access=Access.READ_WRITE)
    return Actor(
        project_id=operator.project_id,
        kind=ActorKind.CREDENTIAL,
        id=receipt.id,
        edge=Edge.API,
        request_id=new_request_id(),
        label=name,
        access=Access.READ_WRITE,
    )


def assert_all(actor: Actor, drafts: Sequence[RecordDraft]) -> list[UUID]:
    """Assert records; their ids in the same order."""
    ids: list[UUID] = []
    for start in range(0, len(drafts), AT_ONCE):
        receipt = assert_records(actor=fresh(actor), drafts=drafts[start : start + AT_ONCE])
        ids.extend(record.id for record in receipt.records)
    return ids


def ask(actor: Actor, task: str) -> CompiledContext:
    """Compile a pack that leaves out nothing."""
    request = ContextRequest(task=task, max_tokens=TOKENS, max_candidates=200, top_k=None)
    return compile_context(actor=fresh(actor), request=request, weigh=weigh, least=least)


def vote(actor: Actor, run_id: UUID, record_id: UUID, kind: OutcomeKind, *, times: int = 1) -> None:
    """Say so often what became of a record in a pack."""
    draft = OutcomeDraft(run_id=run_id, record_id=record_id, kind=kind)
    for _ in range(times):
        record_outcome(actor=fresh(actor), draft=draft)
