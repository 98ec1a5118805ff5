"""Running the operator's commands: what they say, what they answer, why they refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def said(name: str, *arguments: object) -> str:
    """What a command writes to standard output."""
    output = StringIO()
    call_command(name, *map(str, arguments), stdout=output)
    return output.getvalue()


def answered(name: str, *arguments: object) -> dict[str, Any]:
    """The one JSON object that a command writes with `--json`."""
    output = said(name, *arguments, "--json")
    assert output.count("\n") == 1
    answer: dict[str, Any] = json.loads(output)
    return answer


def refusal_of(name: str, *arguments: object) -> str:
    """Why a command refuses; it writes nothing and ends with status 1."""
    output = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command(name, *map(str, arguments), stdout=output)
    assert output.getvalue() == ""
    assert refused.value.returncode == 1
    return str(refused.value)


def command_line(*arguments: object) -> list[str]:
    """A command as a shell would start it."""
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), *map(str, arguments)]


def environment(home: Path) -> dict[str, str]:
    """Variables that lead a process to the database of this test."""
    found = connection.get_connection_params()
    wanted = ("user", "password", "host", "port", "passfile")
    query = urlencode({name: found[name] for name in wanted if name in found})
    address = f"postgresql:///{found['dbname']}?{query}"
    return os.environ | {"ERRATA_HOME": str(home), "DATABASE_URL": address}


def ran(home: Path, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A command run to its end in a process of its own."""
    return subprocess.run(
        command_line(*arguments),
        env=environment(home),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


def write_lines(path: Path, lines: Iterable[object]) -> Path:
    """Write a file of JSON objects, one a line; a text stands as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path
