"""Servers that tests hold in processes of their own, so that these can be killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from config.child import Account
from config.postgres_binaries import may_enter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
#: Large parts of the standard library that the launcher never imports.
UNNEEDED = ("test", "idlelib", "lib2to3", "ensurepip", "turtledemo", "pydoc_data", "config-*")
#: Holds the server of a state folder until its standard input is closed.
HOLDER = """
import sys
from pathlib import Path
from config.embedded_postgres import THROW_AWAY_SETTINGS, running
with running(Path(sys.argv[1]), settings=THROW_AWAY_SETTINGS):
    print("running", flush=True)
    sys.stdin.read()
"""


class Holder:
    """A process that uses the embedded server of a state folder."""

    def __init__(self, home: Path, *, python: Path | None = None, account: Account | None = None):
        place = python.parents[1] if python else ROOT
        other = {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}
        self.process: subprocess.Popen[str] = subprocess.Popen(
            [python or sys.executable, "-c", HOLDER, str(home)],
            cwd=place,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(place / "packages"),
                "LD_LIBRARY_PATH": str(place / "lib"),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **other,  # type: ignore[call-overload]
        )

    def await_running(self) -> None:
        """Wait until the server answers."""
        if self._pipe(self.process.stdout).readline() != "running\n":
            raise AssertionError(self._pipe(self.process.stderr).read())

    def let_go(self) -> None:
        """Say that the server is no longer needed."""
        self._pipe(self.process.stdin).close()

    def finish(self) -> int:
        """Let go of the server and end; the exit status."""
        self.let_go()
        status: int = self.process.wait(40)
        self._close()
        return status

    def kill(self) -> None:
        """Die without a chance to stop anything."""
        self.process.kill()
        self.process.wait(10)
        self._close()

    def _close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            self._pipe(pipe).close()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe
        return pipe


@contextmanager
def held(home: Path, **how: object) -> Iterator[Holder]:
    """A holder whose server answers."""
    holder = Holder(home, **how)  # type: ignore[arg-type]
    try:
        holder.await_running()
        yield holder
    finally:
        if holder.process.returncode is None:
            holder.finish()


def pids_in(folder: Path) -> set[int]:
    """The live processes that work in a folder."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if (entry / "cwd").samefile(folder):
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


def eventually(condition: Callable[[], object], *, seconds: float) -> bool:
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def folder_of(account: Account | None) -> Iterator[Path]:
    """A folder with a short path that belongs to an account; our own without one."""
    with tempfile.TemporaryDirectory(prefix="errata-") as name:
        if account:
            os.chown(name, account.uid, account.gid)
        yield Path(name)


def copy_home(made: Path, home: Path) -> None:
    """Copy a state folder whose server is at rest, with owners and modes."""
    subprocess.run(["/bin/cp", "-a", made, home], check=True)


def copy_interpreter(target: Path) -> Path:
    """An interpreter with the launcher and what it needs, for accounts that cannot reach ours."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    left_out = shutil.ignore_patterns("*-packages", *UNNEEDED)  # what was compiled comes along
    library = target / "lib" / version
    shutil.copytree(Path(os.__file__).parent, library, ignore=left_out)
    for part in ("psycopg", "psycopg_binary", "embedded_postgres"):
        packages = _packages_of(part)
        for name in (part, f"{part}.libs"):
            if (packages / name).exists():
                shutil.copytree(packages / name, target / "packages" / name)
    shutil.copy2(_packages_of("typing_extensions") / "typing_extensions.py", library)
    shutil.copytree(ROOT / "config", target / "config", ignore=left_out)
    python = target / "bin" / version
    python.parent.mkdir()
    shutil.copy2(Path(sys.executable).resolve(), python)
    for shared in Path(sys.base_prefix, "lib").glob("libpython*"):
        shutil.copy2(shared, target / "lib")
    for place in (target, *target.rglob("*")):
        place.chmod(place.stat().st_mode | (0o055 if place.is_dir() else 0o044))
    assert may_enter(python, Account(65534, 65534))
    return python


def _packages_of(name: str) -> Path:
    spec = find_spec(name)
    assert spec
    assert spec.origin
    packages = Path(spec.origin).parent
    return packages if spec.submodule_search_locations is None else packages.parent
