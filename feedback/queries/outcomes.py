"""Reads of outcomes: how they count for a record, lists, and sums."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Q, Subquery, UUIDField, Value

from feedback.models import Outcome
from feedback.ranking import utility_of
from feedback.vocabulary import COMPLAINTS, POSITIVE_OUTCOMES, OutcomeKind
from memory import policies
from memory.errors import NotFound
from memory.paging import Page, Seek
from memory.queries.records import find_statuses
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation, UtilityScope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
# Signals count where a project says so, with the session in the place of the run; without one an
# actor has one vote a record.
_VOTES: Final = """
SELECT record_id,
  count(*) FILTER (WHERE kind = ANY (%(positive)s::text[])),
  count(*) FILTER (WHERE kind <> ALL (%(positive)s::text[])),
  count(DISTINCT (recorded_by_kind, recorded_by_id))
FROM (
  SELECT record_id, kind, recorded_by_kind, recorded_by_id, %(one_vote_per_run)s AS is_one_vote,
    row_number() OVER (
      PARTITION BY record_id, run_id, recorded_by_kind, recorded_by_id
      ORDER BY recorded_at DESC, id DESC) AS age
  FROM (
    SELECT * FROM feedback_outcome
    WHERE project_id = %(project)s AND record_id = ANY (%(records)s::uuid[])
      AND (%(lexemes)s::bytea IS NULL OR lexemes_digest = %(lexemes)s::bytea)
    {newest}) AS outcome
  UNION ALL
  SELECT record_id, kind, recorded_by_kind, recorded_by_id,
    session_digest IS NULL OR %(one_vote_per_run)s,
    row_number() OVER (
      PARTITION BY record_id, session_digest, recorded_by_kind, recorded_by_id
      ORDER BY recorded_at DESC, id DESC)
  FROM (
    SELECT *, CASE
      WHEN reward > 0 OR reward IS NULL AND (is_used OR is_cited OR is_helpful) THEN 'useful'
      WHEN reward < 0 OR NOT is_helpful THEN 'irrelevant' END AS kind
    FROM feedback_signal
    WHERE %(are_signals_counted)s AND project_id = %(project)s
      AND record_id = ANY (%(records)s::uuid[])
    {newest}) AS judged
  WHERE kind IS NOT NULL
) AS vote
WHERE age = 1 OR NOT is_one_vote
GROUP BY record_id
"""
VOTES: Final = _VOTES.format(newest="")

#: Outcomes of one run or record that a page of the console counts; from one more on it says "+".
COUNTED_OUTCOMES: Final = 1_000

#: For the outcomes, or signals, of one record or run: no more than the newest are read.
NEWEST: Final = "ORDER BY recorded_at DESC, id DESC LIMIT %(newest)s"
NEWEST_VOTES: Final = _VOTES.format(newest=NEWEST)


def count_votes(
    actor: Actor, record_ids: Sequence[UUID], *, lexemes_digest: bytes | None = None
) -> dict[UUID, Votes]:
    """The outcomes that count, by record; those without any are absent. At most one statement.

    Read from the rows each time, never kept. `lexemes_digest` is that of a task: where the
    project's `utility_scope` is `task`, only outcomes of equal tasks count for it, and no signal,
    since signals name no task. Indexes: feedback_outcome_record_idx, feedback_signal_record_idx.
    """
    if not record_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(VOTES, votes_parameters(actor, record_ids, lexemes_digest))
        return {record_id: Votes(*counts) for record_id, *counts in cursor}


def votes_parameters(
    actor: Actor, record_ids: Sequence[UUID], lexemes_digest: bytes | None = None
) -> dict[str, Any]:
    """What `VOTES` is asked with, as the project's settings count."""
    rules = current_scope().utility
    is_by_task = rules.scope is UtilityScope.TASK
    return {
        "positive": sorted(kind.value for kind in POSITIVE_OUTCOMES),
        "project": actor.project_id,
        "records": list(record_ids),
        "lexemes": lexemes_digest if is_by_task else None,
        "one_vote_per_run": rules.one_vote_per_run,
        "are_signals_counted": rules.are_signals_counted and not is_by_task,
    }


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

    One statement, which reads at most `SCANNED_ROWS` rows where a second condition is answered by
    no index. Indexes: feedback_outcome_{all,record,pack,actor,kind}_idx.
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
    is_one_vote = current_scope().utility.one_vote_per_run
    found = rows.read_page(
        *_COLUMNS, _latest_vote(is_asked=is_one_vote), limit=limit, rest=Q(*wanted[1:])
    )
    return Page.cut(
        [_outcome_row(values, is_one_vote=is_one_vote) for values in found.rows],
        limit,
        bound=found.bound,
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


def _latest_vote(*, is_asked: bool) -> Subquery | Value:
    """The last thing that the same actor said of the same record in the same run.

    feedback_outcome_vote_idx. NULL where it is not asked for, since each row costs a look-up.
    """
    if not is_asked:
        return Value(None, UUIDField())
    same = Outcome.objects.filter(
        project_id=OuterRef("project_id"),
        run_id=OuterRef("run_id"),
        record_id=OuterRef("record_id"),
        recorded_by_kind=OuterRef("recorded_by_kind"),
        recorded_by_id=OuterRef("recorded_by_id"),
        record__isnull=False,  # as the index has it
    )
    return Subquery(same.in_order(is_newest_first=True).values("id")[:1])


def _outcome_row(values: tuple[Any, ...], *, is_one_vote: bool) -> OutcomeRow:
    id_, run_id, record_id, kind, reason, by, by_kind, via, at, latest = values
    is_counted = record_id is not None and (latest == id_ or not is_one_vote)
    return OutcomeRow(
        id_, run_id, record_id, OutcomeKind(kind), reason, is_counted, by, by_kind, via, at
    )


@dataclass(frozen=True, slots=True)
class KindCount:
    """The outcomes of one kind about a record: all, those that count, and by how many actors."""

    number: int
    counted: int
    actors: int


@dataclass(frozen=True, slots=True)
class Complaints:
    """The `incorrect` and `harmful` outcomes that count: from how many actors, since when."""

    actors: int
    since: datetime | None


@dataclass(frozen=True, slots=True)
class OutcomeTally:
    """The outcomes about one record by kind and sender, and the utility that they make.

    `is_cut`: there are more than were counted, so that all of it is about the newest alone.
    """

    kinds: dict[OutcomeKind, KindCount]
    votes: Votes
    complaints: Complaints
    minimum_actors: int
    utility: float
    is_cut: bool = False

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(count.number for count in self.kinds.values())


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
    """The outcomes about a record in any state, or NotFound. Two statements, one more for signals.

    Where the project's `utility_scope` is `task` this is the sum over all tasks. Where signals
    count, they are among the votes and in the utility, as a compile reads them.
    """
    policies.can_read(actor).require()
    if not find_statuses(actor, [record_id]):
        raise NotFound
    tally = tally_outcomes(actor, record_id)
    votes = tally.votes
    if current_scope().utility.are_signals_counted:
        votes = count_votes(actor, [record_id]).get(record_id, NO_VOTES)
    return OutcomeSummary(
        record_id=record_id,
        by_kind={kind: count.number for kind, count in tally.kinds.items()},
        votes=votes,
        minimum_actors=tally.minimum_actors,
        utility=votes.utility,
    )


# The row without a kind is about all of them.
TALLY: Final = f"""
WITH vote AS (
  SELECT kind, recorded_at, recorded_by_id AS sender,
    kind = ANY (%(complaints)s::text[]) AS is_complaint,
    NOT %(one_vote_per_run)s OR row_number() OVER (
      PARTITION BY run_id, recorded_by_kind, recorded_by_id
      ORDER BY recorded_at DESC, id DESC) = 1 AS is_counted
  FROM (
    SELECT * FROM feedback_outcome WHERE project_id = %(project)s AND record_id = %(record)s
    {NEWEST}) AS outcome
)
SELECT kind, count(*), count(*) FILTER (WHERE is_counted), count(DISTINCT sender),
  count(DISTINCT sender) FILTER (WHERE is_counted),
  count(DISTINCT sender) FILTER (WHERE is_counted AND is_complaint),
  min(recorded_at) FILTER (WHERE is_counted AND is_complaint)
FROM vote GROUP BY GROUPING SETS ((kind), ())
"""  # noqa: S608 - made of constants


def tally_outcomes(actor: Actor, record_id: UUID, *, newest: int | None = None) -> OutcomeTally:
    """The outcomes about a record that is known to be visible; not audited by itself.

    All of them, or so many. One statement; feedback_outcome_record_idx.
    """
    with connection.cursor() as cursor:
        cursor.execute(TALLY, tally_parameters(actor, record_id, newest))
        return tally_of(cursor.fetchall(), newest)


def tally_parameters(actor: Actor, record_id: UUID, newest: int | None) -> dict[str, Any]:
    """What `TALLY` is asked with, as the project's settings count: one more than `newest`."""
    return {
        "complaints": sorted(kind.value for kind in COMPLAINTS),
        "one_vote_per_run": current_scope().utility.one_vote_per_run,
        "project": actor.project_id,
        "record": record_id,
        "newest": None if newest is None else newest + 1,
    }


def tally_of(rows: Iterable[tuple[Any, ...]], newest: int | None) -> OutcomeTally:
    """The tally that the rows of `TALLY` make."""
    rules = current_scope().utility
    found = {row[0]: row[1:] for row in rows}
    counts = {OutcomeKind(kind): KindCount(*row[:3]) for kind, row in found.items() if kind}
    kinds = {kind: counts.get(kind, KindCount(0, 0, 0)) for kind in OutcomeKind}
    total, *_, actors, complaining, since = found[None]
    positive = sum(kinds[kind].counted for kind in POSITIVE_OUTCOMES)
    votes = Votes(positive, sum(count.counted for count in kinds.values()) - positive, actors)
    complaints = Complaints(complaining, since)
    is_cut = newest is not None and total > newest
    return OutcomeTally(kinds, votes, complaints, rules.minimum_actors, votes.utility, is_cut)


_IN_RUNS: Final = f"""
SELECT run.id, outcome.kind, count(*)
FROM unnest(%(runs)s::uuid[]) AS run (id)
CROSS JOIN LATERAL (
  SELECT kind FROM feedback_outcome
  WHERE project_id = %(project)s AND run_id = run.id AND record_id = %(record)s
  {NEWEST}) AS outcome
GROUP BY run.id, outcome.kind
"""  # noqa: S608 - made of constants


def count_outcomes_in(
    actor: Actor, record_id: UUID, run_ids: Iterable[UUID]
) -> dict[UUID, dict[OutcomeKind, int]]:
    """What was said of a record in each of these runs, by kind. At most one statement.

    Of a run no more than the newest `COUNTED_OUTCOMES` and one. feedback_outcome_pack_idx.
    """
    wanted = list(run_ids)
    counts: dict[UUID, dict[OutcomeKind, int]] = {}
    if wanted:
        asked: dict[str, Any] = {
            "project": actor.project_id,
            "record": record_id,
            "runs": wanted,
            "newest": COUNTED_OUTCOMES + 1,
        }
        with connection.cursor() as cursor:
            cursor.execute(_IN_RUNS, asked)
            for run_id, kind, number in cursor:
                counts.setdefault(run_id, {})[OutcomeKind(kind)] = number
    return counts


@dataclass(frozen=True, slots=True)
class GradeRow:
    """An outcome of a run, and how many of its kind its run has about the same record.

    `is_cut`: the run has more outcomes than were looked at, so there may be more.
    """

    record_id: UUID | None  # None: about the pack as a whole
    kind: OutcomeKind
    reason_code: str | None
    is_counted: bool
    recorded_by: UUID
    recorded_by_kind: str
    recorded_via: str
    recorded_at: datetime
    number: int
    is_cut: bool


_GRADES: Final = f"""
SELECT record_id, kind, reason_code,
  record_id IS NOT NULL AND (latest = 1 OR NOT %(one_vote_per_run)s),
  recorded_by_id, recorded_by_kind, recorded_via, recorded_at, number, looked_at >= %(newest)s
FROM (
  SELECT *,
    row_number() OVER (PARTITION BY record_id, recorded_by_kind, recorded_by_id
      ORDER BY recorded_at DESC, id DESC) AS latest,
    row_number() OVER (PARTITION BY record_id, kind ORDER BY recorded_at DESC, id DESC) AS age,
    count(*) OVER (PARTITION BY record_id, kind) AS number
  FROM (
    SELECT *, count(*) OVER () AS looked_at FROM (
      SELECT * FROM feedback_outcome WHERE project_id = %(project)s AND run_id = %(run)s
      {NEWEST}) AS newest
  ) AS looked
  WHERE record_id IS NULL OR record_id = ANY (%(records)s::uuid[])
) AS outcome
WHERE age <= %(each)s ORDER BY recorded_at DESC, id DESC
"""  # noqa: S608 - made of constants


def list_grades(
    actor: Actor, run_id: UUID, record_ids: Sequence[UUID], *, each: int
) -> list[GradeRow]:
    """What was said of these records in a run, and of its pack as a whole, newest first.

    At most `each` outcomes of a kind about a record, with the number of them all, out of the run's
    newest `COUNTED_OUTCOMES` and one. One statement; feedback_outcome_pack_idx.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _GRADES,
            {
                "one_vote_per_run": current_scope().utility.one_vote_per_run,
                "project": actor.project_id,
                "run": run_id,
                "records": list(record_ids),
                "each": each,
                "newest": COUNTED_OUTCOMES + 1,
            },
        )
        return [GradeRow(row[0], OutcomeKind(row[1]), *row[2:]) for row in cursor]
