"""What a run found: one table for people, one JSON file for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from tests.bench import clients
from tests.bench.goals import DISTURBED_SPREAD, Measure, Verdict
from tests.bench.servers import THREADS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from tests.bench.contests import Cell
    from tests.bench.figures import Summary
    from tests.bench.goals import Judged
    from tests.bench.machine import Calm


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what a run took place."""

    machine: str
    calm: Calm
    size: int
    rows: dict[str, int]
    stock: int
    repeats: int
    seconds: float

    @property
    def lines(self) -> list[str]:
        """Sentences for people."""
        idle = "idle" if self.calm.is_idle else "NOT IDLE"
        return [
            self.machine,
            f"{idle}: {self.calm.busy:.0%} busy after waiting {self.calm.waited:.0f} s",
            f"{self.rows['reports']:,} reports on {self.rows['records']:,} records, of which "
            f"{self.stock:,} reports on as many records only to be promoted, each once",
            f"{self.repeats} repeats, interleaved, {self.seconds:.0f} s; medians of all repeats; "
            f"servers: gunicorn, {WORKERS} workers x {THREADS} threads",
            f"load generator: {clients.NAME}",
        ]


def table_of(judged: Sequence[Judged]) -> Table:
    """One row a comparison; no ratio without its two numbers."""
    table = Table(
        caption="latencies in ms; spread: widest difference of repeats, to their median",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for heading in ("call", "conn."):
        table.add_column(heading, no_wrap=True)
    for heading in ("calls/s", "p50", "p95"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("floor", no_wrap=True)
    for heading in ("calls/s", "p50", "p95", "spread", "ratio", "p50 +"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("goal: required, target")
    for row in judged:
        table.add_row(*_cells(row), end_section=row.comparison.connections == 1)
    return table


def _cells(row: Judged) -> list[str]:
    comparison, product, floor = row.comparison, row.product, row.floor
    is_delay = comparison.goal is not None and comparison.goal.measure is Measure.DELAY
    spread = floor.p50_spread if is_delay else floor.rate_spread
    name = comparison.contest
    if comparison.product != "product":
        name += f" ({comparison.product.rpartition(' ')[2]})"
    return [
        name,
        str(comparison.connections),
        *_numbers(product),
        comparison.floor if comparison.floor != "product" else "accepted",
        *_numbers(floor),
        f"{spread:.0%}",
        f"{row.ratio:.2f}",
        f"{row.delay:+.2f}",
        _goal(row),
    ]


def _numbers(summary: Summary) -> list[str]:
    return [f"{summary.rate:,.0f}", f"{summary.p50:.2f}", f"{summary.p95:.2f}"]


def _goal(row: Judged) -> str:
    goal = row.comparison.goal
    if goal is None:
        return ""
    limits = f"{goal.required:.2f}, {goal.target:.2f}"
    if goal.measure is Measure.DELAY:
        limits = f"+{goal.required:.1f} ms, +{goal.target:.1f} ms"
    return f"{goal.number} {limits}: {row.verdict}"


def write(
    path: Path,
    conditions: Conditions,
    summaries: Mapping[Cell, Summary],
    judged: Sequence[Judged],
) -> None:
    """Write everything that was found, every repeat included."""
    found: dict[str, Any] = {
        "conditions": asdict(conditions) | {"load_generator": clients.NAME},
        "disturbed_above_spread": DISTURBED_SPREAD,
        "cells": [cell._asdict() | asdict(summary) for cell, summary in summaries.items()],
        "comparisons": [
            {
                **asdict(row.comparison),
                "product_rate": row.product.rate,
                "floor_rate": row.floor.rate,
                "ratio": row.ratio,
                "product_p50": row.product.p50,
                "floor_p50": row.floor.p50,
                "p50_above_floor": row.delay,
                "verdict": row.verdict,
            }
            for row in judged
        ],
    }
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def show(console: Console, conditions: Conditions, judged: Sequence[Judged], path: Path) -> None:
    """Print the table and what belongs to it."""
    console.print(table_of(judged))
    for line in conditions.lines:
        console.print(line, highlight=False)
    disturbed = sum(row.verdict is Verdict.DISTURBED for row in judged)
    if disturbed:
        console.print(
            f"{disturbed} goals not judged: their floor spread more than {DISTURBED_SPREAD:.0%}."
        )
    console.print(f"Everything: {path}", highlight=False, soft_wrap=True)
