"""Hits as they are sent (`protocols.md` 1.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from feedback.rcp.capabilities import MODALITY, UNIT
from memory.http.fields import plain_number, time_text
from memory.vocabulary import RecordStatus, Relation, Trust

if TYPE_CHECKING:
    from feedback.queries.retrieve import HitCitation, HitRow

_COMPONENTS: Final = ("relevance", "trust", "recency", "utility", "conflict", "confidence")
_LEVELS: Final = {
    Trust.UNTRUSTED: "untrusted",
    Trust.ASSERTED: "community",
    Trust.VERIFIED: "community",
    Trust.POLICY_APPROVED: "trusted",
}
_ADDRESSES: Final = ("http://", "https://")


def hit_of(row: HitRow, *, include_text: bool) -> dict[str, Any]:
    """One hit. Its id names the exact text that was judged."""
    record = row.record
    hit: dict[str, Any] = {
        "id": f"{record.id}@{record.version}",
        "score": plain_number(row.score),
        "scores": {name: plain_number(getattr(row.components, name)) for name in _COMPONENTS},
    }
    if include_text:
        hit["text"] = record.statement
    hit |= {"unit": UNIT, "modality": MODALITY, "meta": _meta(row)}
    supporting = (cited for cited in row.citations if cited.relation is Relation.SUPPORTS)
    first = next(supporting, None)
    if first is not None:
        hit["citation"] = _citation(first)
    hit["provenance"] = {
        "path": [record.subject, record.predicate, record.object],
        "leaves": list(dict.fromkeys(str(cited.source_id) for cited in row.citations)),
    }
    hit["trust"] = {
        "level": "untrusted" if record.is_disputed else _LEVELS[record.trust],
        "score": plain_number(row.components.trust),
    }
    return hit


def _meta(row: HitRow) -> dict[str, Any]:
    record = row.record
    meta: dict[str, Any] = {
        "recordId": str(record.id),
        "version": str(record.version),
        "versionNumber": row.version_number,
        "subject": record.subject,
        "predicate": record.predicate,
        "object": record.object,
        "kind": record.kind,
        "status": RecordStatus.CURRENT.value,
        "trust": str(record.trust.label),
        "confidence": plain_number(record.confidence),
        "disputed": record.is_disputed,
        "recordedAt": time_text(row.recorded_at),
        "validFrom": time_text(record.valid_from),
    }
    if record.valid_until is not None:
        meta["validUntil"] = time_text(record.valid_until)
    meta["citations"] = [
        {
            "source": str(cited.source_id),
            "relation": cited.relation.value,
            "quote": cited.quote,
            "start": cited.byte_start,
            "end": cited.byte_end,
        }
        for cited in row.citations
    ]
    return meta


def _citation(cited: HitCitation) -> dict[str, Any]:
    citation: dict[str, Any] = {"source": str(cited.source_id)}
    if cited.origin_ref is not None:
        citation["title"] = cited.origin_ref
        if cited.origin_ref.startswith(_ADDRESSES):
            citation["uri"] = cited.origin_ref
    return {**citation, "start": cited.byte_start, "end": cited.byte_end}
