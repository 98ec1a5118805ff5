from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from memory.errors import FieldInvalid
from memory.http.strict_json import BODY_BYTES
from memory.management.lines import FAULTS_SHOWN, LINES_PER_BATCH, LoadCounts, read_batches, size_of
from tests.commands import write_lines


def accept(values: dict[str, Any]) -> int:
    if not isinstance(values.get("n"), int):
        raise FieldInvalid("n", "must be an integer.")
    return int(values["n"])


def batches_of(path: Path) -> list[list[tuple[int, int]]]:
    batches = read_batches(path, accept, lambda _: None)
    return [[(line.number, line.value) for line in batch] for batch in batches]


def refusal_of(path: Path) -> list[str]:
    with pytest.raises(CommandError) as refused:
        batches_of(path)
    return str(refused.value).splitlines()


def test_lines_come_in_batches_with_their_numbers(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", ({"n": n} for n in range(LINES_PER_BATCH + 3)))
    first, second = batches_of(path)
    assert first == [(n + 1, n) for n in range(LINES_PER_BATCH)]
    assert second == [(n + 1, n) for n in range(LINES_PER_BATCH, LINES_PER_BATCH + 3)]


def test_an_empty_file_has_no_batches(tmp_path: Path) -> None:
    assert batches_of(write_lines(tmp_path / "f", [])) == []


def test_empty_lines_count_and_say_nothing(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", ["", {"n": 1}, " \t", {"n": 2}, ""])
    assert batches_of(path) == [[(2, 1), (4, 2)]]


def test_lines_may_end_like_on_windows_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b'{"n":1}\r\n{"n":2}')
    assert batches_of(tmp_path / "f") == [[(1, 1), (2, 2)]]


def test_progress_adds_up_to_the_bytes_of_the_lines(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", ({"n": n} for n in range(LINES_PER_BATCH * 2 + 1)))
    steps: list[int] = []
    seen = [len(batch) - len(steps) for batch in read_batches(path, accept, steps.append)]
    assert sum(steps) == size_of(path) == path.stat().st_size
    assert seen == [LINES_PER_BATCH, LINES_PER_BATCH - 1, 1 - 2]  # heard of after each batch


def test_every_bad_line_is_named_with_field_and_rule(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "f", [{"n": 1}, {"n": "x"}, "[]", "{", '{"n": 1, "n": 2}', {"n": 2}, "\ufeff{}"]
    )
    assert refusal_of(path) == [
        'line 2: Field "n" must be an integer.',
        "line 3: The line must be one JSON object.",
        "line 4: The line must be valid JSON, and nothing else.",
        'line 5: Field "n" is given twice.',
        "line 7: The line must not begin with a byte order mark.",
        "Nothing from line 1 on was written. Mend the file and repeat.",
    ]


def test_a_bad_line_lets_the_batches_before_it_through(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", [*({"n": n} for n in range(LINES_PER_BATCH + 1)), {}])
    batches = read_batches(path, accept, lambda _: None)
    assert len(next(batches)) == LINES_PER_BATCH
    with pytest.raises(CommandError) as refused:
        next(batches)
    number = LINES_PER_BATCH + 2
    assert str(refused.value).splitlines() == [
        f'line {number}: Field "n" must be an integer.',
        f"Nothing from line {number - 1} on was written. Mend the file and repeat.",
    ]


def test_the_list_of_bad_lines_is_bounded(tmp_path: Path) -> None:
    refusal = refusal_of(write_lines(tmp_path / "f", [{}] * (FAULTS_SHOWN + 5)))
    assert len(refusal) == FAULTS_SHOWN + 2
    assert refusal[-2] == "and 5 more lines."


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b'{"n":1}\n{"n":"\xff"}\n')
    assert refusal_of(tmp_path / "f")[0] == "line 2: The line must be UTF-8."


@pytest.mark.parametrize("rest", ["", "\n" + '{"n":2}' + "\n"])
def test_a_line_that_is_too_long_is_refused_without_reading_on(tmp_path: Path, rest: str) -> None:
    path = tmp_path / "f"
    path.write_text('{"n":1}\n' + "x" * (3 * BODY_BYTES) + rest, encoding="utf-8")
    assert refusal_of(path) == [
        f"line 2: The line must be at most {BODY_BYTES} bytes.",
        "Nothing from line 1 on was written. Mend the file and repeat.",
    ]


def test_a_line_of_the_most_bytes_passes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text('{"n":1' + " " * (BODY_BYTES - 7) + '}\n{"n":2}\n', encoding="utf-8")
    assert batches_of(path) == [[(1, 1), (2, 2)]]


def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="The file cannot be read: no such file or directory"):
        size_of(tmp_path / "none")
    with pytest.raises(CommandError, match="The file cannot be read: is a directory"):
        batches_of(tmp_path)


def test_counts_add_up() -> None:
    counts = LoadCounts().plus(added=3, lines=5).plus(added=0, lines=2)
    assert (counts.added, counts.skipped, counts.lines) == (3, 4, 7)
