"""The machine that a result belongs to, and whether anything else keeps it busy."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import psycopg

IDLE_SHARE: Final = 0.10
CALM_SECONDS: Final = 2
_SKIPPED: Final = ("idle", "iowait")
_FIELDS: Final = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True, slots=True)
class Calm:
    """How busy the processors were when the bench began, as a share, and how long it had waited."""

    busy: float
    waited: float

    @property
    def is_idle(self) -> bool:
        """Whether nothing else ran to speak of."""
        return self.busy <= IDLE_SHARE


def machine_line(conninfo: str) -> str:
    """Processors, memory, system and versions."""
    with psycopg.connect(conninfo) as connection:
        postgres = connection.info.parameter_status("server_version")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = [
        f"{os.cpu_count()} x {_processor()}",
        f"{memory:.0f} GiB",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
        f"PostgreSQL {postgres} with fsync",
        f"Django {version('django')}",
        f"psycopg {version('psycopg')}",
        f"gunicorn {version('gunicorn')}",
    ]
    return ", ".join(parts)


def wait_for_calm(most_seconds: float) -> Calm:
    """Wait until the processors were idle for a while, but no longer than so many seconds."""
    began = time.monotonic()
    calm = 0
    while True:
        busy = _busy_share(1.0)
        calm = calm + 1 if busy <= IDLE_SHARE else 0
        waited = time.monotonic() - began
        if calm >= CALM_SECONDS or waited >= most_seconds:
            return Calm(busy, waited)


def _busy_share(seconds: float) -> float:
    before = _times()
    time.sleep(seconds)
    spent = {name: now - before[name] for name, now in _times().items()}
    whole = sum(spent.values())
    return (whole - sum(spent[name] for name in _SKIPPED)) / whole if whole else 0.0


def _times() -> dict[str, int]:
    numbers = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    return {name: int(number) for name, number in zip(_FIELDS, numbers, strict=False)}


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
