"""The story in the README works as it stands there, against a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import LazySettings

from tests.commands import said
from tests.invariants import assert_invariants
from tests.serving import Server

pytestmark = [pytest.mark.slow]

README: Final = Path(__file__).parents[2] / "README.md"
BLOCKS: Final = re.findall(
    r"^```sh\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)


def _told(block: str, server: Server, home: Path) -> list[dict[str, Any]]:
    """The JSON answers that a shell prints which runs all blocks up to this one."""
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ERRATA_HOME": str(home),
        "PORT": str(server.port),
    }
    script = home / "story.sh"
    script.write_text(block, encoding="utf-8")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", str(script)],  # noqa: S607 - whichever bash the reader has
        cwd=README.parent,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_story_of_a_doubt_runs_as_it_is_told(
    transactional_db: None,  # noqa: ARG001 - the server sees committed rows only
    server: Server,
    tmp_path: Path,
    settings: LazySettings,
) -> None:
    settings.ERRATA_HOME = tmp_path
    said("load_demo")

    answers = _told("".join(BLOCKS), server, tmp_path)
    found, queue, promoted, again, late, seen, refused, *loop = answers

    [record] = found["records"]
    assert (record["subject"], record["object"]) == ("Montserrat", "Plymouth")
    assert queue["feedback"][0]["proposed_object"] == "Brades"
    assert queue["feedback"][0]["target"]["version"] == record["version"]
    assert (promoted["operation"], promoted["record_id"]) == ("record.correct", record["id"])
    assert again["error"]["code"] == "feedback_already_promoted"
    assert late["error"]["code"] == "record_conflict"
    assert seen["feedback"]
    assert refused["error"]["code"] == "forbidden"

    concluded, before, *outcomes, after = loop
    assert concluded["meta"]["canonical_replays"] == 0
    assert [answer["data"]["outcome"] for answer in outcomes] == ["irrelevant", "useful"] * 3
    first, second = (item["claim_id"] for item in before["data"]["items"])
    assert [item["claim_id"] for item in after["data"]["items"]] == [second, first]
    assert [item["score_components"]["utility"] for item in after["data"]["items"]] == [1, 0]
    assert_invariants()


def test_every_command_of_the_readme_exists() -> None:
    text = README.read_text(encoding="utf-8")
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)", text) + re.findall(r"make -s ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for path in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (README.parent / path).exists(), path


def test_without_a_demo_the_shell_is_told_to_start_the_server(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "-s", "demo-env"],  # noqa: S607
        cwd=README.parent,
        env={"PATH": os.environ["PATH"], "ERRATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )

    assert done.returncode != 0
    assert done.stdout == ""
    assert "start the server first: make run" in done.stderr
