"""Sources as evidence: what a consolidation may cite, and what a record rests on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import F

from memory import policies
from memory.errors import NotFound
from memory.models import Citation, Message, Source
from memory.queries.claims import Standing
from memory.queries.records import RecordDetail, get_detail
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import RECALLED, Operation, Relation, SourceKind, Trust

if TYPE_CHECKING:
    from collections.abc import Collection

    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class CitableMessage:
    """A message that a citation may quote."""

    ordinal: int
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class CitableSource:
    """A source that a record may cite, with its messages in order."""

    id: UUID
    trust: Trust
    data_subject_id: UUID | None
    is_recalled: bool
    messages: tuple[CitableMessage, ...]


def get_citable_sources(actor: Actor, source_ids: Collection[UUID]) -> dict[UUID, CitableSource]:
    """Sources with their messages, or NotFound unless all are visible. Two statements."""
    wanted = set(source_ids)
    messages: dict[UUID, list[CitableMessage]] = {}
    rows = Message.objects.filter(project_id=actor.project_id, source_id__in=wanted)
    for source_id, ordinal, role, content in rows.order_by("source_id", "ordinal").values_list(
        "source_id", "ordinal", "role", "content"
    ):
        messages.setdefault(source_id, []).append(CitableMessage(ordinal, role, content))
    sources = Source.objects.visible_to(actor).filter(id__in=wanted)
    found = {
        id_: CitableSource(
            id_,
            Trust(trust),
            person,
            kind != SourceKind.CURATED and origin == RECALLED,
            tuple(messages[id_]),
        )
        for id_, trust, person, kind, origin in sources.values_list(
            "id", "trust", "data_subject_id", "kind", "origin_type"
        )
    }
    if len(found) < len(wanted):
        raise NotFound
    return found


@dataclass(frozen=True, slots=True)
class SourceOrigin:
    """Where a source says that it comes from."""

    type: str
    ref: str | None
    id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """A cited source, whole, with the words that are quoted from it."""

    source_id: UUID
    relation: Relation
    kind: str
    content: str
    quote: str
    content_hash: bytes
    origin: SourceOrigin
    trust: Trust
    occurred_at: datetime | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class RecordEvidence:
    """A record in any state, and every source that it cites, in the order of the citations."""

    record: RecordDetail
    rows: tuple[EvidenceRow, ...]
    standing: Standing

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.rows)

    @property
    def supporting(self) -> list[EvidenceRow]:
        """What speaks for it."""
        return self._related(Relation.SUPPORTS)

    @property
    def contradicting(self) -> list[EvidenceRow]:
        """What speaks against it."""
        return self._related(Relation.CONTRADICTS)

    @property
    def qualifying(self) -> list[EvidenceRow]:
        """What narrows it."""
        return self._related(Relation.QUALIFIES)

    def _related(self, relation: Relation) -> list[EvidenceRow]:
        return [row for row in self.rows if row.relation is relation]


@audited_read(Operation.RECORD_EVIDENCE)
def get_evidence(*, actor: Actor, record_id: UUID) -> RecordEvidence:
    """A record and its evidence, or NotFound. Two statements; memory_citation_record_idx."""
    policies.can_read(actor).require()
    record = get_detail(actor, record_id)
    cited = (
        Citation.objects.visible_to(actor)
        .filter(record_id=record_id)
        .select_related("source")
        .annotate(content=F("source__message__content"), at=F("source__message__ordinal"))
        .filter(at=F("ordinal"))
        .in_order(is_newest_first=False)
    )
    until = record.valid.until
    is_expired = until is not None and until <= current_scope().opened_at
    return RecordEvidence(
        record,
        tuple(_evidence_row(citation) for citation in cited),
        Standing(record.status, record.is_disputed, is_expired),
    )


def _evidence_row(citation: Citation) -> EvidenceRow:
    source = citation.source
    return EvidenceRow(
        source_id=source.id,
        relation=Relation(citation.relation),
        kind=source.kind,
        content=citation.content,  # type: ignore[attr-defined]
        quote=citation.quote,
        content_hash=bytes(source.content_hash),
        origin=SourceOrigin(source.origin_type, source.origin_ref, source.origin_id),
        trust=Trust(source.trust),
        occurred_at=source.occurred_at,
        recorded_at=source.recorded_at,
    )
