"""Commands get a database when they need one, and say in one line what the operator can mend."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from config.command_line import needs_database
from tests.config.launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("manage.py", False),
        ("manage.py help", False),
        ("manage.py create_project --help", False),
        ("manage.py create_project countries", True),
        ("manage.py check --deploy", False),
        ("manage.py check --database default", True),
        ("manage.py migrate", True),
        ("manage.py spectacular --file openapi.yaml", False),
    ],
)
def test_a_server_is_started_only_for_commands_that_use_rows(line: str, *, expected: bool) -> None:
    assert needs_database(line.split()) is expected


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"DATABASE_URL": "mysql://ann:secret@host/facts"}, "DATABASE_URL must be like"),
        ({"DATABASE_URL": "postgresql://ann:secret@127.0.0.1:1/facts"}, "Connection refused"),
        ({"ERRATA_POOL_MAX": "secret"}, "ERRATA_POOL_MAX must be a whole number"),
        ({"ERRATA_SECRET_KEY": "secret"}, "ERRATA_SECRET_KEY must have at least"),
        ({"DJANGO_SETTINGS_MODULE": "config.settings.production"}, "ERRATA_SECRET_KEY must be"),
    ],
)
def test_what_the_operator_can_mend_is_one_line(
    tmp_path: Path, variables: dict[str, str], words: str
) -> None:
    outcome = run("showmigrations", **{"ERRATA_HOME": str(tmp_path / "home"), **variables})
    assert outcome.returncode == 1
    assert words in outcome.stderr
    assert outcome.stderr.count("\n") == 1, outcome.stderr
    assert "secret" not in outcome.stderr


def test_help_needs_neither_home_nor_database(tmp_path: Path) -> None:
    outcome = run("migrate", "--help", ERRATA_HOME=str(tmp_path / "home"))
    assert outcome.returncode == 0, outcome.stderr
    assert not (tmp_path / "home").exists()
