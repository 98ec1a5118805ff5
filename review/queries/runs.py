"""What the pages of context runs show (S16, S17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from feedback.queries.outcomes import COUNTED_OUTCOMES, list_grades
from feedback.queries.run_actors import list_run_actors
from feedback.queries.runs import get_run_for, page_of_runs
from memory import policies
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation
from review.queries.names import Names, names_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from feedback.queries.outcomes import GradeRow
    from feedback.queries.run_actors import RunActor
    from feedback.queries.runs import RunFilter, RunItem, RunRow
    from memory.actor import Actor
    from memory.paging import Page, Seek

#: Outcomes of one kind about one record that a page tells one by one.
TOLD_GRADES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsReading:
    """One page of runs, and everybody whom it or its filters may have to name."""

    now: datetime
    page: Page[RunRow]
    actors: Mapping[UUID, RunActor]

    @property
    def magnitude(self) -> int:
        """Rows drawn, for the audit entry."""
        return self.page.magnitude

    @property
    def names(self) -> Names:
        """What to call who compiled."""
        return Names({id_: known.name for id_, known in self.actors.items()})


@audited_read(Operation.CONTEXT_LIST)
def read_runs(*, actor: Actor, narrow: RunFilter, after: Seek | None, limit: int) -> RunsReading:
    """One page of runs with the names of who compiled.

    Two statements; feedback_contextrun_*_idx.
    """
    policies.can_read(actor).require()
    page = page_of_runs(actor, narrow=narrow, after=after, limit=limit, counted=COUNTED_OUTCOMES)
    named = {row.recorded_by for row in page.rows}
    return RunsReading(
        now=current_scope().opened_at, page=page, actors=list_run_actors(actor, named)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReading:
    """A run, some of its items by rank, and what was said of them and of the whole pack."""

    now: datetime
    run: RunRow
    items: tuple[RunItem, ...]
    is_more: bool
    grades: tuple[GradeRow, ...]
    names: Names
    magnitude: int = 1


@audited_read(Operation.CONTEXT_GET)
def read_run(*, actor: Actor, run_id: UUID, after_rank: int, limit: int) -> RunReading:
    """A run with `limit` items from behind a rank on. Four statements.

    feedback_contextitem_rank_uniq and feedback_outcome_pack_idx.
    """
    policies.can_read(actor).require()
    detail = get_run_for(
        actor, run_id, after_rank=after_rank, limit=limit + 1, counted=COUNTED_OUTCOMES
    )
    items = detail.items[:limit]
    grades = list_grades(actor, run_id, [item.record_id for item in items], each=TOLD_GRADES)
    return RunReading(
        now=current_scope().opened_at,
        run=detail.run,
        items=items,
        is_more=len(detail.items) > limit,
        grades=tuple(grades),
        names=names_in(actor, others=[detail.run, *grades]),
    )
