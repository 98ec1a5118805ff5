"""Our own launcher of the embedded PostgreSQL: private, without TCP, never left behind.

One process owns the server of a state folder from start to stop and holds `postgres.lock`
meanwhile; the kernel ends the server when that process dies. Others are guests: they share
`postgres.guests`, and an owner that is a mere command waits for them before it stops the server.
"""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.child import command
from config.home import PRIVATE_FOLDER, prepare_home
from config.locks import FileLock
from config.postgres_binaries import BinariesUnusable, binaries_for, server_account, server_version
from config.postgres_cluster import (
    BARE_ENVIRONMENT,
    HERE,
    PORT,
    SUPERUSER,
    PostgresUnavailable,
    check_cluster,
    create_cluster,
    end_leftovers,
    make_password,
    password_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from config.child import Account

DATABASE: Final = "errata"
ROLE: Final = "errata"
SOCKET_PATH_BYTES: Final = 107  # what the address of a unix socket holds
START_SECONDS: Final = 60
STOP_SECONDS: Final = 30
LOG_BYTES: Final = 1_000_000

SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "password_encryption": "scram-sha-256",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "autovacuum": "on",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "timezone": "UTC",
    # No statement, value or key of a row reaches the log.
    "log_timezone": "UTC",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_statement": "none",
    "log_checkpoints": "off",
    # What was acknowledged outlives a crash.
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
}
#: For servers that tests throw away: fast and roomy, but a crash of the machine spoils the files.
THROW_AWAY_SETTINGS: Final = SETTINGS | {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "400",
}


def connection_parameters(home: Path) -> dict[str, str]:
    """How the application reaches the server of a state folder; nothing is started or read."""
    return _parameters(home, ROLE, DATABASE)


def superuser_parameters(home: Path) -> dict[str, str]:
    """How the operator reaches the server as its superuser."""
    return _parameters(home, SUPERUSER, "postgres")


def database_url(home: Path) -> str:
    """The application's parameters as an address, which names the password's file only."""
    parameters = connection_parameters(home)
    name = parameters.pop("dbname")
    return f"postgresql:///{name}?{urlencode(parameters)}"


def _parameters(home: Path, role: str, database: str) -> dict[str, str]:
    return {
        "dbname": database,
        "user": role,
        "host": str(socket_folder(home)),
        "passfile": str(password_file(home, role)),
    }


def socket_folder(home: Path) -> Path:
    """The cluster itself, or a short folder where that would make the socket's path too long."""
    cluster = home / "postgres"
    if len(os.fsencode(cluster / f".s.PGSQL.{PORT}")) <= SOCKET_PATH_BYTES:
        return cluster
    name = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    base = "/run" if os.geteuid() == 0 else "/tmp"  # noqa: S108 - owner and mode are checked
    return Path(base) / f"errata-{os.geteuid()}-{name}"


@contextmanager
def running(home: Path, *, settings: Mapping[str, str] = SETTINGS) -> Iterator[dict[str, str]]:
    """The connection parameters of a server that runs while the context lasts.

    Uses the live server of this state folder if there is one, else starts one and stops it at
    the end, after commands that came meanwhile have finished with it.
    """
    prepare_home(home)
    server = EmbeddedPostgres(home, settings=settings)
    guests = FileLock(home / "postgres.guests")
    deadline = time.monotonic() + START_SECONDS
    while not server.try_to_own():
        with guests.shared():  # waits while an owner is stopping
            if _answers(connection_parameters(home)):
                yield connection_parameters(home)
                return
        if time.monotonic() > deadline:
            raise PostgresUnavailable(f"The PostgreSQL of {home} is in use but does not answer.")
        time.sleep(0.05)
    try:
        server.start()
        try:
            yield connection_parameters(home)
        finally:
            guests.take()
    finally:
        server.stop()
        guests.release()


