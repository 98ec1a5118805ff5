"""`make bench`: measure, print a table, write a JSON file.

Ends with 0, with 2 when it could not measure, and with --check with 1 when a required goal was
missed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import track

from config.home import HomeUnusable
from config.postgres_cluster import PostgresUnavailable
from tests.bench import clients, result
from tests.bench.clients import CannotMeasure
from tests.bench.contests import CONNECTIONS, Cell, Servers, contenders_of, stock_needed
from tests.bench.figures import Figures, Summary, figures_of, summary_of
from tests.bench.goals import Verdict, judge
from tests.bench.ground import FOLDER, filled
from tests.bench.machine import machine_line, wait_for_calm
from tests.bench.servers import BARE, PRODUCT, ROOT, serving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.contests import Contender

SIZES: Final = {"10k": 10_000, "100k": 100_000, "200k": 200_000, "1M": 1_000_000, "10M": 10_000_000}
TABLE_CHARACTERS: Final = 160
MISSED, UNMEASURED = 1, 2


def main(arguments: Sequence[str]) -> int:
    """Run the bench; the status of the program."""
    options = _parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console()
    if not console.is_terminal:
        console.width = TABLE_CHARACTERS
    try:
        return _bench(options, console)
    except (CannotMeasure, PostgresUnavailable, HomeUnusable) as error:
        sys.stderr.write(f"Could not measure. {error}\n")
        return UNMEASURED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="10k", help="reports in the project")
    parser.add_argument("--repeats", type=int, choices=range(2, 51), default=5, metavar="2..50")
    parser.add_argument("--wait", type=float, default=60, help="seconds to wait for idleness")
    parser.add_argument("--check", action="store_true", help="1 when a required goal is missed")
    return parser.parse_args(arguments)


def _bench(options: argparse.Namespace, console: Console) -> int:
    size, repeats, stock = SIZES[options.size], options.repeats, stock_needed(options.repeats)
    with ExitStack() as stack:
        ground = stack.enter_context(filled(size=size, stock=stock, console=console))
        environment = ground.environment
        servers = Servers(
            stack.enter_context(serving(PRODUCT, ground.home / "product.log", environment)),
            stack.enter_context(serving(BARE, ground.home / "bare.log", environment)),
        )
        crowd = stack.enter_context(clients.started(max(CONNECTIONS)))
        contenders = contenders_of(ground, servers)
        _warm_up(crowd, contenders, console)
        calm = wait_for_calm(options.wait)
        began = time.monotonic()
        summaries = _measured(crowd, contenders, repeats, console)
        conditions = result.Conditions(
            machine=machine_line(ground.conninfo),
            calm=calm,
            size=size,
            rows=ground.rows,
            stock=stock,
            repeats=repeats,
            seconds=time.monotonic() - began,
        )
    judged = judge(summaries)
    path = FOLDER / f"{options.size}.json"
    result.write(path, conditions, summaries, judged)
    result.show(console, conditions, judged, path.relative_to(ROOT))
    has_missed = any(row.verdict is Verdict.MISSED for row in judged)
    return MISSED if options.check and has_missed else 0


def _warm_up(crowd: clients.Clients, contenders: Sequence[Contender], console: Console) -> None:
    for contender in track(contenders, "Warming up", console=console):
        crowd.run(contender.warm_jobs())


def _measured(
    crowd: clients.Clients, contenders: Sequence[Contender], repeats: int, console: Console
) -> dict[Cell, Summary]:
    """Every contender once a round, so that what disturbs one disturbs its neighbour too."""
    found: dict[Cell, list[Figures]] = {}
    cells = [
        (contender, connections)
        for _ in range(repeats)
        for connections in CONNECTIONS
        for contender in contenders
    ]
    for contender, connections in track(cells, "Measuring", console=console):
        cell = Cell(contender.contest, contender.name, connections)
        figures = figures_of(crowd.run(contender.jobs(connections)))
        found.setdefault(cell, []).append(figures)
    return {cell: summary_of(repeated) for cell, repeated in found.items()}
