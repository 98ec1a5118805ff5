"""A progress bar for people who watch; nothing where standard error is no terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress_bar(title: str, *, total: int) -> Iterator[Callable[[int], None]]:
    """Draw a bar on standard error while the context lasts; call the result with each advance."""
    bar = Progress(
        TextColumn(title),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda step: bar.advance(task, step)
