"""Where the state of an installation lies, and the private files in it."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
SECRET_BYTES: Final = 48
ROOT_HOME: Final = Path("/var/lib/errata")


class HomeUnusable(Exception):
    """The state folder cannot be used. The message is one sentence for the operator."""


def state_folder(variables: Mapping[str, str] | None = None) -> Path:
    """The folder of all state: ERRATA_HOME, else the place usual for the user."""
    environment = os.environ if variables is None else variables
    named = environment.get("ERRATA_HOME", "").strip()
    if named:
        return Path(named).expanduser().absolute()
    if os.geteuid() == 0:
        return ROOT_HOME
    shared = environment.get("XDG_DATA_HOME", "").strip()
    try:
        base = Path(shared) if os.path.isabs(shared) else Path.home() / ".local" / "share"
    except RuntimeError:
        raise HomeUnusable("There is no home folder; set ERRATA_HOME to a folder.") from None
    return base / "errata"


def prepare_home(home: Path) -> Path:
    """Make the state folder, private to its owner, and prove that it can be written."""
    try:
        home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        probe = home / f".probe-{os.getpid()}"
        probe.touch(mode=PRIVATE_FILE)
        probe.unlink()
    except OSError as error:
        reason = (error.strerror or "cannot be used").lower()
        raise HomeUnusable(f"The state folder {home} cannot be written: {reason}.") from None
    return home


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, replacing an older one at once."""
    _draft(path, text).replace(path)


def read_secret(path: Path) -> str:
    """The secret kept in this file; made at random the first time, once for all who ask."""
    if not path.exists():
        draft = _draft(path, secrets.token_urlsafe(SECRET_BYTES) + "\n")
        with suppress(FileExistsError):
            os.link(draft, path)  # unlike a rename, never replaces what another start has made
        draft.unlink()
    return path.read_text(encoding="utf-8").strip()


def _draft(path: Path, text: str) -> Path:
    """A private file beside its later place."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return Path(name)
