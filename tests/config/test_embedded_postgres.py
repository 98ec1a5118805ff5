"""The embedded PostgreSQL is private, needs no TCP, and is never left behind."""

from __future__ import annotations

import os
import pwd
import signal
import stat
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from config.child import Account
from config.embedded_postgres import (
    SETTINGS,
    THROW_AWAY_SETTINGS,
    EmbeddedPostgres,
    connection_parameters,
    database_url,
    running,
    socket_folder,
    superuser_parameters,
)
from config.postgres_cluster import PostgresUnavailable
from tests.config.launching import (
    Holder,
    copy_home,
    copy_interpreter,
    eventually,
    folder_of,
    held,
    pids_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

IS_ROOT = os.geteuid() == 0
NOBODY = Account(pwd.getpwnam("nobody").pw_uid, pwd.getpwnam("nobody").pw_gid)


def ask(conninfo: str, question: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(conninfo, connect_timeout=5) as connection:
        return connection.execute(question).fetchall()


@pytest.fixture
def no_home(tmp_path: Path) -> Path:
    """Where nothing is yet."""
    return tmp_path / "home"


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One running server for the tests that only look."""
    home = tmp_path_factory.mktemp("shared") / "home"
    with running(home):
        yield home


@pytest.fixture
def owned(home: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(home)
    assert server.try_to_own()
    try:
        server.start()
        yield server
    finally:
        server.stop()


def first_process(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().split()[0])


def test_the_application_signs_in_with_a_password_and_is_no_superuser(shared_home: Path) -> None:
    rows = ask(database_url(shared_home), "SELECT rolsuper FROM pg_roles WHERE rolname = 'errata'")
    assert rows == [(False,)]


@pytest.mark.parametrize("role", ["errata", "postgres"])
def test_nobody_signs_in_without_the_password(shared_home: Path, role: str) -> None:
    parameters = connection_parameters(shared_home) | {"user": role, "passfile": os.devnull}
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(make_conninfo("", **parameters))
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(make_conninfo("", **parameters, password="errata"))


def test_only_the_socket_is_open_and_only_to_passwords(shared_home: Path) -> None:
    superuser = make_conninfo("", **superuser_parameters(shared_home))
    rules = ask(superuser, "SELECT type, auth_method FROM pg_hba_file_rules")
    assert rules == [("local", "scram-sha-256")]
    server = Path("/proc", str(first_process(shared_home)), "fd")
    sockets = {os.readlink(entry) for entry in server.iterdir()}
    tcp = "".join(Path(f"/proc/net/{table}").read_text() for table in ("tcp", "tcp6"))
    assert not {line.split()[9] for line in tcp.splitlines() if ":" in line} & {
        name.strip("socket:[]") for name in sockets if name.startswith("socket:")
    }


def test_nothing_is_readable_for_others_and_no_folder_above_is_opened(shared_home: Path) -> None:
    for entry in (shared_home, *shared_home.iterdir(), shared_home.parent):
        assert stat.S_IMODE(entry.stat().st_mode) & 0o077 == 0, entry.name


def test_writes_are_durable_and_times_are_utc(shared_home: Path) -> None:
    names = "fsync", "full_page_writes", "synchronous_commit", "TimeZone", "jit"
    question = f"SELECT name, setting FROM pg_settings WHERE name IN {names}"  # noqa: S608
    assert dict(ask(database_url(shared_home), question)) == {
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "TimeZone": "UTC",
        "jit": "off",
    }


def test_texts_are_utf8_and_ordered_by_code_point(shared_home: Path) -> None:
    question = """
        SELECT pg_encoding_to_char(encoding), datlocprovider, datlocale FROM pg_database
        WHERE datname = 'errata'
    """
    assert ask(database_url(shared_home), question) == [("UTF8", "b", "C.UTF-8")]


def test_the_log_of_the_server_holds_no_statement_and_no_value(shared_home: Path) -> None:
    with psycopg.connect(database_url(shared_home), autocommit=True) as connection:
        connection.execute("CREATE TABLE marked (text text PRIMARY KEY, number int)")
        connection.execute("INSERT INTO marked VALUES ('marker-one', 1)")
        for statement, values in (
            ("INSERT INTO marked VALUES (%s, 1)", ["marker-one"]),
            ("SELECT %s::text::uuid", ["marker-two"]),
            ("SELECT 'marker-three' FROM nowhere", []),
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement, values)
        connection.execute("DROP TABLE marked")
    assert "marker" not in (shared_home / "postgres.log").read_text()


def test_the_server_dies_with_a_process_that_is_killed(home: Path) -> None:
    with held(home) as holder:
        ask(database_url(home), "SELECT 1")
        holder.kill()
        assert eventually(lambda: not pids_in(home / "postgres"), seconds=10)
    with held(home):
        assert ask(database_url(home), "SELECT 1") == [(1,)]


def test_a_killed_server_starts_again_with_what_it_acknowledged(
    home: Path, owned: EmbeddedPostgres
) -> None:
    with psycopg.connect(database_url(home)) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS number")
    os.kill(first_process(home), signal.SIGKILL)
    assert eventually(lambda: not owned.is_alive(), seconds=5)
    owned.start()
    assert ask(database_url(home), "SELECT number FROM kept") == [(1,)]


def test_a_lock_file_with_the_number_of_a_stranger_is_no_obstacle(
    home: Path, owned: EmbeddedPostgres
) -> None:
    owned.stop()
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        (home / "postgres" / name).write_text(f"{os.getpid()}\n/nowhere\n")
    assert owned.try_to_own()
    owned.start()
    assert owned.is_alive()


def test_a_set_up_that_was_cut_short_is_made_anew(no_home: Path) -> None:
    (no_home / "postgres.new" / "base").mkdir(parents=True)
    with running(no_home, settings=THROW_AWAY_SETTINGS):
        assert ask(database_url(no_home), "SELECT 1") == [(1,)]


def test_of_several_that_start_at_once_one_owns_and_all_are_served(no_home: Path) -> None:
    with ExitStack() as stack:
        holders = [Holder(no_home) for _ in range(4)]
        for holder in holders:
            stack.callback(holder.kill)
        for holder in holders:
            holder.await_running()
        assert len(postmasters(no_home)) == 1
        for holder in holders:
            holder.let_go()
        assert [holder.finish() for holder in holders] == [0, 0, 0, 0]
    assert not pids_in(no_home / "postgres")


def postmasters(home: Path) -> set[int]:
    working = pids_in(home / "postgres")
    return {pid for pid in working if parent_of(pid) not in working | {1}}


def parent_of(pid: int) -> int:
    """The parent of a process, or 1 when it has just ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 1


def test_an_owner_waits_for_its_guests_before_it_stops_the_server(home: Path) -> None:
    with held(home) as owner, held(home) as guest:
        owner.let_go()
        with pytest.raises(subprocess.TimeoutExpired):
            owner.process.wait(0.5)
        assert ask(database_url(home), "SELECT 1") == [(1,)]
        assert guest.finish() == 0
        assert owner.finish() == 0


def test_a_socket_whose_path_would_be_too_long_moves_to_a_short_private_folder(
    tmp_path: Path, made_home: Path
) -> None:
    home = tmp_path / ("long" * 30)
    copy_home(made_home, home)
    place = socket_folder(home)
    assert home not in place.parents
    with running(home, settings=THROW_AWAY_SETTINGS):
        assert ask(database_url(home), "SELECT 1") == [(1,)]
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    place.rmdir()


def test_a_short_folder_that_others_can_enter_is_refused(tmp_path: Path, made_home: Path) -> None:
    home = tmp_path / ("long" * 30)
    copy_home(made_home, home)
    place = socket_folder(home)
    place.mkdir(mode=0o755)
    try:
        with (
            pytest.raises(PostgresUnavailable, match="is not private"),
            running(home, settings=THROW_AWAY_SETTINGS),
        ):
            raise AssertionError
    finally:
        place.rmdir()


def test_a_cluster_of_another_version_is_refused_in_one_sentence(
    home: Path, owned: EmbeddedPostgres
) -> None:
    owned.stop()
    (home / "postgres" / "PG_VERSION").write_text("14\n")
    assert owned.try_to_own()
    with pytest.raises(PostgresUnavailable, match="was made by PostgreSQL 14"):
        owned.start()


def test_a_server_that_cannot_start_says_why_in_one_sentence(home: Path) -> None:
    settings = SETTINGS | {"shared_buffers": "nonsense"}
    with (
        pytest.raises(PostgresUnavailable, match="shared_buffers"),
        running(home, settings=settings),
    ):
        raise AssertionError


if IS_ROOT:

    def test_root_drops_to_an_account_that_owns_nothing_but_the_cluster(shared_home: Path) -> None:
        owner = (shared_home / "postgres").stat().st_uid
        assert owner != 0
        status = Path(f"/proc/{first_process(shared_home)}/status").read_text()
        assert f"Uid:\t{owner}\t{owner}\t{owner}\t{owner}\n" in status
        assert {entry.stat().st_uid for entry in shared_home.iterdir()} == {0, owner}

    def test_a_normal_user_runs_a_server_of_its_own() -> None:
        with folder_of(NOBODY) as home, folder_of(None) as copy:
            copy.chmod(0o755)
            python = copy_interpreter(copy)
            with held(home, python=python, account=NOBODY) as holder:
                assert ask(database_url(home), "SELECT 1") == [(1,)]
                assert (home / "postgres").stat().st_uid == NOBODY.uid
                holder.kill()
                assert eventually(lambda: not pids_in(home / "postgres"), seconds=10)

    def test_a_cluster_that_belongs_to_root_is_refused(no_home: Path) -> None:
        (no_home / "postgres").mkdir(parents=True)
        with (
            pytest.raises(PostgresUnavailable, match="belongs to another account"),
            running(no_home),
        ):
            raise AssertionError
