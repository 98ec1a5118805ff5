"""P11: a compile over HTTP, for a task of five words, two of them common, as a project grows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.progress import track

from tests.bench.clients import Http, Job, request_bytes
from tests.bench.figures import Figures, Summary, figures_of, summary_of
from tests.bench.goals import Verdict
from tests.bench.loop import vocabulary
from tests.bench.loop.speed import TOKENS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from tests.bench.clients import Clients
    from tests.bench.loop.speed import Place

SECONDS: Final = 4.0
TASKS: Final = 100
SMALL, LARGE = 20_000, 200_000
REQUIRED_MS, TARGET_MS = 60.0, 30.0
REQUIRED_GROWTH, TARGET_GROWTH = 2.0, 1.5
DISTURBED_SPREAD: Final = 0.25  # of the p95 of the repeats


@dataclass(frozen=True, slots=True)
class Judgement:
    """One half of P11: what was found, what is asked for, and what came of it."""

    name: str
    found: float
    required: float
    target: float
    verdict: Verdict


def run(
    crowd: Clients, server: Http, places: Sequence[Place], *, repeats: int, console: Console
) -> dict[int, Summary]:
    """Every project once a round on one connection; the first round only warms up."""
    found: dict[int, list[Figures]] = {}
    for place in track(list(places) * (repeats + 1), "Compiling over HTTP", console=console):
        job = Job(server, _requests(place), seconds=SECONDS, is_repeated=True)
        found.setdefault(place.size, []).append(figures_of(crowd.run([job])))
    return {size: summary_of(figures[1:]) for size, figures in found.items()}


def _requests(place: Place) -> list[bytes]:
    tasks = (vocabulary.mixed_task(place.number, place.size, number) for number in range(TASKS))
    return [
        request_bytes(
            "/v1/context/compile",
            place.token,
            json.dumps({"task": task, "max_tokens": TOKENS}).encode(),
        )
        for task in tasks
    ]


def judge(found: dict[int, Summary]) -> list[Judgement]:
    """P11 as far as it was measured. A miss of a run whose repeats differ widely is not judged."""
    small = found[SMALL]
    judged = [_judged("P11 p95, ms", small.p95, REQUIRED_MS, TARGET_MS, [small])]
    if LARGE in found:
        growth = found[LARGE].p95 / small.p95
        both = [small, found[LARGE]]
        judged.append(_judged("P11 growth", growth, REQUIRED_GROWTH, TARGET_GROWTH, both))
    return judged


def _judged(
    name: str, found: float, required: float, target: float, summaries: Sequence[Summary]
) -> Judgement:
    if found <= target:
        verdict = Verdict.TARGET
    elif found <= required:
        verdict = Verdict.REQUIRED
    elif any(spread_of(summary) > DISTURBED_SPREAD for summary in summaries):
        verdict = Verdict.DISTURBED
    else:
        verdict = Verdict.MISSED
    return Judgement(name, found, required, target, verdict)


def spread_of(summary: Summary) -> float:
    """The width of the repeats' p95 to its median."""
    p95s = [figures.p95 for figures in summary.repeats]
    return (max(p95s) - min(p95s)) / summary.p95
