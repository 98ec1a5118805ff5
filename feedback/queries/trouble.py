"""Records that clients complain of or suspect: advice for reviewers, never a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import connection

from feedback.queries.reports import COUNTED_REPORTS
from memory import policies
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation, RecordStatus

if TYPE_CHECKING:
    from memory.actor import Actor

TROUBLED_RECORDS: Final = 50
NEWEST_OUTCOMES: Final = 10_000


@dataclass(frozen=True, slots=True)
class TroubleRow:
    """A record with negative outcomes that count or suspicions, and from how many actors."""

    record_id: UUID
    version: UUID
    subject: str
    predicate: str
    object: str
    status: RecordStatus
    incorrect: int
    harmful: int
    poison: int
    injection: int
    actors: int
    last_at: datetime
    open_reports: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """The records in trouble, most distinct senders first, and whether that is all of them."""

    rows: tuple[TroubleRow, ...]
    since: datetime
    is_cut: bool

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.rows)


# Votes are told apart before the negative ones are picked: a later word of an actor replaces an
# earlier one where the project counts one vote a run. Suspicions are no votes: each counts. A row
# without a record says alone whether there was more than is looked at.
_TROUBLE: Final = """
WITH newest AS (
  SELECT *, row_number() OVER (
    PARTITION BY record_id, run_id, recorded_by_kind, recorded_by_id
    ORDER BY recorded_at DESC, id DESC) AS age
  FROM (
    SELECT record_id, run_id, kind, recorded_by_kind, recorded_by_id, recorded_at, id
    FROM feedback_outcome
    WHERE project_id = %(project)s AND recorded_at >= %(since)s
    ORDER BY recorded_at DESC, id DESC LIMIT %(newest)s) AS outcome
), suspicion AS (
  SELECT record_id, coalesce(is_poison_suspected, false) AS is_poison,
    coalesce(is_injection_suspected, false) AS is_injection,
    recorded_by_kind, recorded_by_id, recorded_at
  FROM feedback_signal
  WHERE project_id = %(project)s AND record_id IS NOT NULL
    AND (is_poison_suspected OR is_injection_suspected) AND recorded_at >= %(since)s
  ORDER BY recorded_at DESC, id DESC LIMIT %(newest)s
), said AS (
  SELECT record_id, kind = 'incorrect' AS is_incorrect, kind = 'harmful' AS is_harmful,
    false AS is_poison, false AS is_injection, recorded_by_kind, recorded_by_id, recorded_at
  FROM newest
  WHERE record_id IS NOT NULL AND kind IN ('incorrect', 'harmful')
    AND (age = 1 OR NOT %(one_vote_per_run)s)
  UNION ALL
  SELECT record_id, false, false, is_poison, is_injection, recorded_by_kind, recorded_by_id,
    recorded_at
  FROM suspicion
), troubled AS (
  SELECT record_id, count(*) FILTER (WHERE is_incorrect) AS incorrect,
    count(*) FILTER (WHERE is_harmful) AS harmful, count(*) FILTER (WHERE is_poison) AS poison,
    count(*) FILTER (WHERE is_injection) AS injection, count(*) AS number,
    count(DISTINCT (recorded_by_kind, recorded_by_id)) AS actors, max(recorded_at) AS last_at
  FROM said GROUP BY record_id
)
SELECT r.id, r.version, r.subject, r.predicate, r.object, r.status, t.incorrect, t.harmful,
  t.poison, t.injection, t.actors, t.last_at, (
    SELECT count(*) FROM (
      SELECT FROM feedback_report f
      WHERE f.project_id = r.project_id AND f.record_id = r.id AND f.promoted_at IS NULL
      LIMIT %(counted)s) AS open_report),
  looked.is_cut
FROM (
  SELECT (SELECT count(*) FROM newest) >= %(newest)s
    OR (SELECT count(*) FROM suspicion) >= %(newest)s AS is_cut) AS looked
LEFT JOIN (troubled t JOIN memory_record r ON r.project_id = %(project)s AND r.id = t.record_id)
  ON r.status = 'current' OR %(with_closed)s
ORDER BY t.actors DESC, t.number DESC, t.last_at DESC, r.id
LIMIT %(rows)s
"""


@audited_read(Operation.OUTCOME_LIST)
def list_trouble(*, actor: Actor, since: datetime, is_with_closed: bool = False) -> Trouble:
    """Current records with counted `incorrect` or `harmful` outcomes or suspicions since a time.

    Closed ones too, where asked for. Looks at the newest `NEWEST_OUTCOMES` outcomes and as many
    suspicions, and shows at most `TROUBLED_RECORDS` records. One statement;
    feedback_outcome_all_idx, feedback_signal_suspected_idx, then records and reports by key.
    """
    policies.can_read(actor).require()
    return find_trouble(actor, since=since, is_with_closed=is_with_closed)


def find_trouble(actor: Actor, *, since: datetime, is_with_closed: bool = False) -> Trouble:
    """The same inside another audited read."""
    with connection.cursor() as cursor:
        cursor.execute(
            _TROUBLE,
            {
                "project": actor.project_id,
                "since": since,
                "newest": NEWEST_OUTCOMES,
                "one_vote_per_run": current_scope().utility.one_vote_per_run,
                "with_closed": is_with_closed,
                "counted": COUNTED_REPORTS + 1,
                "rows": TROUBLED_RECORDS + 1,
            },
        )
        found = cursor.fetchall()
    is_cut = len(found) > TROUBLED_RECORDS or found[0][13]
    rows = [_trouble_row(row) for row in found[:TROUBLED_RECORDS] if row[0] is not None]
    return Trouble(tuple(rows), since, is_cut)


def _trouble_row(row: tuple[Any, ...]) -> TroubleRow:
    return TroubleRow(
        record_id=row[0],
        version=row[1],
        subject=row[2],
        predicate=row[3],
        object=row[4],
        status=RecordStatus(row[5]),
        incorrect=row[6],
        harmful=row[7],
        poison=row[8],
        injection=row[9],
        actors=row[10],
        last_at=row[11],
        open_reports=row[12],
    )
