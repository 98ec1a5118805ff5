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
from memory.queries.records import RecordDetail, get_detail
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """A cited source, whole, with the words that are quoted from it."""

    source_id: UUID
    relation: Relation
    kind: str
    content: str
    quote: str
    content_hash: bytes
    origin_type: str
    origin_ref: str | None
    origin_id: str | None
    trust: Trust
    occurred_at: datetime | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class RecordEvidence:
    """A record in any state, and every source that it cites, in the order of the citations."""

    record: RecordDetail
    rows: tuple[EvidenceRow, ...]

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.rows)

    def related(self, relation: Relation) -> list[EvidenceRow]:
        """The sources that bear on the record in one way."""
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
    return RecordEvidence(record, tuple(_evidence_row(citation) for citation in cited))


def _evidence_row(citation: Citation) -> EvidenceRow:
    source = citation.source
    return EvidenceRow(
        source_id=source.id,
        relation=Relation(citation.relation),
        kind=source.kind,
        content=citation.content,  # type: ignore[attr-defined]
        quote=citation.quote,
        content_hash=bytes(source.content_hash),
        origin_type=source.origin_type,
        origin_ref=source.origin_ref,
        origin_id=source.origin_id,
        trust=Trust(source.trust),
        occurred_at=source.occurred_at,
        recorded_at=source.recorded_at,
    )
