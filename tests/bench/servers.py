"""The two web servers that are measured: the same gunicorn settings, another application."""

from __future__ import annotations

import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from config.child import command
from config.serve import LOCAL_SETTINGS
from tests.bench.clients import HOST, CannotMeasure, Http

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = "config.wsgi"
BARE: Final = "tests.bench.bare_wsgi:application"
WORKERS, THREADS = 2, 4
READY_SECONDS: Final = 30
STOP_SECONDS: Final = 15
#: Limits stay switched on, since they cost something, but out of reach.
FAR_AWAY: Final = "9999999999"


def server_settings(address: str, home: Path) -> dict[str, str]:
    """The environment in which servers and this program read their settings."""
    return {
        **LOCAL_SETTINGS,
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "DATABASE_URL": address,
        "ERRATA_HOME": str(home),
        "ERRATA_SECRET_KEY": secrets.token_urlsafe(48),
        "ERRATA_READS_PER_MINUTE": FAR_AWAY,
        "ERRATA_WRITES_PER_MINUTE": FAR_AWAY,
        "ERRATA_WORKERS": str(WORKERS),
        "ERRATA_THREADS": str(THREADS),
    }


@contextmanager
def serving(application: str, log: Path, environment: dict[str, str]) -> Iterator[Http]:
    """A gunicorn that serves the application while the context lasts, as clients call it."""
    with socket.create_server((HOST, 0), backlog=128) as listener, log.open("wb") as lines:
        program = [
            *(sys.executable, "-m", "gunicorn", application),
            *("--config", "python:config.web_server"),
            *("--bind", f"fd://{listener.fileno()}"),
        ]
        server = subprocess.Popen(
            command(program, last_signal=signal.SIGTERM, account=None),
            cwd=ROOT,
            env=_without_ours(os.environ) | environment,
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
            start_new_session=True,  # Ctrl-C reaches us alone, and we stop in order
        )
        port: int = listener.getsockname()[1]
        try:
            _await_ready(server, port, log)
            yield Http(port, server.pid)
        finally:
            _stop(server)


def _without_ours(variables: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing says how Errata is to run."""
    return {name: value for name, value in variables.items() if not name.startswith("ERRATA_")}


def _await_ready(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not _is_ready(port):
        if server.poll() is not None or time.monotonic() > deadline:
            last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
            raise CannotMeasure(f"A web server did not start: {' '.join(last)}")
        time.sleep(0.05)


def _is_ready(port: int) -> bool:
    request = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        request.request("GET", "/readyz")
        return request.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        request.close()


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):  # the group is ours: a session of its own
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