def _answers(parameters: dict[str, str]) -> bool:
    try:
        psycopg.connect(make_conninfo("", **parameters), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


class EmbeddedPostgres:
    """The server of one state folder, as the process that owns it sees it."""

    def __init__(self, home: Path, *, settings: Mapping[str, str] = SETTINGS) -> None:
        self._home = home
        self._cluster = home / "postgres"
        self._log = home / "postgres.log"
        self._settings = settings
        self._lock = FileLock(home / "postgres.lock")
        self._log_start = 0
        self._server: subprocess.Popen[bytes] | None = None

    def try_to_own(self) -> bool:
        """Become the owner, unless another process is."""
        return self._lock.try_to_take()

    def is_alive(self) -> bool:
        """Whether the server still runs; a dead one is reaped, so that it can start again."""
        return self._server is not None and self._server.poll() is None

    def start(self) -> None:
        """Start the server and wait until it answers. Only its owner may, from a lasting thread."""
        try:
            account = server_account(self._cluster)
            binaries = binaries_for(account)
        except BinariesUnusable as error:
            raise PostgresUnavailable(str(error)) from None
        if not self._cluster.exists():
            create_cluster(
                self._home, binaries, account, is_durable=self._settings["fsync"] == "on"
            )
        check_cluster(self._cluster, account, server_version(binaries))
        end_leftovers(self._cluster)
        self._launch(binaries, account)
        self._await_answer()
        self._create_database()

    def stop(self) -> None:
        """Stop the server, fast but cleanly, and cease to be its owner."""
        if self._server is not None and self.is_alive():
            self._server.send_signal(signal.SIGINT)
            try:
                self._server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._server.send_signal(signal.SIGQUIT)
                self._server.wait()
        self._server = None
        self._lock.release()

    def _launch(self, binaries: Path, account: Account | None) -> None:
        folder = socket_folder(self._home)
        if folder != self._cluster:
            _make_private(folder, account)
        here = HERE if folder == self._cluster else str(folder)
        program = [str(binaries / "postgres"), "-D", HERE]
        for name, value in [*self._settings.items(), ("unix_socket_directories", here)]:
            program += ["-c", f"{name}={value}"]
        if self._log.exists() and self._log.stat().st_size > LOG_BYTES:
            self._log.replace(self._log.with_suffix(".log.1"))
        self._log.touch(mode=0o600)
        with self._log.open("ab") as log:
            self._log_start = log.tell()
            self._server = subprocess.Popen(  # noqa: S603 - the program is ours, no shell reads it
                command(program, last_signal=signal.SIGINT, account=account),
                cwd=self._cluster,
                env=BARE_ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches the owner alone, which stops in order
            )

    def _await_answer(self) -> None:
        parameters = superuser_parameters(self._home)
        if not Path(parameters["passfile"]).exists():
            raise PostgresUnavailable(f"The password file {parameters['passfile']} is missing.")
        deadline = time.monotonic() + START_SECONDS
        while not _answers(parameters):
            if not self.is_alive() or time.monotonic() > deadline:
                raise PostgresUnavailable(
                    f"PostgreSQL did not start in {self._home}: {self._last_words()}"
                )
            time.sleep(0.02)

    def _last_words(self) -> str:
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").splitlines()
        # What our own question got while the server was starting is no reason.
        reasons = [line for line in lines if "FATAL:" in line and "is starting up" not in line]
        return reasons[-1].partition("FATAL:")[2].strip() if reasons else f"see {self._log}"

    def _create_database(self) -> None:
        """Make the application's role, which is no superuser, and its database, unless there."""
        superuser = make_conninfo("", **superuser_parameters(self._home))
        with psycopg.connect(superuser, autocommit=True) as connection:
            role, database = sql.Identifier(ROLE), sql.Identifier(DATABASE)
            if not connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]
            ).fetchone():
                password = sql.Literal(make_password(self._home, ROLE))
                connection.execute(
                    sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, password)
                )
            if not connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
            ).fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role))


def _make_private(folder: Path, account: Account | None) -> None:
    """Make the short socket folder; refuse one that somebody else has put in its place."""
    uid = account.uid if account else os.geteuid()
    try:
        folder.mkdir(mode=PRIVATE_FOLDER)
        if account:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or found.st_mode & 0o077:
            raise PostgresUnavailable(
                f"{folder} is not private to us; remove it, or set ERRATA_HOME to a shorter path."
            ) from None
