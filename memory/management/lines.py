"""Files of JSON objects, one a line, read in batches: as strict as a request's body."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Generic, TypeVar

from django.core.management.base import CommandError

from memory.errors import DomainError
from memory.http.strict_json import BODY_BYTES, parse_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

Value = TypeVar("Value")

LINES_PER_BATCH: Final = 200
FAULTS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Line(Generic[Value]):
    """What a line says, and where it stands."""

    number: int
    value: Value


@dataclass(frozen=True, slots=True)
class LoadCounts:
    """What became of the lines of a file."""

    added: int = 0
    skipped: int = 0

    @property
    def lines(self) -> int:
        """Lines that are in now, whoever put them there."""
        return self.added + self.skipped

    def plus(self, *, added: int, lines: int) -> LoadCounts:
        """These counts and those of another batch of lines."""
        return LoadCounts(self.added + added, self.skipped + lines - added)


def size_of(path: Path) -> int:
    """The length of a file in bytes. Raises CommandError if it cannot be read."""
    try:
        with path.open("rb"):
            return path.stat().st_size
    except OSError as error:
        raise _unreadable(error) from error


def read_batches(
    path: Path, accept: Callable[[dict[str, Any]], Value], advance: Callable[[int], None]
) -> Iterator[list[Line[Value]]]:
    """The lines of a file in batches; `advance` hears how many bytes the caller is done with.

    Raises CommandError, which names every bad line of the batch, before the batch is handed out.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise _unreadable(error) from error
    with file:
        numbered = _numbered(file)
        while raws := list(islice(numbered, LINES_PER_BATCH)):
            yield _accepted(raws, accept)
            advance(sum(len(raw.value) for raw in raws))


def refuse_lines(batch: Sequence[Line[Any]], faults: Mapping[int, str]) -> None:
    """Raise CommandError if a batch has faults, which are sentences by the numbers of lines."""
    if not faults:
        return
    shown = [f"line {number}: {faults[number]}" for number in sorted(faults)[:FAULTS_SHOWN]]
    if len(faults) > FAULTS_SHOWN:
        shown.append(f"and {len(faults) - FAULTS_SHOWN} more lines.")
    shown.append(f"Nothing from line {batch[0].number} on was written. Mend the file and repeat.")
    raise CommandError("\n".join(shown))


def _unreadable(error: OSError) -> CommandError:
    reason = (error.strerror or "unknown reason").lower()
    return CommandError(f"The file cannot be read: {reason}.")


def _numbered(file: BinaryIO) -> Iterator[Line[bytes]]:
    """Lines that are not empty; one that is too long comes cut, and nothing comes after it."""
    number = 0
    while raw := file.readline(BODY_BYTES + 2):
        number += 1
        if raw.strip(b" \t\r\n"):
            yield Line(number, raw)
        if len(raw) > BODY_BYTES and not raw.endswith(b"\n"):
            return


def _accepted(
    raws: Sequence[Line[bytes]], accept: Callable[[dict[str, Any]], Value]
) -> list[Line[Value]]:
    accepted, faults = [], {}
    for raw in raws:
        try:
            accepted.append(Line(raw.number, accept(parse_object(raw.value.rstrip(b"\r\n")))))
        except DomainError as error:
            faults[raw.number] = error.message.replace("The body", "The line")
    refuse_lines(raws, faults)
    return accepted
