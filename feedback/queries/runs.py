"""Reads of context runs: lists, and one run with its items as delivered and as they stand now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import IntegerField, OuterRef, Q, Subquery, TextField, Value
from django.db.models.lookups import IsNull

from feedback.models import ContextItem, ContextRun, Outcome
from feedback.ranking import Components
from feedback.vocabulary import OutcomeKind
from memory import policies
from memory.errors import NotFound
from memory.models import Subject
from memory.paging import Page, Seek
from memory.queries.claims import Standing
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation, RecordStatus, Relation, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """What a list of runs is narrowed to; all given conditions hold together.

    `kinds`: runs that got an outcome of one of these. `since` is inclusive, `until` is not.
    """

    data_subject: str | None = None
    kinds: frozenset[OutcomeKind] = frozenset()
    actor_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A compile: who, when, for whom, within what budget, and the outcomes that came back."""

    id: UUID
    task_digest: bytes
    data_subject: str | None
    is_shared_included: bool
    as_of: datetime
    policy: str
    max_tokens: int
    used_tokens: int
    selected_items: int
    omitted_items: int
    deduplicated_items: int
    unconsolidated_observations: int
    is_budget_exhausted: bool
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    request_id: str
    outcomes: Mapping[OutcomeKind, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItem:
    """A record in a pack: rank, version and score as delivered, everything else as it is now."""

    rank: int
    record_id: UUID
    record_version: UUID
    score: float
    components: Components
    subject: str
    predicate: str
    object: str
    statement: str
    kind: str
    confidence: float
    trust: Trust
    observer_name: str | None
    standing: Standing
    valid_from: datetime
    valid_until: datetime | None
    current_version: UUID
    replaced_by: UUID | None
    evidence_ids: tuple[UUID, ...]
    contradicting_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class RunDetail:
    """One run, with the items whose records were not erased since, by rank."""

    run: RunRow
    items: tuple[RunItem, ...]
    magnitude: int = 1


class _Counted(Subquery):
    """How many rows of a subquery of outcomes are of each kind, in the order of `OutcomeKind`."""

    output_field = ArrayField(IntegerField())

    template = "(SELECT ARRAY[{}] FROM (%(subquery)s) AS outcome)".format(  # noqa: S608 - our words
        ", ".join(f"count(*) FILTER (WHERE kind = '{kind.value}')" for kind in OutcomeKind)
    )


# Not a join: the planner would sort all candidate rows behind it, before it cuts the page.
_NAME: Final = Subquery(
    Subject.objects.filter(
        project_id=OuterRef("project_id"), id=OuterRef("data_subject_id")
    ).values("name")
)
_COLUMNS: Final = (
    "is_shared_included",
    "as_of",
    "policy",
    "max_tokens",
    "used_tokens",
    "selected_items",
    "omitted_items",
    "deduplicated_items",
    "unconsolidated_observations",
    "is_budget_exhausted",
    "recorded_by_id",
    "recorded_by_kind",
    "recorded_via",
    "recorded_at",
    "request_id",
)


def _columns(counted: int | None, person: str | None = None) -> tuple[Any, ...]:
    """What a row is made of; `person` is the name of the data subject, where all rows have one."""
    outcomes = Outcome.objects.filter(project_id=OuterRef("project_id"), run_id=OuterRef("id"))
    if counted is not None:
        outcomes = outcomes.in_order(is_newest_first=True)[: counted + 1]
    name = _NAME if person is None else Value(person, TextField())
    return ("id", "task_digest", name, *_COLUMNS, _Counted(outcomes.values("kind")))


@audited_read(Operation.CONTEXT_LIST)
def list_runs(*, actor: Actor, narrow: RunFilter, after: Seek | None, limit: int) -> Page[RunRow]:
    """One page of runs, newest first.

    One statement, which reads at most `SCANNED_ROWS` rows where a condition is answered by no
    index. Indexes: feedback_contextrun_{all,person,actor}_idx; outcomes by
    feedback_outcome_pack_idx.
    """
    policies.can_read(actor).require()
    return page_of_runs(actor, narrow=narrow, after=after, limit=limit)


def page_of_runs(
    actor: Actor,
    *,
    narrow: RunFilter,
    after: Seek | None = None,
    limit: int,
    counted: int | None = None,
) -> Page[RunRow]:
    """The same inside another audited read.

    Counts all outcomes of a run, or no more than the newest `counted` and one.
    """
    rows = ContextRun.objects.visible_to(actor).filter(_period(narrow))
    rest = Q()
    if narrow.data_subject is not None:
        person = current_scope().digests.subject_id(narrow.data_subject)
        rows = rows.filter(data_subject_id=person)
        if narrow.actor_id is not None:
            rest &= Q(recorded_by_id=narrow.actor_id)
    elif narrow.actor_id is not None:
        rows = rows.filter(recorded_by_id=narrow.actor_id)
    if narrow.kinds:
        graded = Outcome.objects.filter(
            project_id=OuterRef("project_id"), run_id=OuterRef("id"), kind__in=narrow.kinds
        )
        # A value, not EXISTS: the planner might answer that for all runs, by reading all outcomes.
        rest &= Q(IsNull(Subquery(graded.order_by().values("kind")[:1]), rhs=False))
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    found = rows.read_page(*_columns(counted, narrow.data_subject), limit=limit, rest=rest)
    return Page.cut([_run_row(values) for values in found.rows], limit, bound=found.bound)


def _period(narrow: RunFilter) -> Q:
    period = Q()
    if narrow.since is not None:
        period &= Q(recorded_at__gte=narrow.since)
    if narrow.until is not None:
        period &= Q(recorded_at__lt=narrow.until)
    return period


def _run_row(values: tuple[Any, ...]) -> RunRow:
    return RunRow(
        id=values[0],
        task_digest=bytes(values[1]),
        data_subject=values[2],
        is_shared_included=values[3],
        as_of=values[4],
        policy=values[5],
        max_tokens=values[6],
        used_tokens=values[7],
        selected_items=values[8],
        omitted_items=values[9],
        deduplicated_items=values[10],
        unconsolidated_observations=values[11],
        is_budget_exhausted=values[12],
        recorded_by=values[13],
        recorded_by_kind=values[14],
        recorded_via=values[15],
        recorded_at=values[16],
        request_id=values[17],
        outcomes=dict(zip(OutcomeKind, values[18], strict=True)),
    )


@audited_read(Operation.CONTEXT_GET)
def get_run(*, actor: Actor, run_id: UUID) -> RunDetail:
    """One run with its items, or NotFound. Two statements."""
    policies.can_read(actor).require()
    return get_run_for(actor, run_id)


def get_run_for(
    actor: Actor,
    run_id: UUID,
    *,
    after_rank: int = 0,
    limit: int | None = None,
    counted: int | None = None,
) -> RunDetail:
    """The same inside another audited read; all items, or some from behind a rank on.

    Outcomes are counted as in `page_of_runs`.
    """
    runs = ContextRun.objects.visible_to(actor).filter(id=run_id)
    found = runs.values_list(*_columns(counted)).first()
    if found is None:
        raise NotFound
    return RunDetail(_run_row(found), _list_items(actor, run_id, after_rank, limit))


@dataclass(frozen=True, slots=True)
class OldRuns:
    """How many runs, with how many items, were compiled before a time."""

    before: datetime
    runs: int
    items: int

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return self.runs


@audited_read(Operation.CONTEXT_LIST)
def count_old_runs(*, actor: Actor, days: int) -> OldRuns:
    """The runs that are older than so many days by the database's clock. Two statements."""
    policies.can_read(actor).require()
    before = current_scope().opened_at - timedelta(days=days)
    runs = ContextRun.objects.visible_to(actor).filter(recorded_at__lt=before).order_by()
    items = ContextItem.objects.visible_to(actor).filter(run__recorded_at__lt=before).order_by()
    return OldRuns(before, runs.count(), items.count())


def has_run(project_id: UUID, run_id: UUID) -> bool:
    """Whether a project has this run. One statement."""
    return ContextRun.objects.filter(project_id=project_id, id=run_id).exists()


_ITEMS: Final = """
SELECT i.rank, i.record_id, i.record_version, i.score, i.relevance, i.trust, i.recency, i.utility,
  i.conflict, i.confidence, r.subject, r.predicate, r.object, r.statement, r.kind, r.confidence,
  r.trust, r.is_disputed, r.observer_name, r.status, r.valid_from, r.valid_until, r.version,
  r.replaced_by, (
    SELECT json_agg(json_build_array(c.source_id, c.relation) ORDER BY c.recorded_at, c.id)
    FROM memory_citation c WHERE c.project_id = i.project_id AND c.record_id = i.record_id)
FROM feedback_contextitem i
JOIN memory_record r ON r.project_id = i.project_id AND r.id = i.record_id
WHERE i.project_id = %s AND i.run_id = %s AND i.rank > %s
ORDER BY i.rank LIMIT %s
"""


def _list_items(
    actor: Actor, run_id: UUID, after_rank: int, limit: int | None
) -> tuple[RunItem, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, [actor.project_id, run_id, after_rank, limit])
        return tuple(_run_item(row) for row in cursor)


def _run_item(row: tuple[Any, ...]) -> RunItem:
    cited = [(UUID(source), Relation(relation)) for source, relation in row[24] or ()]
    return RunItem(
        rank=row[0],
        record_id=row[1],
        record_version=row[2],
        score=row[3],
        components=Components(
            relevance=row[4],
            trust=row[5],
            recency=row[6],
            utility=row[7],
            conflict=row[8],
            confidence=row[9],
        ),
        subject=row[10],
        predicate=row[11],
        object=row[12],
        statement=row[13],
        kind=row[14],
        confidence=row[15],
        trust=Trust(row[16]),
        observer_name=row[18],
        standing=Standing(
            RecordStatus(row[19]),
            is_disputed=row[17],
            is_expired=row[21] is not None and row[21] <= current_scope().opened_at,
        ),
        valid_from=row[20],
        valid_until=row[21],
        current_version=row[22],
        replaced_by=row[23],
        evidence_ids=tuple(dict.fromkeys(source for source, _ in cited)),
        contradicting_ids=tuple(s for s, relation in cited if relation is Relation.CONTRADICTS),
    )


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One pack that held a record: when, at which rank and version, with what score."""

    id: UUID
    run_id: UUID
    rank: int
    record_version: UUID
    score: float
    recorded_at: datetime
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str


def page_of_deliveries(
    actor: Actor, record_id: UUID, *, after: Seek | None = None, limit: int
) -> Page[DeliveryRow]:
    """The packs that held a record, newest first; not audited by itself.

    One statement; feedback_contextitem_packs_idx.
    """
    rows = (
        ContextItem.objects.visible_to(actor)
        .filter(record_id=record_id)
        .in_order(is_newest_first=True)
        .beyond(after, is_newest_first=True)
        .values_list(
            "id",
            "run_id",
            "rank",
            "record_version",
            "score",
            "recorded_at",
            "run__recorded_by_id",
            "run__recorded_by_kind",
            "run__recorded_via",
        )
    )
    return Page.cut([DeliveryRow(*values) for values in rows[: limit + 1]], limit)
