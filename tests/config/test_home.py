"""The state folder is where the operator expects it, and its secrets are private."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from config.home import HomeUnusable, prepare_home, read_secret, state_folder, write_private


def test_errata_home_moves_all_state() -> None:
    assert state_folder({"ERRATA_HOME": "/srv/errata"}) == Path("/srv/errata")


def test_without_it_state_lies_where_the_user_keeps_data() -> None:
    expected = Path("/var/lib/errata") if os.geteuid() == 0 else Path("/shared/errata")
    assert state_folder({"XDG_DATA_HOME": "/shared"}) == expected


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    home = prepare_home(tmp_path / "new" / "home")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert list(home.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeUnusable, match=r"file/home cannot be written: not a directory\.$"):
        prepare_home(tmp_path / "file" / "home")


def test_a_private_file_is_replaced_whole_and_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("older and longer", encoding="utf-8")
    path.chmod(0o644)
    write_private(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]


def test_a_secret_is_made_once_and_long_enough(tmp_path: Path) -> None:
    secret = read_secret(tmp_path / "secret_key")
    assert len(secret) >= 50
    assert read_secret(tmp_path / "secret_key") == secret
    assert read_secret(tmp_path / "another") != secret
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_all_that_ask_at_once_get_one_secret(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)
    found: list[str] = []

    def ask() -> None:
        barrier.wait()
        found.append(read_secret(tmp_path / "secret_key"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
