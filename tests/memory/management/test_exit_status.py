"""Commands as a shell sees them: standard output, one line of error, exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.models import Project
from tests.commands import ran

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_success_is_status_0_and_json_is_all_there_is(tmp_path: Path) -> None:
    done = ran(tmp_path, "create_project", "acme", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"id": str(Project.objects.get().id), "name": "acme"}


def test_a_refusal_is_status_1_and_one_line_without_a_traceback(tmp_path: Path) -> None:
    done = ran(tmp_path, "grant", "nope", "mia", "reader")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "CommandError: There is no project of that name. create_project makes one.\n"
    )


def test_a_faulty_command_line_is_status_2_and_names_the_argument(tmp_path: Path) -> None:
    done = ran(tmp_path, "grant", "acme", "mia", "king")
    assert (done.returncode, done.stdout) == (2, "")
    assert "argument role: invalid choice: 'king'" in done.stderr.splitlines()[-1]


def test_a_password_is_piped_in_and_appears_nowhere(tmp_path: Path) -> None:
    done = ran(tmp_path, "create_user", "mia", "--password-stdin", stdin="blue lamps hum softly\n")
    assert done.returncode == 0
    assert "lamps" not in done.stdout + done.stderr
    done = ran(tmp_path, "create_user", "tom", stdin="blue lamps hum softly\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "--password-stdin" in done.stderr
