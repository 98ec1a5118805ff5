"""`make run` serves what it promises, says in one line why it cannot, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from config.embedded_postgres import THROW_AWAY_SETTINGS, database_url, running
from tests.config.launching import ROOT, eventually, pids_in

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

START_SECONDS = 110  # on a machine that runs the rest of the suite meanwhile
#: For starts in which the number of processes is not the point; each loads all of the code.
ONE_WORKER = {"ERRATA_WORKERS": "1"}
READY = re.compile(r"^Errata is ready: http://127\.0\.0\.1:(\d+)$", re.MULTILINE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`python -m config.serve` in a process of its own; below a shell that stands for make."""

    def __init__(
        self, home: Path, *, below_shell: bool = False, variables: dict[str, str] | None = None
    ) -> None:
        self.home = home
        self.seconds_to_ready = 0.0
        self.began = time.monotonic()
        self.port = free_port()
        self.output = home.with_suffix(f".{self.port}")
        program = [sys.executable, "-m", "config.serve", "--port", str(self.port)]
        if below_shell:
            program = ["sh", "-c", '"$@" --die-with-parent; exit', "sh", *program]
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                program,
                cwd=ROOT,
                env={"PATH": os.environ["PATH"], "ERRATA_HOME": str(home)} | (variables or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def await_ready(self) -> None:
        def is_over() -> bool:
            return bool(READY.search(self.said())) or self.process.poll() is not None

        assert eventually(is_over, seconds=START_SECONDS), self.said()
        self.seconds_to_ready = time.monotonic() - self.began
        assert self.process.poll() is None, self.said()

    def get(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def web_pids(self) -> set[int]:
        """The processes that were started to serve this port."""
        address = f"127.0.0.1:{self.port}".encode()
        found = set()
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    if address in (entry / "cmdline").read_bytes():
                        found.add(int(entry.name))
                except OSError:
                    continue
        return found

    def has_left_nothing(self) -> bool:
        return not self.web_pids() and not pids_in(self.home / "postgres")

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        return self.process.wait(30)


@dataclass(frozen=True)
class FirstRun:
    """What the first start on an empty state folder did, until Ctrl-C."""

    home: Path
    port: int
    said: str
    readyz: tuple[int, bytes]
    status: int
    has_left_nothing: bool


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    server = Server(tmp_path_factory.mktemp("serve") / "home")
    try:
        server.await_ready()
        readyz = server.get("/readyz")
        status = server.end(signal.SIGINT)
    finally:
        server.process.kill()
    return FirstRun(
        server.home, server.port, server.said(), readyz, status, server.has_left_nothing()
    )


@pytest.fixture
def server(first_run: FirstRun) -> Iterator[Server]:
    """A later start on the same state."""
    server = Server(first_run.home, variables=ONE_WORKER)
    try:
        server.await_ready()
        yield server
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGTERM)
        assert eventually(server.has_left_nothing, seconds=15)


def manage(home: Path, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "ERRATA_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=40,
        check=True,
    ).stdout


@pytest.mark.timeout(300)
def test_it_prints_one_address_and_answers_there(first_run: FirstRun) -> None:
    assert [int(port) for port in READY.findall(first_run.said)] == [first_run.port]
    assert first_run.readyz == (200, b'{"status":"ready"}')


@pytest.mark.timeout(300)
def test_it_prints_the_sign_ins_and_tokens_that_it_keeps(first_run: FirstRun) -> None:
    kept = first_run.home / "demo.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    demo = json.loads(kept.read_text(encoding="utf-8"))
    assert demo["project"] == "demo"
    roles = {role for user in demo["users"] for role in user["roles"]}
    assert roles == {"reader", "reviewer", "auditor", "owner"}
    assert demo["tokens"].keys() == {"read_write", "read_only"}
    for word in (*demo["tokens"].values(), *(user["password"] for user in demo["users"])):
        assert word in first_run.said


@pytest.mark.timeout(300)
def test_ctrl_c_stops_everything_in_order(first_run: FirstRun) -> None:
    assert first_run.status == 0
    assert first_run.has_left_nothing
    assert "Traceback" not in first_run.said


@pytest.mark.timeout(300)
def test_its_log_names_routes_and_never_paths(first_run: FirstRun) -> None:
    lines = [json.loads(line) for line in first_run.said.splitlines() if line.startswith("{")]
    assert {line["route"] for line in lines if line["event"] == "request"} == {"readyz"}
    assert "/readyz" not in first_run.said


@pytest.mark.timeout(300)
@pytest.mark.parametrize("below_shell", [False, True], ids=["server", "its parent"])
def test_a_second_start_is_quick_and_what_is_killed_leaves_nothing(
    first_run: FirstRun, *, below_shell: bool
) -> None:
    variables = ONE_WORKER if below_shell else None
    server = Server(first_run.home, below_shell=below_shell, variables=variables)
    try:
        server.await_ready()
    finally:
        server.process.kill()
        server.process.wait(10)
    assert server.seconds_to_ready < 3 * slowness()
    assert "Preparing" not in server.said()
    assert "Loading" not in server.said()
    assert eventually(server.has_left_nothing, seconds=15)


def slowness() -> float:
    """How much longer things take while others compute on the same processors."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)) * 1.5


@pytest.mark.timeout(300)
def test_commands_and_the_server_share_a_database_that_outlives_a_kill(server: Server) -> None:
    second = Server(server.home)  # gives up after five seconds
    plan = manage(server.home, "showmigrations", "--plan")
    assert "[X]  memory.0001_initial" in plan
    first = int((server.home / "postgres" / "postmaster.pid").read_text().split()[0])
    os.kill(first, signal.SIGKILL)
    assert eventually(lambda: server.get("/readyz")[0] == 503, seconds=5)
    assert eventually(lambda: server.get("/readyz")[0] == 200, seconds=10)
    assert server.get("/sign-in/")[0] == 200

    assert second.process.wait(30) == 1
    assert second.said() == (
        f"Another Errata uses {server.home}; stop it, or set ERRATA_HOME to another folder.\n"
    )

    assert server.end(signal.SIGTERM) == 0
    assert manage(server.home, "showmigrations", "--plan") == plan
    assert server.has_left_nothing()


def refusal(home: Path, **variables: str) -> str:
    """What a start that must fail says: one line."""
    server = Server(home, variables=variables)
    assert server.process.wait(40) == 1
    said = server.said()
    assert said.endswith("\n")
    assert said.count("\n") == 1, said
    assert "secret" not in said
    return said


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = subprocess.run(
            [sys.executable, "-m", "config.serve", "--port", str(port)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "ERRATA_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    assert outcome.stderr == (
        f"Port {port} is in use; choose another one, as in: make run PORT=8001\n"
    )
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("mysql://ann:secret@127.0.0.1/facts", "DATABASE_URL must be like postgresql://"),
        ("postgresql://ann:secret@127.0.0.1:1/facts", "Connection refused"),
        ("postgresql://ann:secret@/facts?host=/nowhere", "No such file or directory"),
    ],
)
def test_a_broken_database_address_is_one_line(tmp_path: Path, address: str, words: str) -> None:
    assert words in refusal(tmp_path / "home", DATABASE_URL=address)


def test_a_database_that_may_lose_writes_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other"
    with running(other, settings=THROW_AWAY_SETTINGS):
        said = refusal(tmp_path / "home", DATABASE_URL=database_url(other))
    assert said == (
        "PostgreSQL runs with fsync off: acknowledged writes would not outlive a crash.\n"
    )


def test_an_old_database_is_one_line(tmp_path: Path, old_server: str) -> None:
    assert refusal(tmp_path / "home", DATABASE_URL=old_server) == (
        "PostgreSQL 14 is too old: Errata needs PostgreSQL 15 or newer.\n"
    )


def test_a_state_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = refusal(tmp_path / "home", ERRATA_HOME=str(tmp_path / "file" / "home"))
    assert (
        said
        == f"The state folder {tmp_path / 'file' / 'home'} cannot be written: not a directory.\n"
    )


def test_a_setting_that_does_not_fit_is_one_line(tmp_path: Path) -> None:
    assert refusal(tmp_path / "home", ERRATA_WORKERS="many") == (
        "ERRATA_WORKERS must be a whole number, such as 10.\n"
    )
