"""Reads of records: lists, and one record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchVector, SearchVectorExact
from django.db.models import Count, Func, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, JSONObject, Left
from django.db.models.lookups import Exact

from memory import hooks, policies
from memory.errors import NotFound
from memory.models import Citation, Record, RecordVersion
from memory.models.columns import OctetLength
from memory.paging import Page, Seek
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import (
    PREVIEW_CHARACTERS,
    Operation,
    RecordKind,
    RecordStatus,
    Trust,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.actor import Actor
    from memory.models.querysets import ProjectQuerySet


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """What a list of records is narrowed to; all given conditions hold together."""

    status: RecordStatus | None = None
    predicate: str | None = None
    subject: str | None = None
    data_subject: str | None = None
    kind: RecordKind | None = None
    trust: Trust | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record as a list shows it (`contract.md` 1.3)."""

    id: UUID
    version: UUID
    subject: str
    predicate: str
    object: str
    statement_preview: str
    statement_bytes: int
    kind: str
    confidence: float
    is_disputed: bool
    data_subject: str | None
    source_role: str
    recorded_at: datetime
    known_from: datetime
    trust: Trust
    status: RecordStatus

    @property
    def is_preview_truncated(self) -> bool:
        """Whether the statement goes on."""
        return len(self.statement_preview.encode()) < self.statement_bytes


@dataclass(frozen=True, slots=True)
class Interval:
    """From inclusive, until exclusive; `until` is None while open."""

    start: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Retraction:
    """What closed a record: a retraction, or a correction that put another in its place."""

    operation_id: UUID
    principal_id: UUID
    principal_kind: str
    retracted_at: datetime
    replacement_record_id: UUID | None
    replacement_source_id: UUID | None
    principal_via: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDetail:
    """One record, whole (`contract.md` 1.4)."""

    id: UUID
    version: UUID
    version_number: int
    scope: str
    subject: str
    predicate: str
    object: str
    statement: str
    kind: str
    confidence: float
    trust: Trust
    is_disputed: bool
    is_single_valued: bool
    data_subject: str | None
    source_role: str
    status: RecordStatus
    valid: Interval
    known: Interval
    replaces: UUID | None
    replaced_by: UUID | None
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    citations: int
    open_reports: int | None  # None where nobody asked: counting is a statement of its own
    retraction: Retraction | None
    replacement_object: str | None  # what the record in its place says instead
    magnitude: int = 1

    @property
    def is_current(self) -> bool:
        """Whether the record is believed now."""
        return self.status is RecordStatus.CURRENT


@audited_read(Operation.RECORD_LIST)
def list_records(
    *, actor: Actor, narrow: RecordFilter, after: Seek | None, limit: int
) -> Page[RecordRow]:
    """One page of records, newest first.

    One statement, which reads at most `SCANNED_ROWS` rows where a condition is answered by no
    index. Indexes: memory_record_all_idx, _status_, _predicate_,
    _pred_stat_, _subject_, _data_subject_.
    """
    policies.can_read(actor).require()
    rows, rest = _indexed(Record.objects.visible_to(actor), narrow)
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    found = rows.read_page(*_ROW_COLUMNS, limit=limit, rest=rest)
    return Page.cut([_record_row(values) for values in found.rows], limit, bound=found.bound)


_ROW_COLUMNS: Final = (
    "id",
    "version",
    "subject",
    "predicate",
    "object",
    Left("statement", PREVIEW_CHARACTERS),
    OctetLength("statement"),
    "kind",
    "confidence",
    "is_disputed",
    "data_subject_name",
    "source_role",
    "recorded_at",
    "known_from",
    "trust",
    "status",
)


def _record_row(values: tuple[Any, ...]) -> RecordRow:
    row = (*values[:-2], Trust(values[-2]), RecordStatus(values[-1]))
    return RecordRow(*row)


def _indexed(
    rows: ProjectQuerySet[Record], narrow: RecordFilter
) -> tuple[ProjectQuerySet[Record], Q]:
    """Split a filter into what one index answers and what is left to look at row by row."""
    digests = current_scope().digests
    conditions = {
        "subject": narrow.subject,
        "data_subject_id": narrow.data_subject and digests.subject_id(narrow.data_subject),
        "predicate": narrow.predicate,
        "status": narrow.status,
        "kind": narrow.kind,
        "trust": narrow.trust,
    }
    wanted = {name: value for name, value in conditions.items() if value is not None}
    first = next(
        (name for name in ("subject", "data_subject_id", "predicate") if name in wanted), ""
    )
    answered = {"predicate", "status"} if first == "predicate" else {first or "status"}
    for name in answered & wanted.keys():
        rows = rows.filter(Q((name, wanted.pop(name))))
    rest = Q(*wanted.items())
    if narrow.text is not None:
        rest &= _has_words(narrow.text)
    return rows, rest


