"""`make demo-env`: what a shell gets to evaluate, and what it is told without a demo."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from config.demo_env import main


def test_the_lines_set_address_and_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ERRATA_HOME", str(tmp_path))
    tokens = {"read_write": "a b", "read_only": "c'd"}
    (tmp_path / "demo.json").write_text(json.dumps({"tokens": tokens}), encoding="utf-8")

    assert main(["--port", "8080"]) == 0

    assert [shlex.split(line) for line in capsys.readouterr().out.splitlines()] == [
        ["export", "ERRATA_URL=http://127.0.0.1:8080"],
        ["export", "ERRATA_TOKEN=a b"],
        ["export", "ERRATA_READ_TOKEN=c'd"],
    ]


@pytest.mark.parametrize("content", [None, "", "{}", '{"tokens": {}}', "[]", '"x"'])
def test_without_a_demo_it_says_how_to_get_one(
    content: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ERRATA_HOME", str(tmp_path))
    if content is not None:
        (tmp_path / "demo.json").write_text(content, encoding="utf-8")

    assert main([]) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "There is no demo here; start the server first: make run\n"
