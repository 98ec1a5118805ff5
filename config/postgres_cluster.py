"""The files of the embedded PostgreSQL: made once, checked and cleared before each start."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from config.child import command
from config.home import PRIVATE_FOLDER, write_private

if TYPE_CHECKING:
    from config.child import Account

SUPERUSER: Final = "postgres"
PORT: Final = 5432  # only part of the socket's name
#: A program enters the cluster before it changes account and names it so from then on: it needs
#: no right to pass the folders above, and none of them is opened up for it.
HERE: Final = "/proc/self/cwd"
#: Nothing of our own surroundings, except what the interpreter of `config.child` may need to run.
BARE_ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"} | {
    name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ
}
HOST_RULES: Final = "local all all scram-sha-256\n"  # no TCP, and nobody without a password
LEFTOVER_SECONDS: Final = 30


class PostgresUnavailable(Exception):
    """The embedded server cannot be used. The message is one sentence for the operator."""


def password_file(home: Path, role: str) -> Path:
    """The file, in libpq's own form, that holds the password of a role."""
    return home / f"postgres.{role}.pass"


def make_password(home: Path, role: str) -> str:
    """A random password, kept in the role's file."""
    password = secrets.token_urlsafe(32)
    write_private(password_file(home, role), f"*:*:*:*:{password}\n")
    return password


def create_cluster(
    home: Path, binaries: Path, account: Account | None, *, is_durable: bool
) -> None:
    """Make the cluster beside its place and move it there, so that a half one is never used."""
    draft = home / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=PRIVATE_FOLDER)
    if account:
        os.chown(draft, account.uid, account.gid)
    program = [
        str(binaries / "initdb"),
        f"--pgdata={HERE}",
        f"--username={SUPERUSER}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        # The parser of the text search asks this one, and under C it takes “ and — for letters.
        "--lc-ctype=C.UTF-8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        *([] if is_durable else ["--no-sync"]),
    ]
    with os.fdopen(os.memfd_create("password"), "w", encoding="ascii") as memory:
        memory.write(make_password(home, SUPERUSER))
        memory.flush()
        program.append(f"--pwfile=/proc/self/fd/{memory.fileno()}")
        done = subprocess.run(  # noqa: S603 - the program is ours, and no shell reads it
            command(program, last_signal=signal.SIGKILL, account=account),
            cwd=draft,
            env=BARE_ENVIRONMENT,
            pass_fds=[memory.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise PostgresUnavailable(f"PostgreSQL could not be set up in {home}: {reason}")
    (draft / "pg_hba.conf").write_text(HOST_RULES, encoding="ascii")
    draft.rename(home / "postgres")


def check_cluster(cluster: Path, account: Account | None, version: str) -> None:
    """Refuse a cluster of another account or of another major version of PostgreSQL."""
    owner = cluster.stat().st_uid
    if owner != (account.uid if account else os.geteuid()) or owner == 0:
        raise PostgresUnavailable(
            f"{cluster} belongs to another account (uid {owner}); set ERRATA_HOME elsewhere."
        )
    made_by = (cluster / "PG_VERSION").read_text(encoding="ascii").strip()
    if made_by != version.partition(".")[0]:
        raise PostgresUnavailable(
            f"{cluster} was made by PostgreSQL {made_by}, but {version} is installed; dump it with "
            f"the old version and load it with the new one."
        )


def end_leftovers(cluster: Path) -> None:
    """See off a server whose owner is dead, and remove its lock files.

    Only the owner of the state folder may call this: then whatever still runs in the cluster is
    an orphan. PostgreSQL's own check takes any live or unreaped process with the old number for
    the server and refuses to start.
    """
    lock_file = cluster / "postmaster.pid"
    deadline = time.monotonic() + LEFTOVER_SECONDS
    is_told = False
    while pids := _pids_in(cluster):
        if not is_told:
            is_told = True
            for pid in pids & _pid_in(lock_file):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGINT)
        if time.monotonic() > deadline:
            raise PostgresUnavailable(
                f"Another PostgreSQL runs in {cluster} (process {min(pids)}); stop it first."
            )
        time.sleep(0.05)
    for stale in (lock_file, *cluster.glob(".s.PGSQL.*")):
        stale.unlink(missing_ok=True)


def _pids_in(cluster: Path) -> set[int]:
    """Live processes that work in the cluster; one that nobody has reaped works nowhere."""
    place = cluster.stat()
    found = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):
            folder = (entry / "cwd").stat()
            if (folder.st_dev, folder.st_ino) == (place.st_dev, place.st_ino):
                found.add(int(entry.name))
    return found - {os.getpid()}


def _pid_in(lock_file: Path) -> set[int]:
    with suppress(OSError):
        if number := re.match(r"\d+", lock_file.read_text(encoding="ascii", errors="replace")):
            return {int(number.group())}
    return set()
