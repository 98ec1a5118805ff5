"""Lists of runs, outcomes, signals and suspected records read by index, in order, at 1 k and 50 k.

Rules: `assurance.md` P1, P2 and 6.4, `console.md` 12. The seek of a page has the budget of 40
buffers; what is told of a row from another table is looked up by key, for the rows of the page
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID

import pytest
from django.core.management import call_command

from feedback.queries.integrity import list_integrity
from feedback.queries.outcomes import OutcomeFilter, list_outcomes
from feedback.queries.runs import RunFilter, list_runs
from feedback.queries.signals import list_signals
from feedback.vocabulary import IntegrityState, OutcomeKind, Suspicion
from memory.models import Project
from memory.vocabulary import SCANNED_ROWS
from review.queries.integrity import read_integrity
from review.queries.runs import read_runs
from tests.factories import a_project, fresh
from tests.factories.bulk import bulk_place, bulk_reported
from tests.factories.bulk_loop import bulk_actor, bulk_loop, settle_loop
from tests.plans.explained import Explained, explain

if TYPE_CHECKING:
    from pytest_django import DjangoDbBlocker

    from memory.actor import Actor
    from memory.paging import Seek

pytestmark = [
    pytest.mark.django_db,  # else nobody makes the database that `plans` fills
    pytest.mark.plans,
    pytest.mark.slow,
    pytest.mark.timeout(120),
]

SMALL, LARGE, RECORDS = 1_000, 50_000, 5_000
LIMIT: Final = 20
PAGE_BUFFERS: Final = 40
GROWTH: Final = 10
LOOK_UP_BUFFERS: Final = 5  # of a row by key: root, inner pages, leaf, row

RUNS, OUTCOMES, SIGNALS, ITEMS = (
    "feedback_contextrun",
    "feedback_outcome",
    "feedback_signal",
    "feedback_integrityitem",
)
USEFUL, POISON = OutcomeKind.USEFUL, Suspicion.POISON


@dataclass(frozen=True, slots=True)
class Known:
    """What a list can be narrowed to: a tenth of everything is about this run and this record."""

    run: UUID
    record: UUID
    sender: UUID


@dataclass(frozen=True, slots=True)
class Listed:
    """A list, the index that answers it, and in how many other tables it looks up each row."""

    table: str
    index: str
    look_ups: int
    call: Callable[[Known, Actor, Seek | None], object]
    is_one_vote: bool = False  # as the project counts


def _runs(index: str, narrow: Callable[[Known], RunFilter]) -> Listed:
    return Listed(
        RUNS,
        index,
        2,
        lambda known, actor, after: list_runs(
            actor=actor, narrow=narrow(known), after=after, limit=LIMIT
        ),
    )


def _read_runs(index: str, narrow: Callable[[Known], RunFilter]) -> Listed:
    return Listed(
        RUNS,
        index,
        2,
        lambda known, actor, after: read_runs(
            actor=actor, narrow=narrow(known), after=after, limit=LIMIT
        ),
    )


def _outcomes(
    index: str, narrow: Callable[[Known], OutcomeFilter], *, is_one_vote: bool = False
) -> Listed:
    return Listed(
        OUTCOMES,
        index,
        int(is_one_vote),
        lambda known, actor, after: list_outcomes(
            actor=actor, narrow=narrow(known), after=after, limit=LIMIT
        ),
        is_one_vote,
    )


def _signals(index: str, *, of_record: bool = False, is_suspected_only: bool = False) -> Listed:
    return Listed(
        SIGNALS,
        index,
        0,
        lambda known, actor, after: list_signals(
            actor=actor,
            record_id=known.record if of_record else None,
            is_suspected_only=is_suspected_only,
            after=after,
            limit=LIMIT,
        ),
    )


def _items(
    index: str,
    call: Callable[..., object],
    state: IntegrityState | None = None,
    suspicion: Suspicion | None = None,
) -> Listed:
    return Listed(
        ITEMS,
        index,
        1,
        lambda _, actor, after: call(
            actor=actor, state=state, suspicion=suspicion, after=after, limit=LIMIT
        ),
    )


#: lists that one index answers
LISTS: Final[dict[str, Listed]] = {
    "runs": _runs("feedback_contextrun_all_idx", lambda _: RunFilter()),
    "runs-of-person": _runs(
        "feedback_contextrun_person_idx", lambda _: RunFilter(data_subject="person 1")
    ),
    "runs-of-actor": _runs(
        "feedback_contextrun_actor_idx", lambda known: RunFilter(actor_id=known.sender)
    ),
    "console-runs": _read_runs("feedback_contextrun_all_idx", lambda _: RunFilter()),
    "console-runs-of-actor": _read_runs(
        "feedback_contextrun_actor_idx", lambda known: RunFilter(actor_id=known.sender)
    ),
    "outcomes": _outcomes("feedback_outcome_all_idx", lambda _: OutcomeFilter()),
    "outcomes-of-run": _outcomes(
        "feedback_outcome_pack_idx", lambda known: OutcomeFilter(run_id=known.run)
    ),
    "outcomes-of-record": _outcomes(
        "feedback_outcome_record_idx", lambda known: OutcomeFilter(record_id=known.record)
    ),
    "outcomes-of-actor": _outcomes(
        "feedback_outcome_actor_idx", lambda known: OutcomeFilter(actor_id=known.sender)
    ),
    "outcomes-of-kind": _outcomes(
        "feedback_outcome_kind_idx", lambda _: OutcomeFilter(kind=USEFUL)
    ),
    "votes": _outcomes("feedback_outcome_all_idx", lambda _: OutcomeFilter(), is_one_vote=True),
    "votes-of-run": _outcomes(
        "feedback_outcome_pack_idx",
        lambda known: OutcomeFilter(run_id=known.run),
        is_one_vote=True,
    ),
    "votes-of-record": _outcomes(
        "feedback_outcome_record_idx",
        lambda known: OutcomeFilter(record_id=known.record),
        is_one_vote=True,
    ),
    "signals": _signals("feedback_signal_bound_idx"),
    "signals-of-record": _signals("feedback_signal_record_idx", of_record=True),
    "signals-suspecting": _signals("feedback_signal_suspected_idx", is_suspected_only=True),
    "signals-suspecting-record": _signals(
        "feedback_signal_suspect_idx", of_record=True, is_suspected_only=True
    ),
    "items": _items("feedback_integrity_all_idx", list_integrity),
    "items-open": _items("feedback_integrity_state_idx", list_integrity, IntegrityState.OPEN),
    "console-items": _items("feedback_integrity_all_idx", read_integrity),
    "console-items-decided": _items(
        "feedback_integrity_state_idx", read_integrity, IntegrityState.NO_CONCERN
    ),
}
#: lists that none answers: bounded by the rows that they look at
SCANNED_LISTS: Final[dict[str, Listed]] = {
    "runs-of-kind": _runs("", lambda _: RunFilter(kinds=frozenset({OutcomeKind.HARMFUL}))),
    "console-runs-of-kind": _read_runs(
        "", lambda _: RunFilter(kinds=frozenset({OutcomeKind.HARMFUL}))
    ),
    "runs-of-person-and-actor": _runs(
        "", lambda known: RunFilter(data_subject="person 1", actor_id=known.sender)
    ),
    "outcomes-of-run-and-kind": _outcomes(
        "", lambda known: OutcomeFilter(run_id=known.run, kind=USEFUL)
    ),
    "items-of-poison": _items("", list_integrity, None, POISON),
}

Place = Literal["first", "deep"]
PLACES: Final[tuple[Place, ...]] = ("first", "deep")
#: Whether a plan was made for the values of a call, or once for those of any.
PREPARED: Final = (False, True)
Plans = dict[tuple[object, ...], list[Explained]]


@pytest.fixture(scope="module")
def plans(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Plans]:  # noqa: ARG001
    """Every plan at both sizes, read in one go, since loading is what takes the time."""
    with django_db_blocker.unblock():
        actor, neighbour = a_project()[1], a_project()[1]
        found: Plans = {}
        for each in (actor, neighbour):
            bulk_reported(each, stop=RECORDS)
        for start, size in ((0, SMALL), (SMALL, LARGE)):
            bulk_loop(actor, records=RECORDS, start=start, stop=size)
            bulk_loop(neighbour, records=RECORDS, start=start // 10, stop=size // 10)
            settle_loop()
            found |= _read(actor, size)
        yield found
        call_command("flush", interactive=False, verbosity=0)


def _read(actor: Actor, size: int) -> Plans:
    known = Known(
        run=bulk_place(actor, RUNS, 0)[0],
        record=bulk_place(actor, "memory_record", 0)[0],
        sender=bulk_actor(actor, 3),
    )
    found: Plans = {}
    lists = LISTS | SCANNED_LISTS
    for is_prepared, name, place in product(PREPARED, lists, PLACES):
        listed, after = lists[name], _after(actor, lists[name].table, size, place)
        projects = Project.objects.filter(id=actor.project_id)
        projects.update(one_vote_per_run=listed.is_one_vote)
        found[size, is_prepared, name, place] = explain(
            partial(listed.call, known, fresh(actor), after), listed.table, is_prepared=is_prepared
        )
    return found


def _after(actor: Actor, table: str, size: int, place: Place) -> Seek | None:
    rows = size // 10 if table == ITEMS else size
    return bulk_place(actor, table, rows // 2)[1] if place == "deep" else None


@pytest.mark.parametrize("is_prepared", PREPARED)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", LISTS)
def test_a_page_is_sought(plans: Plans, name: str, place: Place, *, is_prepared: bool) -> None:
    listed = LISTS[name]
    (small,), (large,) = (plans[size, is_prepared, name, place] for size in (SMALL, LARGE))
    for plan in (small, large):
        assert plan.unsought == []
        assert plan.index == listed.index
        assert plan.rows_removed == 0
        assert plan.seek_buffers <= PAGE_BUFFERS
        assert plan.buffers <= PAGE_BUFFERS + listed.look_ups * LOOK_UP_BUFFERS * plan.rows_read
    deeper = listed.look_ups * large.rows_read  # an index may have got one more level
    assert large.seek_buffers <= small.seek_buffers + GROWTH
    assert large.buffers <= small.buffers + GROWTH + 2 * deeper


@pytest.mark.parametrize("is_prepared", PREPARED)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", SCANNED_LISTS)
def test_a_filter_without_an_index_looks_at_so_many_rows_and_no_more(
    plans: Plans, name: str, place: Place, *, is_prepared: bool
) -> None:
    (page,) = plans[LARGE, is_prepared, name, place]
    look_ups = SCANNED_LISTS[name].look_ups + 1  # one of them to find out whether a row fits
    assert page.unsought == []
    assert page.rows_read <= SCANNED_ROWS
    assert page.buffers <= SCANNED_ROWS + PAGE_BUFFERS + look_ups * LOOK_UP_BUFFERS * page.rows_read
