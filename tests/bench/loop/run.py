"""`make bench`, second part: measure, print tables, write a JSON file.

Ends with 0, with 2 when it could not measure, and with --check with 1 when P11 was missed.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from config.home import HomeUnusable
from config.postgres_cluster import PostgresUnavailable
from tests.bench import clients
from tests.bench.clients import CannotMeasure
from tests.bench.goals import Verdict
from tests.bench.ground import FOLDER, empty, settle
from tests.bench.machine import machine_line, wait_for_calm
from tests.bench.run import MISSED, TABLE_CHARACTERS, UNMEASURED
from tests.bench.servers import PRODUCT, ROOT, serving

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.table import Table

#: Records in the projects whose growth is measured, and in those of P11, by the name of a run.
SIZES: Final = {
    "10k": ((1_000, 10_000), (20_000,)),
    "100k": ((1_000, 10_000, 100_000), (20_000,)),
    "200k": ((1_000, 10_000), (20_000, 200_000)),
}
#: The first part knows larger runs; this part does as usual then.
LARGER: Final = ("1M", "10M")
PARTS: Final = ("speed", "calls", "quality", "poisoning")


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
    parser = argparse.ArgumentParser(prog="python -m tests.bench.loop", description=__doc__)
    parser.add_argument("--size", choices=(*SIZES, *LARGER), default="10k", help="the largest")
    parser.add_argument("--repeats", type=int, choices=range(2, 51), default=5, metavar="2..50")
    parser.add_argument("--wait", type=float, default=60, help="seconds to wait for idleness")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this; may repeat")
    parser.add_argument("--check", action="store_true", help="1 when a required goal is missed")
    return parser.parse_args(arguments)


def _bench(options: argparse.Namespace, console: Console) -> int:
    name = options.size if options.size in SIZES else "10k"
    parts = options.part or PARTS
    began = time.monotonic()
    with empty() as (home, environment, conninfo):
        found = _Found(name, options, console, home)
        if "quality" in parts:
            found.measure_quality()
        if "poisoning" in parts:
            found.measure_poisoning()
        if "speed" in parts:
            found.measure_speed()
        if "calls" in parts:
            found.measure_calls(environment)
        found.written["conditions"] |= {
            "machine": machine_line(conninfo),
            "repeats": options.repeats,
            "seconds": time.monotonic() - began,
        }
    path = FOLDER / f"loop-{name}.json"
    path.write_text(json.dumps(found.written, indent=2) + "\n", encoding="utf-8")
    found.show(path)
    return MISSED if options.check and found.has_missed else 0


class _Found:
    """What was found so far. Modules that need Django's models are imported when it is set up."""

    def __init__(
        self, name: str, options: argparse.Namespace, console: Console, home: Path
    ) -> None:
        self._sizes, self._call_sizes = SIZES[name]
        self._options, self._console, self._home = options, console, home
        self._tables: list[Table] = []
        self.written: dict[str, Any] = {"conditions": {}}
        self.has_missed = False

    def measure_quality(self) -> None:
        """How well packs rank."""
        from tests.bench.loop import quality, tables

        rows = quality.measured(self._console)
        self._tables.append(tables.of_quality(rows))
        self.written["quality"] = [asdict(row) for row in rows]

    def measure_poisoning(self) -> None:
        """How far a liar gets."""
        from tests.bench.loop import poisoning, tables

        rows = poisoning.measured(self._console)
        self._tables.append(tables.of_poisoning(rows))
        self.written["poisoning"] = [asdict(row) | {"lie_is_first": row.is_first} for row in rows]

    def measure_speed(self) -> None:
        """How a compile grows with its project."""
        from tests.bench.loop import speed, tables

        places = [
            speed.load(size, neighbours=speed.NEIGHBOURS, console=self._console)
            for size in self._sizes
        ]
        self._settle("speed")
        rows = speed.measured(places, repeats=self._options.repeats, console=self._console)
        self._tables.append(tables.of_speed(rows))
        self.written["speed"] = [asdict(row) for row in rows]

    def measure_calls(self, environment: dict[str, str]) -> None:
        """P11."""
        from tests.bench.loop import calls, speed, tables

        places = [
            speed.load(size, neighbours=0, console=self._console) for size in self._call_sizes
        ]
        self._settle("calls")
        with (
            serving(PRODUCT, self._home / "product.log", environment) as server,
            clients.started(1) as crowd,
        ):
            summaries = calls.run(
                crowd, server, places, repeats=self._options.repeats, console=self._console
            )
        judged = calls.judge(summaries)
        self._tables.append(tables.of_calls(summaries, judged))
        self.has_missed = any(row.verdict is Verdict.MISSED for row in judged)
        self.written["calls"] = {str(size): asdict(row) for size, row in summaries.items()}
        self.written["goals"] = [asdict(row) for row in judged]

    def _settle(self, part: str) -> None:
        """Vacuum, then wait until nothing else is busy, and note how far that went."""
        settle(self._home)
        self.written["conditions"][f"calm before {part}"] = asdict(
            wait_for_calm(self._options.wait)
        )

    def show(self, path: Path) -> None:
        """Print the tables and under what they came about."""
        for table in self._tables:
            self._console.print(table)
        conditions = self.written["conditions"]
        self._console.print(conditions["machine"], highlight=False)
        for part in ("speed", "calls"):
            if calm := conditions.get(f"calm before {part}"):
                self._console.print(
                    f"{part}: {calm['busy']:.0%} busy after waiting {calm['waited']:.0f} s",
                    highlight=False,
                )
        self._console.print(
            f"{conditions['repeats']} repeats, interleaved; {conditions['seconds']:.0f} s in all"
        )
        self._console.print(
            f"Everything: {path.relative_to(ROOT)}", highlight=False, soft_wrap=True
        )
