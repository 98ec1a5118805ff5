"""`manage.py rcp --stdio` as a process of its own, on the test's database."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.commands import command_line, environment
from tests.rcp import assert_answer
from tests.wire import encoded

COMMAND: Final = ("rcp", "--stdio")
PATIENCE_SECONDS: Final = 40


def ran(home: Path, token: str | None, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """The command, run to its end."""
    variables = environment(home)
    variables.pop("ERRATA_TOKEN", None)
    return subprocess.run(
        command_line(*COMMAND),
        env=variables if token is None else {**variables, "ERRATA_TOKEN": token},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


@dataclass(slots=True)
class ProcessDoor:
    """RCP over the pipes of a process."""

    process: subprocess.Popen[bytes]

    def send(self, frame: Any, method: str = "") -> Any:
        """Send one line and read one; nothing is sent that is not answered."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(encoded(frame) + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line.endswith(b"\n")
        answer = json.loads(line)
        assert_answer(answer, method)
        return answer


@contextmanager
def started(home: Path, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command while it runs; what it says on stderr is kept in a file."""
    with (home / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            command_line(*COMMAND),
            env={**environment(home), "ERRATA_TOKEN": token},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    try:
        yield process
    finally:
        for pipe in (process.stdin, process.stdout):
            assert pipe
            pipe.close()
        if process.poll() is None:
            process.terminate()
        process.wait(PATIENCE_SECONDS)
