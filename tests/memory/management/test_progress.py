from __future__ import annotations

import os
import sys

import pytest

from memory.management.progress import progress_bar


def test_nothing_is_drawn_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Records", total=2) as advance:
        advance(1)
        advance(1)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_the_bar_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, terminal = os.openpty()
    with os.fdopen(terminal, "w") as screen:
        monkeypatch.setattr(sys, "stderr", screen)
        with progress_bar("Records", total=2) as advance:
            advance(2)
        screen.flush()
        seen = ""
        while "100%" not in seen:  # the time limit ends it otherwise
            seen += os.read(ours, 65_536).decode(errors="replace")
    os.close(ours)
    assert "Records" in seen
    assert capsys.readouterr().out == ""
