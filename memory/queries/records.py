"""Reads of records: lists, one record, its history; and the locks that operations take on them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchVector, SearchVectorExact
from django.db import connection
from django.db.models import Count, F, Func, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, JSONObject, Left
from django.db.models.lookups import Exact

from memory import hooks, policies
from memory.errors import NotFound
from memory.models import Citation, Record, RecordVersion, Subject
from memory.models.columns import OctetLength
from memory.paging import Page, Seek
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import SCANNED_ROWS, Operation, RecordKind, RecordStatus, Trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.actor import Actor
    from memory.models.querysets import ProjectQuerySet

PREVIEW_CHARACTERS: Final = 512


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
    open_reports: int
    retraction: Retraction | None
    replacement_object: str | None  # what the record in its place says instead
    magnitude: int = 1

    @property
    def is_current(self) -> bool:
        """Whether the record is believed now."""
        return self.status is RecordStatus.CURRENT


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One state that a record has been in, and what ended it."""

    id: UUID
    number: int
    change: str
    status: RecordStatus
    valid: Interval
    known: Interval
    request_id: str
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    source_id: UUID | None
    ended_at: datetime | None
    ended_by_source_id: UUID | None


@dataclass(frozen=True, slots=True)
class History:
    """A record, as it stands, and one page of the states it has been in, newest first."""

    record: RecordDetail
    versions: Page[VersionRow]

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return self.versions.magnitude


@audited_read(Operation.RECORD_LIST)
def list_records(
    *, actor: Actor, narrow: RecordFilter, after: Seek | None, limit: int
) -> Page[RecordRow]:
    """One page of records, newest first.

    One statement; two where a condition is answered by no index, which then reads at most
    `SCANNED_ROWS` index entries. Indexes: memory_record_all_idx, _status_, _predicate_,
    _pred_stat_, _subject_, _data_subject_.
    """
    policies.can_read(actor).require()
    rows, rest = _indexed(Record.objects.visible_to(actor), narrow)
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    bound = rows.scan_bound(SCANNED_ROWS) if rest else None
    if rest:
        rows = rows.up_to(bound, is_newest_first=True).filter(rest)
    found = [_record_row(values) for values in rows.values_list(*_ROW_COLUMNS)[: limit + 1]]
    return Page.cut(found, limit, bound=bound)


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
    # Not a join: the planner would sort all candidate rows behind it, before it cuts the page.
    Subquery(
        Subject.objects.filter(
            project_id=OuterRef("project_id"), id=OuterRef("data_subject_id")
        ).values("name")
    ),
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
    language = current_scope().search_language
    query = SearchQuery(text, config=language, search_type="plain")
    words = Func(query, function="numnode", output_field=IntegerField())
    vector = SearchVector("statement", config=language)
    return Q(SearchVectorExact(vector, query)) | Q(Exact(words, 0))


@audited_read(Operation.RECORD_GET)
def get_record(*, actor: Actor, record_id: UUID) -> RecordDetail:
    """One record, whole. One statement, and one that counts its open reports."""
    policies.can_read(actor).require()
    return _detail(actor, record_id)


@audited_read(Operation.RECORD_HISTORY)
def get_history(*, actor: Actor, record_id: UUID, after: Seek | None, limit: int) -> History:
    """The states of a record, newest first. Three statements; memory_recordversion_number_uniq."""
    policies.can_read(actor).require()
    record = _detail(actor, record_id)
    return History(record, list_versions(actor, record_id, after=after, limit=limit))


def list_versions(
    actor: Actor, record_id: UUID, *, after: Seek | None = None, limit: int
) -> Page[VersionRow]:
    """One page of a record's states, newest first; not audited by itself. One statement."""
    states = _states(actor, record_id)
    if after is not None:
        seen = RecordVersion.objects.visible_to(actor).filter(record_id=record_id, id=after.id)
        states = states.filter(number__lt=Subquery(seen.values("number")))
    found = states.order_by("-number")[: limit + 1]
    return Page.cut([_version_row(state) for state in found], limit)


def find_version(actor: Actor, record_id: UUID, version: UUID) -> VersionRow | None:
    """One state of a record by its token; for pages that say what somebody saw. One statement."""
    state = _states(actor, record_id).filter(id=version).first()
    return None if state is None else _version_row(state)


