"""What a record rests on: its citations, with the quoted bytes and what stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db.models import OuterRef, Subquery

from memory import policies
from memory.models import Citation, Message
from memory.paging import Page
from memory.queries.records import RecordDetail, get_detail
from memory.transactions import audited_read
from memory.vocabulary import Operation, Trust

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.paging import Seek

CONTEXT_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One cited span, its source, and at most `CONTEXT_BYTES` of the message around it."""

    id: UUID
    recorded_at: datetime
    source_id: UUID
    ordinal: int
    log_offset: int
    relation: str
    role: str
    source_kind: str
    origin_type: str
    origin_ref: str | None
    source_trust: Trust
    authored_by: UUID
    authored_by_kind: str
    occurred_at: datetime | None
    quote: str
    byte_start: int
    byte_end: int
    context: str
    context_byte_start: int
    context_byte_end: int
    is_context_complete: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record, and one page of what it rests on, oldest citation first."""

    record: RecordDetail
    citations: Page[CitationRow]

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return self.citations.magnitude


@audited_read(Operation.CITATION_RESOLVE)
def resolve_citations(*, actor: Actor, record_id: UUID, after: Seek | None, limit: int) -> Evidence:
    """A record and a page of its evidence. Two statements; memory_citation_record_idx."""
    policies.can_read(actor).require()
    record = get_detail(actor, record_id)
    return Evidence(record, list_citations(actor, record_id, after=after, limit=limit))


def list_citations(
    actor: Actor, record_id: UUID, *, after: Seek | None = None, limit: int
) -> Page[CitationRow]:
    """One page of a record's citations, oldest first; not audited by itself. One statement."""
    message = Message.objects.filter(
        project_id=OuterRef("project_id"),
        source_id=OuterRef("source_id"),
        ordinal=OuterRef("ordinal"),
    )
    cited = (
        Citation.objects.visible_to(actor)
        .filter(record_id=record_id)
        .select_related("source")
        .annotate(
            role=Subquery(message.values("role")), content=Subquery(message.values("content"))
        )
        .in_order(is_newest_first=False)
        .beyond(after, is_newest_first=False)
    )
    return Page.cut([_citation_row(citation) for citation in cited[: limit + 1]], limit)


def _citation_row(citation: Citation) -> CitationRow:
    source = citation.source
    content: bytes = citation.content.encode()  # type: ignore[attr-defined]
    if content[citation.byte_start : citation.byte_end] != citation.quote.encode():
        raise RuntimeError("a quote differs from the bytes it cites")
    start, end = context_span(content, citation.byte_start, citation.byte_end)
    return CitationRow(
        id=citation.id,
        recorded_at=citation.recorded_at,
        source_id=source.id,
        ordinal=citation.ordinal,
        log_offset=source.log_offset,
        relation=citation.relation,
        role=citation.role,  # type: ignore[attr-defined]
        source_kind=source.kind,
        origin_type=source.origin_type,
        origin_ref=source.origin_ref,
        source_trust=Trust(source.trust),
        authored_by=source.recorded_by_id,
        authored_by_kind=source.recorded_by_kind,
        occurred_at=source.occurred_at,
        quote=citation.quote,
        byte_start=citation.byte_start,
        byte_end=citation.byte_end,
        context=content[start:end].decode(),
        context_byte_start=start,
        context_byte_end=end,
        is_context_complete=(start, end) == (0, len(content)),
    )


def context_span(content: bytes, start: int, end: int) -> tuple[int, int]:
    """Byte offsets of at most `CONTEXT_BYTES` around `start:end`, cut between code points.

    The whole message where it fits; the quote alone where it is longer than that.
    """
    if len(content) <= CONTEXT_BYTES:
        return 0, len(content)
    spare = max(0, CONTEXT_BYTES - (end - start))
    first = max(0, min(start - spare // 2, len(content) - CONTEXT_BYTES, start))
    last = max(end, min(len(content), first + CONTEXT_BYTES))
    while first < start and _is_inside_character(content, first):
        first += 1
    while last > end and last < len(content) and _is_inside_character(content, last):
        last -= 1
    return first, last


def _is_inside_character(content: bytes, offset: int) -> bool:
    return content[offset] & 0b1100_0000 == 0b1000_0000
