"""What clients say of one record, outcomes and signals together: advice, never a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from feedback.queries.outcomes import (
    TALLY,
    VOTES,
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
SELECT said.*, item.id FROM (
  ({TALLY})
  UNION ALL
  SELECT told.name, told.signals, 0, told.senders, 0, 0, told.first_at
  FROM (
    SELECT
      count(*) AS signals, count(DISTINCT recorded_by_id) AS senders,
      min(recorded_at) AS first_at,
      count(*) FILTER (WHERE is_poison_suspected) AS poison,
      count(DISTINCT recorded_by_id) FILTER (WHERE is_poison_suspected) AS poison_senders,
      min(recorded_at) FILTER (WHERE is_poison_suspected) AS poison_at,
      count(*) FILTER (WHERE is_injection_suspected) AS injection,
      count(DISTINCT recorded_by_id) FILTER (WHERE is_injection_suspected) AS injection_senders,
      min(recorded_at) FILTER (WHERE is_injection_suspected) AS injection_at
    FROM feedback_signal WHERE project_id = %(project)s AND record_id = %(record)s
  ) AS signal
  CROSS JOIN LATERAL (VALUES
    ('signals', signal.signals, signal.senders, signal.first_at),
    ('poison', poison, poison_senders, poison_at),
    ('injection', injection, injection_senders, injection_at)
  ) AS told(name, signals, senders, first_at)
  UNION ALL
  SELECT 'votes', vote.positive, vote.negative, vote.actors, 0, 0, NULL
  FROM ({VOTES}) AS vote(record_id, positive, negative, actors)
) AS said
LEFT JOIN feedback_integrityitem item
  ON item.project_id = %(project)s AND item.record_id = %(record)s AND item.state = 'open'
"""  # noqa: S608 - made of constants


def tally_advice(actor: Actor, record_id: UUID) -> AdviceTally:
    """What clients say of a record that is known to be visible; not audited by itself.

    One statement; feedback_outcome_record_idx, feedback_signal_record_idx, the item by key.
    """
    parameters = votes_parameters(actor, [record_id]) | tally_parameters(actor, record_id)
    with connection.cursor() as cursor:
        cursor.execute(_ADVICE, parameters)
        found = cursor.fetchall()
    told = {row[0]: row for row in found if row[0] not in {None, *OutcomeKind.values}}
    outcomes = tally_of(row[:7] for row in found if row[0] not in told)
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
