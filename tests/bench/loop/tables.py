"""What the second part of the bench found, as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from tests.bench.loop.calls import SMALL, spread_of
from tests.bench.loop.speed import COMMON, FIRST, MEDIAN, NEIGHBOURS, TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.figures import Summary
    from tests.bench.loop.calls import Judgement
    from tests.bench.loop.poisoning import Poisoning
    from tests.bench.loop.quality import Quality
    from tests.bench.loop.speed import Speed


def _table(title: str, caption: str, texts: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        caption=caption,
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for heading in texts:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def of_speed(found: Sequence[Speed]) -> Table:
    """One row a size and kind of task; growth is to the size before, ratio to the median task."""
    table = _table(
        f"Compile, with {NEIGHBOURS} projects of the same size beside it",
        f"{TASKS} tasks of 5 words a round, medians of rounds, ms; buffers of reading statements;"
        f" exact: tasks whose first {FIRST} equal those of the reference",
        ("records", "words"),
        ("p50", "p95", "growth p50", "to median", "statements", "buffers", "candidates", "exact"),
    )
    by_case = {(speed.size, speed.kind): speed for speed in found}
    sizes = sorted({speed.size for speed in found})
    for place, size in enumerate(sizes):
        for kind in (MEDIAN, COMMON):
            speed, usual = by_case[size, kind], by_case[size, MEDIAN]
            smaller = by_case[sizes[place - 1], kind] if place else None
            table.add_row(
                f"{size:,}",
                kind,
                f"{speed.p50:.1f}",
                f"{speed.p95:.1f}",
                f"{speed.p50 / smaller.p50:.2f}" if smaller else "",
                f"{speed.p50 / usual.p50:.2f}" if kind == COMMON else "",
                str(speed.statements),
                f"{speed.buffers:,.0f}",
                f"{speed.matched:.0f}",
                f"{speed.exact} of {speed.checked}",
            )
    return table


def of_calls(found: dict[int, Summary], judged: Sequence[Judgement]) -> Table:
    """P11: one row a size, and a caption with the judgement."""
    words = "; ".join(
        f"{row.name} {row.found:.2f} (required {row.required:g}, target {row.target:g}):"
        f" {row.verdict}"
        for row in judged
    )
    table = _table(
        "Compile over HTTP, 1 connection, tasks of 5 words, 2 of them common",
        words,
        ("records",),
        ("calls/s", "p50", "p95", "spread of p95", f"p95 to {SMALL:,}"),
    )
    for size, summary in sorted(found.items()):
        table.add_row(
            f"{size:,}",
            f"{summary.rate:,.0f}",
            f"{summary.p50:.1f}",
            f"{summary.p95:.1f}",
            f"{spread_of(summary):.0%}",
            f"{summary.p95 / found[SMALL].p95:.2f}",
        )
    return table


def of_quality(found: Sequence[Quality]) -> Table:
    """One row a rule and part of the questions."""
    table = _table(
        "Ranking: questions about the demo's countries",
        "taught: outcomes were recorded for these questions; others: for none of them",
        ("outcomes", "questions"),
        ("number", "recall@1", "recall@5", "MRR"),
    )
    for place, row in enumerate(found, start=1):
        is_last = place == len(found) or found[place].rule != row.rule
        table.add_row(
            row.rule,
            row.part,
            str(row.questions),
            f"{row.recall_at_1:.3f}",
            f"{row.recall_at_5:.3f}",
            f"{row.mrr:.3f}",
            end_section=is_last,
        )
    return table


def of_poisoning(found: Sequence[Poisoning]) -> Table:
    """One row an attack and setting."""
    table = _table(
        "Poisoning: a lie beside the truth, rank and score in the pack of one question",
        "before: the same record without any outcome; the truth: after the attack",
        ("attack", "setting"),
        ("before", "score", "after", "score", "utility", "truth", "score", "lie wins"),
    )
    for place, row in enumerate(found, start=1):
        is_last = place == len(found) or found[place].attack != row.attack
        table.add_row(
            row.attack,
            row.setting,
            str(row.before.rank),
            f"{row.before.score:.4f}",
            str(row.after.rank),
            f"{row.after.score:.4f}",
            f"{row.after.utility:.2f}",
            str(row.truth.rank),
            f"{row.truth.score:.4f}",
            "yes" if row.is_first else "no",
            end_section=is_last,
        )
    return table