def _has_words(text: str) -> Q:
    """Every word of a text occurs in the statement, in the project's search language.

    A text of stop words alone asks for nothing, so every statement has its words.
    """
    configuration = current_scope().search_configuration
    query = SearchQuery(text, config=configuration, search_type="plain")
    words = Func(query, function="numnode", output_field=IntegerField())
    vector = SearchVector("statement", config=configuration)
    return Q(SearchVectorExact(vector, query)) | Q(Exact(words, 0))


@audited_read(Operation.RECORD_GET)
def get_record(*, actor: Actor, record_id: UUID) -> RecordDetail:
    """One record, whole. One statement, and one that counts its open reports."""
    return get_detail(actor, record_id, is_counting_reports=True)


def get_detail(actor: Actor, record_id: UUID, *, is_counting_reports: bool = False) -> RecordDetail:
    """One record, whole, inside an open scope; the caller's screen or list is what is audited.

    One statement, closing and number of citations included; another one counts the reports.
    """
    policies.can_read(actor).require()
    reports = hooks.count_open_reports(actor.project_id, record_id) if is_counting_reports else None
    closing = RecordVersion.objects.filter(
        project_id=OuterRef("project_id"), id=OuterRef("version")
    ).values(
        found=JSONObject(
            request_id="request_id",
            by="recorded_by_id",
            by_kind="recorded_by_kind",
            via="recorded_via",
            source="source_id",
        )
    )
    cited = (
        Citation.objects.filter(project_id=OuterRef("project_id"), record_id=OuterRef("id"))
        .order_by()
        .values("record_id")
        .annotate(number=Count("*"))
        .values("number")
    )
    successor = Record.objects.filter(
        project_id=OuterRef("project_id"), id=OuterRef("replaced_by")
    ).values("object")
    record = (
        Record.objects.visible_to(actor)
        .filter(id=record_id)
        .annotate(
            closing=Subquery(closing),
            replacement_object=Subquery(successor),
            cited=Coalesce(Subquery(cited), 0),
        )
        .first()
    )
    if record is None:
        raise NotFound
    return RecordDetail(
        id=record.id,
        version=record.version,
        version_number=record.version_number,
        scope=current_scope().name,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        statement=record.statement,
        kind=record.kind,
        confidence=record.confidence,
        trust=Trust(record.trust),
        is_disputed=record.is_disputed,
        is_single_valued=record.is_single_valued,
        data_subject=record.data_subject_name,
        source_role=record.source_role,
        status=RecordStatus(record.status),
        valid=Interval(record.valid_from, record.valid_until),
        known=Interval(record.known_from, record.known_until),
        replaces=record.replaces,
        replaced_by=record.replaced_by,
        recorded_by=record.recorded_by_id,
        recorded_by_kind=record.recorded_by_kind,
        recorded_via=record.recorded_via,
        recorded_at=record.recorded_at,
        citations=record.cited,
        open_reports=reports,
        retraction=_retraction(record),
        replacement_object=record.replacement_object,
    )


def _retraction(record: Record) -> Retraction | None:
    if record.known_until is None:
        return None
    closing = record.closing  # type: ignore[attr-defined]
    source = closing["source"]
    return Retraction(
        operation_id=UUID(hex=closing["request_id"].removeprefix("req_")),
        principal_id=UUID(closing["by"]),
        principal_kind=closing["by_kind"],
        retracted_at=record.known_until,
        replacement_record_id=record.replaced_by,
        replacement_source_id=source and UUID(source),
        principal_via=closing["via"],
    )


@dataclass(frozen=True, slots=True)
class OriginRow:
    """A record that an origin names, as it is now, and the source it came with."""

    id: UUID
    version: UUID
    source_id: UUID
    status: RecordStatus


def find_by_origin(actor: Actor, digests: Sequence[bytes]) -> dict[bytes, OriginRow]:
    """Records by the digest of their origin, in any state. At most one statement."""
    if not digests:
        return {}
    first = RecordVersion.objects.filter(
        project_id=OuterRef("project_id"), record_id=OuterRef("id"), number=1
    )
    rows = (
        Record.objects.visible_to(actor)
        .filter(origin_digest__in=digests)
        .annotate(source=Subquery(first.values("source_id")))
        .values_list("origin_digest", "id", "version", "source", "status")
    )
    return {
        bytes(digest or b""): OriginRow(id_, version, source, RecordStatus(status))
        for digest, id_, version, source, status in rows
    }


def find_statuses(actor: Actor, record_ids: Sequence[UUID]) -> dict[UUID, RecordStatus]:
    """Where records stand now, by id; erased ones are absent. At most one statement."""
    if not record_ids:
        return {}
    rows = Record.objects.visible_to(actor).filter(id__in=record_ids)
    return {id_: RecordStatus(status) for id_, status in rows.values_list("id", "status")}
