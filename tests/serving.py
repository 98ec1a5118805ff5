"""A real server for tests: gunicorn, two processes of four threads, on the test's own database."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings
from pytest_django import DjangoDbBlocker

from config.child import command
from config.serve import LOCAL_SETTINGS
from tests.commands import environment
from tests.leaks import leaks_in
from tests.wire import OverHttp

HOST: Final = "127.0.0.1"
WORKERS, THREADS = 2, 4
READY_SECONDS: Final = 40
STOP_SECONDS: Final = 15


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    port: int
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{HOST}:{self.port}"

    def call(self, token: str) -> OverHttp:
        """Calls with this credential."""
        return OverHttp(HOST, self.port, token)

    def said(self) -> str:
        """All that it has logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def exchange(self, sent: bytes, *, timeout: float = 10, ends: bool = False) -> bytes:
        """What it answers to these bytes until it closes the connection or nothing more comes."""
        received = b""
        with socket.create_connection((HOST, self.port), timeout) as connection:
            connection.sendall(sent)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            with suppress(TimeoutError, ConnectionResetError):
                while part := connection.recv(65_536):
                    received += part
        return received


@contextmanager
def serving(home: Path, variables: Mapping[str, str]) -> Iterator[Server]:
    """A server that lives as long as the context; its state folder is `home`."""
    log = home / "server.log"
    with socket.create_server((HOST, 0), backlog=256) as listener, log.open("wb") as lines:
        program = [
            *(sys.executable, "-m", "gunicorn"),
            *("--config", "python:tests.serving_settings"),
            *("--bind", f"fd://{listener.fileno()}"),
        ]
        process = subprocess.Popen(
            command(program, last_signal=signal.SIGTERM, account=None),
            cwd=settings.BASE_DIR,
            env={
                **os.environ,
                **LOCAL_SETTINGS,
                "DJANGO_SETTINGS_MODULE": "config.settings.production",
                "ERRATA_SECRET_KEY": secrets.token_urlsafe(48),
                "ERRATA_WORKERS": str(WORKERS),
                "ERRATA_THREADS": str(THREADS),
                "ERRATA_HOME": str(home),
                "ERRATA_STATIC_ROOT": str(home / "static"),
                **variables,
            },
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
            start_new_session=True,
        )
        server = Server(listener.getsockname()[1], log, process)
        try:
            _await_answer(server)
            yield server
        finally:
            _stop(process)


def _await_answer(server: Server) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while b" 200 " not in _health(server)[:15]:
        assert server.process.poll() is None, server.said()
        assert time.monotonic() < deadline, server.said()
        time.sleep(0.05)


def _health(server: Server) -> bytes:
    asked = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
    return server.exchange(asked.encode(), timeout=READY_SECONDS)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):  # the group is ours: a session of its own
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="session")
def server(
    django_db_setup: None,  # noqa: ARG001 - the database outlives the server
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """A server for the whole run; tests that use it need `transactional_db`."""
    home = tmp_path_factory.mktemp("served")
    with django_db_blocker.unblock():
        address = environment(home)["DATABASE_URL"]
    with serving(home, {"DATABASE_URL": address}) as running:
        yield running
    said = running.said()
    assert leaks_in(said) == []
    assert "Traceback" not in said


@pytest.fixture(scope="session")
def live_server_url(server: Server) -> str:
    """Where that server answers."""
    return server.url


@pytest.fixture
def live(
    transactional_db: None,  # noqa: ARG001 - the server sees committed rows only
    server: Server,
    agent_token: str,
) -> OverHttp:
    """Call the server as the read-write agent."""
    return server.call(agent_token)
