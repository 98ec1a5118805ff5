"""How long a compile takes as a project grows, and what it reads, with nine projects beside it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from django.db import connection, transaction
from rich.progress import track

from feedback.http.context_sizes import least, weigh
from feedback.operations.compile_context import CompiledContext, ContextRequest, compile_context
from tests.bench.figures import quantile
from tests.bench.ground import make_project
from tests.bench.loop import vocabulary
from tests.bench.loop.records import CHUNK, bulk_statements
from tests.bench.loop.reference import Reference
from tests.factories import fresh
from tests.statements import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from memory.actor import Actor

NEIGHBOURS: Final = 9
MEDIAN, COMMON = "median", "common"
TASKS: Final = 40
WARM_TASKS: Final = 10
EXPLAINED_TASKS: Final = 8
CHECKED_TASKS: Final = 12
FIRST: Final = 10
CANDIDATES: Final = 200
TOKENS: Final = 4_000
AT: Final = datetime(2026, 11, 1, tzinfo=UTC)  # after all records of the bench


@dataclass(frozen=True, slots=True)
class Place:
    """A filled project, the token of a credential in it, and its number among its neighbours."""

    size: int
    actor: Actor
    token: str
    number: int = 0

    def task(self, kind: str, number: int) -> str:
        """One task of the kind."""
        if kind == COMMON:
            return vocabulary.common_task(number)
        return vocabulary.median_task(self.number, self.size, number)


@dataclass(frozen=True, slots=True)
class Speed:
    """What compiles of one kind of task in a project of one size took, in milliseconds."""

    size: int
    kind: str
    p50: float
    p95: float
    statements: int
    buffers: float
    matched: float  # records that share a word with the task, or those that were looked at
    checked: int
    exact: int  # of those, how many had exactly the first ten of the reference


def load(size: int, *, neighbours: int, console: Console) -> Place:
    """A project of so many records, and others of the same size."""
    places = []
    for number in range(neighbours + 1):
        _, token, actor = make_project(f"records-{size}-{number}")
        places.append(Place(size, actor, token, number))
    chunks = [(place, start) for start in range(0, size, CHUNK) for place in places]
    label = f"Loading {neighbours + 1} x {size:,} records"
    for place, start in track(chunks, label, console=console):
        stop = min(size, start + CHUNK)
        bulk_statements(place.actor, project=place.number, start=start, stop=stop)
    return places[0]


def measured(places: Sequence[Place], *, repeats: int, console: Console) -> list[Speed]:
    """Every project and kind once a round, so that what disturbs one disturbs its neighbour too."""
    cases = list(product(places, (MEDIAN, COMMON)))
    for place, kind in cases:
        for number in range(WARM_TASKS):
            _compile(place, place.task(kind, TASKS + number))
    lengths: dict[tuple[int, str], list[list[float]]] = {}
    for place, kind in track(cases * repeats, "Compiling", console=console):
        found = [_seconds(partial(_compile, place, place.task(kind, n))) for n in range(TASKS)]
        lengths.setdefault((place.size, kind), []).append(sorted(found))
    references = {place.size: Reference(place.actor.project_id, AT) for place in places}
    return [
        _speed(place, kind, lengths[place.size, kind], references[place.size])
        for place, kind in track(cases, "Comparing with the reference", console=console)
    ]


def _compile(place: Place, task: str, **said: Any) -> CompiledContext:
    request = ContextRequest(
        task=task, max_candidates=CANDIDATES, at=AT, **{"max_tokens": TOKENS, **said}
    )
    return compile_context(actor=fresh(place.actor), request=request, weigh=weigh, least=least)


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _speed(place: Place, kind: str, rounds: list[list[float]], reference: Reference) -> Speed:
    tasks = [place.task(kind, number) for number in range(CHECKED_TASKS)]
    read = [_buffers(place, task) for task in tasks[:EXPLAINED_TASKS]]
    packs = [_compile(place, task, max_tokens=32_000, top_k=FIRST) for task in tasks]
    exact = [
        [item.record.id for item in pack.items]
        == reference.first(task, number=FIRST, candidates=CANDIDATES)
        for task, pack in zip(tasks, packs, strict=True)
    ]
    return Speed(
        size=place.size,
        kind=kind,
        p50=median(quantile(lengths, 0.50) for lengths in rounds) * 1000,
        p95=median(quantile(lengths, 0.95) for lengths in rounds) * 1000,
        statements=max(statements for statements, _ in read),
        buffers=median(buffers for _, buffers in read),
        matched=median(pack.candidates for pack in packs),
        checked=len(tasks),
        exact=sum(exact),
    )


def _buffers(place: Place, task: str) -> tuple[int, int]:
    """How many statements a compile sends, and the pages that those which read touch.

    They are sent again, explained, in one transaction; the second time counts.
    """
    with watched() as statements:
        _compile(place, task)
    buffers = 0
    with transaction.atomic(), connection.cursor() as cursor:
        for sql, values in statements.sent:
            if "INSERT INTO" in sql:
                continue
            for _ in range(2):
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", values)
            plan: dict[str, Any] = cursor.fetchone()[0][0]["Plan"]
            buffers += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return len(statements), buffers