def get_version(actor: Actor, record_id: UUID, number: int) -> VersionRow:
    """One state of a record by its number, or NotFound. One statement.

    Index: memory_recordversion_number_uniq.
    """
    state = _states(actor, record_id).filter(number=number).order_by("number").first()
    if state is None:
        raise NotFound
    return _version_row(state)


def _states(actor: Actor, record_id: UUID) -> ProjectQuerySet[Any]:
    following = RecordVersion.objects.filter(
        project_id=OuterRef("project_id"),
        record_id=OuterRef("record_id"),
        number=OuterRef("number") + 1,
    )
    return (
        RecordVersion.objects.visible_to(actor)
        .filter(record_id=record_id)
        .annotate(
            ended_at=Subquery(following.values("recorded_at")),
            ended_by_source_id=Subquery(following.values("source_id")),
        )
    )


def _version_row(state: RecordVersion) -> VersionRow:
    ended_at: datetime | None = state.ended_at  # type: ignore[attr-defined]
    return VersionRow(
        id=state.id,
        number=state.number,
        change=state.change,
        status=RecordStatus(state.status),
        valid=Interval(state.valid_from, state.valid_until),
        known=Interval(state.known_from, state.known_until or ended_at),
        request_id=state.request_id,
        recorded_by=state.recorded_by_id,
        recorded_by_kind=state.recorded_by_kind,
        recorded_via=state.recorded_via,
        recorded_at=state.recorded_at,
        source_id=state.source_id,
        ended_at=ended_at,
        ended_by_source_id=state.ended_by_source_id,  # type: ignore[attr-defined]
    )


def _detail(actor: Actor, record_id: UUID) -> RecordDetail:
    """The record, its closing and the number of its citations in one statement."""
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
            data_subject_name=F("data_subject__name"),
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
        open_reports=hooks.count_open_reports(actor.project_id, record.id),
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


@dataclass(frozen=True, slots=True)
class ClosingRow:
    """The version that closed a record: which operation, by whom, when."""

    record_id: UUID
    version: UUID
    operation_id: UUID
    principal_id: UUID
    closed_at: datetime


def list_closings(actor: Actor, versions: Sequence[UUID]) -> list[ClosingRow]:
    """Closing versions in the order asked for. One statement."""
    found = RecordVersion.objects.visible_to(actor).in_bulk(versions)
    return [
        ClosingRow(
            record_id=found[version].record_id,
            version=version,
            operation_id=UUID(hex=found[version].request_id.removeprefix("req_")),
            principal_id=found[version].recorded_by_id,
            closed_at=found[version].recorded_at,
        )
        for version in versions
    ]


def get_detail(actor: Actor, record_id: UUID) -> RecordDetail:
    """One record, whole, inside an open scope; the caller's screen or list is what is audited."""
    policies.can_read(actor).require()
    return _detail(actor, record_id)


def lock_record(actor: Actor, record_id: UUID) -> Record:
    """The record with its aggregate locked against changes, or NotFound. One statement."""
    return lock_records(actor, [record_id])[0]


def lock_records(actor: Actor, record_ids: Iterable[UUID]) -> list[Record]:
    """Several records, locked by ascending id so that nobody deadlocks, in the order asked for.

    NO KEY UPDATE, so that rows which merely point at a record (a citation, an outcome) do not
    wait for its change. Raises NotFound unless all of them are visible.
    """
    wanted = list(record_ids)
    locked = (
        Record.objects.visible_to(actor)
        .filter(id__in=wanted)
        .order_by("id")
        .select_for_update(of=("self",), no_key=True)
    )
    by_id = {record.id: record for record in locked}
    if len(by_id) < len(set(wanted)):
        raise NotFound
    return [by_id[record_id] for record_id in wanted]


@dataclass(frozen=True, slots=True)
class Target:
    """What a report needs to know of the record it is about."""

    version: UUID
    closed_at: datetime | None


def share_record(actor: Actor, record_id: UUID) -> Target:
    """The record's state, which nobody changes before this transaction ends, or NotFound.

    FOR SHARE waits for a change under way and then sees its result. One statement, in SQL because
    the ORM has no FOR SHARE.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version, known_until FROM memory_record"
            " WHERE project_id = %s AND id = %s FOR SHARE",
            [actor.project_id, record_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return Target(*row)
