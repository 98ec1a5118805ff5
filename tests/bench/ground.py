"""What is measured on: a durable PostgreSQL of its own, with a filled project and a credential."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

import django
import psycopg
from django.core.management import call_command
from psycopg.conninfo import make_conninfo
from rich.console import Console
from rich.progress import track

from config.embedded_postgres import database_url, running, superuser_parameters
from config.locks import FileLock
from tests.bench.clients import CannotMeasure
from tests.bench.servers import ROOT, server_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memory.actor import Actor
    from tests.bench.stock import Ready

FOLDER: Final = ROOT / ".cache" / "bench"
CHUNK: Final = 10_000
REPORTABLE: Final = 5_000
TABLES: Final = {"reports": "feedback_report", "records": "memory_record"}


@dataclass(frozen=True, slots=True)
class Ground:
    """The filled database, and what calls need to know of it."""

    home: Path
    conninfo: str
    environment: dict[str, str]
    token: str
    rows: dict[str, int]
    retractions: list[Ready]
    corrections: list[Ready]
    reportable: list[UUID]


@contextmanager
def empty() -> Iterator[tuple[Path, dict[str, str], str]]:
    """A state folder with a running, migrated PostgreSQL; at the end nothing of it is left.

    With it come the environment of its servers and how psycopg reaches it.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = FileLock(FOLDER / "lock")
    if not lock.try_to_take():
        raise CannotMeasure("Another bench is running; two would measure each other.")
    home = FOLDER / "home"
    shutil.rmtree(home, ignore_errors=True)  # what a killed run left behind
    try:
        with running(home) as parameters:
            environment = server_settings(database_url(home), home)
            # This program itself needs one connection, no pool; the servers have theirs.
            os.environ.update(environment | {"ERRATA_POOL_MAX": "0"})
            django.setup()  # models cannot be imported earlier
            call_command("migrate", verbosity=0)
            yield home, environment, make_conninfo("", **parameters)
    finally:
        shutil.rmtree(home, ignore_errors=True)
        lock.release()


@contextmanager
def filled(*, size: int, stock: int, console: Console) -> Iterator[Ground]:
    """The same with a project of reports on records, and what calls need to know of it."""
    with empty() as (home, environment, conninfo):
        from tests.bench.stock import list_reportable, list_stock

        project_id, token, actor = make_project("bench")
        _load(actor, size, stock, console)
        yield Ground(
            home=home,
            conninfo=conninfo,
            environment=environment,
            token=token,
            rows=settle(home),
            retractions=list_stock(project_id, is_retraction=True),
            corrections=list_stock(project_id, is_retraction=False),
            reportable=list_reportable(project_id, REPORTABLE),
        )


def make_project(name: str) -> tuple[UUID, str, Actor]:
    """A new project, the token of a credential, and the operator."""
    from memory.operations.issue_credential import issue_credential
    from memory.vocabulary import Access
    from tests.factories import a_project, fresh

    project, operator = a_project(name)
    credential = issue_credential(actor=fresh(operator), name="bench", access=Access.READ_WRITE)
    return project.id, credential.token, operator


def _load(actor: Actor, size: int, stock: int, console: Console) -> None:
    from tests.bench.stock import bulk_stock
    from tests.factories.bulk import bulk_reports

    chunks = range(0, size, CHUNK)
    for start in track(chunks, f"Loading {size:,} reports", console=console):
        bulk_reports(actor, start=start, stop=min(start + CHUNK, size))
    chunks = range(0, stock, CHUNK)
    for start in track(chunks, f"Loading {stock:,} reports to promote", console=console):
        bulk_stock(actor, start=start, stop=min(start + CHUNK, stock))


def settle(home: Path) -> dict[str, int]:
    """Do what autovacuum would do in time, and count rows where no time limit holds."""
    with psycopg.connect(
        make_conninfo("", **superuser_parameters(home) | {"dbname": "errata"}), autocommit=True
    ) as superuser:
        superuser.execute("VACUUM ANALYZE")
        superuser.execute("CHECKPOINT")
        return {
            kind: superuser.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]  # noqa: S608 - ours
            for kind, table in TABLES.items()
        }
