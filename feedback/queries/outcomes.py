"""Reads of outcomes: how they count for a record, lists, and sums."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Count, OuterRef, Q, Subquery

from feedback.models import Outcome
from feedback.ranking import utility_of
from feedback.vocabulary import POSITIVE_OUTCOMES, OutcomeKind
from memory import policies
from memory.errors import NotFound
from memory.paging import Page, Seek
from memory.queries.records import find_statuses
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import SCANNED_ROWS, Operation, UtilityScope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class Votes:
    """The outcomes about one record that count by the project's settings."""

    positive: int
    negative: int
    actors: int

    @property
    def total(self) -> int:
        """How many count."""
        return self.positive + self.negative

    @property
    def utility(self) -> float:
        """What they make of the record's score, in [0, 1]."""
        return utility_of(
            self.positive,
            self.negative,
            self.actors,
            minimum_actors=current_scope().utility.minimum_actors,
        )


NO_VOTES: Final = Votes(0, 0, 0)

# With one vote a run, the latest row of an actor about a record in a run stands for all of theirs.
_VOTES: Final = """
SELECT record_id,
  count(*) FILTER (WHERE kind = ANY (%(positive)s::text[])),
  count(*) FILTER (WHERE kind <> ALL (%(positive)s::text[])),
  count(DISTINCT (recorded_by_kind, recorded_by_id))
FROM (
  SELECT *, row_number() OVER (
    PARTITION BY record_id, run_id, recorded_by_kind, recorded_by_id
    ORDER BY recorded_at DESC, id DESC) AS age
  FROM feedback_outcome
  WHERE project_id = %(project)s AND record_id = ANY (%(records)s::uuid[])
    AND (%(lexemes)s::bytea IS NULL OR lexemes_digest = %(lexemes)s::bytea)
) AS vote
WHERE age = 1 OR NOT %(one_vote_per_run)s
GROUP BY record_id
"""


def count_votes(
    actor: Actor, record_ids: Sequence[UUID], *, lexemes_digest: bytes | None = None
) -> dict[UUID, Votes]:
    """The outcomes that count, by record; those without any are absent. At most one statement.

    Read from the rows each time, never kept. `lexemes_digest` is that of a task: where the
    project's `utility_scope` is `task`, only outcomes of equal tasks count for it. Index:
    feedback_outcome_record_idx.
    """
    if not record_ids:
        return {}
    rules = current_scope().utility
    with connection.cursor() as cursor:
        cursor.execute(
            _VOTES,
            {
                "positive": sorted(kind.value for kind in POSITIVE_OUTCOMES),
                "project": actor.project_id,
                "records": list(record_ids),
                "lexemes": lexemes_digest if rules.scope is UtilityScope.TASK else None,
                "one_vote_per_run": rules.one_vote_per_run,
            },
        )
        return {record_id: Votes(*counts) for record_id, *counts in cursor}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeFilter:
    """What a list of outcomes is narrowed to; all given conditions hold together."""

    run_id: UUID | None = None
    record_id: UUID | None = None
    kind: OutcomeKind | None = None
    actor_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """An outcome, and whether it counts for the record that it names."""

    id: UUID
    run_id: UUID
    record_id: UUID | None
    kind: OutcomeKind
    reason_code: str | None
    is_counted: bool
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime


@audited_read(Operation.OUTCOME_LIST)
def list_outcomes(
    *, actor: Actor, narrow: OutcomeFilter, after: Seek | None, limit: int
) -> Page[OutcomeRow]:
    """One page of outcomes, newest first.

    One statement; two where a second condition is answered by no index, which then reads at most
    `SCANNED_ROWS` index entries. Indexes: feedback_outcome_{all,record,run,actor,kind}_idx.
    """
    policies.can_read(actor).require()
    return page_of_outcomes(actor, narrow=narrow, after=after, limit=limit)


def page_of_outcomes(
    actor: Actor, *, narrow: OutcomeFilter, after: Seek | None = None, limit: int
) -> Page[OutcomeRow]:
    """The same inside another audited read."""
    conditions = {
        "record_id": narrow.record_id,
        "run_id": narrow.run_id,
        "recorded_by_id": narrow.actor_id,
        "kind": narrow.kind,
    }
    wanted = [Q((name, value)) for name, value in conditions.items() if value is not None]
    rows = Outcome.objects.visible_to(actor).filter(*wanted[:1])
    rows = rows.in_order(is_newest_first=True).beyond(after, is_newest_first=True)
    bound = rows.scan_bound(SCANNED_ROWS) if wanted[1:] else None
    rows = rows.up_to(bound, is_newest_first=True).filter(*wanted[1:])
    found = rows.values_list(*_COLUMNS, Subquery(_latest_vote()))
    is_one_vote = current_scope().utility.one_vote_per_run
    return Page.cut(
        [_outcome_row(values, is_one_vote=is_one_vote) for values in found[: limit + 1]],
        limit,
        bound=bound,
    )


_COLUMNS: Final = (
    "id",
    "run_id",
    "record_id",
    "kind",
    "reason_code",
    "recorded_by_id",
    "recorded_by_kind",
    "recorded_via",
    "recorded_at",
)


def _latest_vote() -> QuerySet[Outcome, Any]:
    """The last thing that the same actor said of the same record in the same run."""
    same = Outcome.objects.filter(
        project_id=OuterRef("project_id"),
        run_id=OuterRef("run_id"),
        record_id=OuterRef("record_id"),
        recorded_by_kind=OuterRef("recorded_by_kind"),
        recorded_by_id=OuterRef("recorded_by_id"),
    )
    return same.in_order(is_newest_first=True).values("id")[:1]


def _outcome_row(values: tuple[Any, ...], *, is_one_vote: bool) -> OutcomeRow:
    id_, run_id, record_id, kind, reason, by, by_kind, via, at, latest = values
    is_counted = record_id is not None and (latest == id_ or not is_one_vote)
    return OutcomeRow(
        id_, run_id, record_id, OutcomeKind(kind), reason, is_counted, by, by_kind, via, at
    )


@dataclass(frozen=True, slots=True)
class OutcomeSummary:
    """All outcomes about one record by kind, those that count, and the utility they make."""

    record_id: UUID
    by_kind: dict[OutcomeKind, int]
    votes: Votes
    minimum_actors: int
    utility: float
    magnitude: int = 1


@audited_read(Operation.OUTCOME_SUMMARY)
def get_outcome_summary(*, actor: Actor, record_id: UUID) -> OutcomeSummary:
    """The outcomes about a record in any state, or NotFound. Three statements.

    Where the project's `utility_scope` is `task` this is the sum over all tasks.
    """
    policies.can_read(actor).require()
    if not find_statuses(actor, [record_id]):
        raise NotFound
    return summarise_outcomes(actor, record_id)


def summarise_outcomes(actor: Actor, record_id: UUID) -> OutcomeSummary:
    """The same for a record that is known to be visible, inside another audited read."""
    votes = count_votes(actor, [record_id]).get(record_id, NO_VOTES)
    named = Outcome.objects.visible_to(actor).filter(record_id=record_id)
    found = dict(named.order_by().values_list("kind").annotate(number=Count("*")))
    return OutcomeSummary(
        record_id=record_id,
        by_kind={kind: found.get(kind.value, 0) for kind in OutcomeKind},
        votes=votes,
        minimum_actors=current_scope().utility.minimum_actors,
        utility=votes.utility,
    )
