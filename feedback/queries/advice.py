"""What clients say of one record, outcomes and signals together: advice, never a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from feedback.queries.outcomes import (
    COUNTED_OUTCOMES,
    NEWEST,
    NEWEST_VOTES,
    TALLY,
    OutcomeTally,
    Votes,
    tally_of,
    tally_parameters,
    votes_parameters,
)
from feedback.vocabulary import OutcomeKind, Suspicion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class SuspicionTally:
    """The signals that suspect a record of one thing: from how many actors, since when."""

    number: int
    actors: int
    since: datetime | None


@dataclass(frozen=True, slots=True)
class AdviceTally:
    """Outcomes and signals about one record, by how many senders, and who suspects it of what.

    Of each no more than the newest `COUNTED_OUTCOMES` and one, and as many suspicions.
    Signals take part in the votes and the utility of `outcomes` where the project counts them.
    `open_item` is the record's integrity item, while that is open.
    """

    outcomes: OutcomeTally
    signals: int
    senders: int
    suspicions: dict[Suspicion, SuspicionTally]
    are_signals_counted: bool
    open_item: UUID | None


# The rows of `TALLY` and, by names that no kind of outcome has: all signals, those that suspect,
# and what counts as a vote (positive, negative, actors).
_ADVICE: Final = f"""
WITH suspecting AS MATERIALIZED (
  SELECT recorded_by_id, recorded_at, is_poison_suspected, is_injection_suspected
  FROM feedback_signal WHERE project_id = %(project)s AND record_id = %(record)s
    AND (is_poison_suspected OR is_injection_suspected)
  {NEWEST}
)
SELECT said.*, item.id FROM (
  ({TALLY})
  UNION ALL
  SELECT 'signals', count(*), 0, count(DISTINCT recorded_by_id), 0, 0, min(recorded_at)
  FROM (
    SELECT recorded_by_id, recorded_at
    FROM feedback_signal WHERE project_id = %(project)s AND record_id = %(record)s
    {NEWEST}) AS signal
  UNION ALL
  SELECT 'poison', count(*), 0, count(DISTINCT recorded_by_id), 0, 0, min(recorded_at)
  FROM suspecting WHERE is_poison_suspected
  UNION ALL
  SELECT 'injection', count(*), 0, count(DISTINCT recorded_by_id), 0, 0, min(recorded_at)
  FROM suspecting WHERE is_injection_suspected
  UNION ALL
  SELECT 'votes', vote.positive, vote.negative, vote.actors, 0, 0, NULL
  FROM ({NEWEST_VOTES}) AS vote(record_id, positive, negative, actors)
) AS said
LEFT JOIN feedback_integrityitem item
  ON item.project_id = %(project)s AND item.record_id = %(record)s AND item.state = 'open'
"""  # noqa: S608 - made of constants


def tally_advice(actor: Actor, record_id: UUID) -> AdviceTally:
    """What clients say of a record that is known to be visible; not audited by itself.

    One statement; feedback_outcome_record_idx, feedback_signal_record_idx and _suspect_idx, and the
    item by its key.
    """
    parameters = votes_parameters(actor, [record_id]) | tally_parameters(
        actor, record_id, COUNTED_OUTCOMES
    )
    with connection.cursor() as cursor:
        cursor.execute(_ADVICE, parameters)
        found = cursor.fetchall()
    told = {row[0]: row for row in found if row[0] not in {None, *OutcomeKind.values}}
    rows = [row[:7] for row in found if row[0] not in told]
    outcomes = tally_of(rows, COUNTED_OUTCOMES)
    if parameters["are_signals_counted"]:
        votes = Votes(*told["votes"][1:4]) if "votes" in told else Votes(0, 0, 0)
        outcomes = replace(outcomes, votes=votes, utility=votes.utility)
    return AdviceTally(
        outcomes=outcomes,
        signals=told["signals"][1],
        senders=told["signals"][3],
        suspicions={suspicion: _suspicion(told[suspicion]) for suspicion in Suspicion},
        are_signals_counted=parameters["are_signals_counted"],
        open_item=found[0][7],
    )


def _suspicion(row: Sequence[Any]) -> SuspicionTally:
    return SuspicionTally(number=row[1], actors=row[3], since=row[6])
