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


@dataclass(frozen=True, slots=True)
class Ground:
    """The filled database, and what calls need to know of it."""

    home: Path
    conninfo: str
    environment: dict[str, str]
    project_id: UUID
    token: str
    retractions: list[Ready]
    corrections: list[Ready]
    reportable: list[UUID]
    rows: dict[str, int]
    postgres: str


@contextmanager
def filled(*, size: int, stock: int, console: Console) -> Iterator[Ground]:
    """Make the state folder, start PostgreSQL, load rows; at the end nothing of it is left."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = FileLock(FOLDER / "lock")
    if not lock.try_to_take():
        raise CannotMeasure("Another bench is running; two would measure each other.")
    home = FOLDER / "home"
    shutil.rmtree(home, ignore_errors=True)  # what a killed run left behind
    try:
        with running(home) as parameters:
            environment = server_settings(database_url(home)) | {"ERRATA_HOME": str(home)}
            # This program itself needs one connection, no pool.
            os.environ.update(environment | {"ERRATA_POOL_MAX": "0"})
            django.setup()
            call_command("migrate", verbosity=0)
            project_id, token, actor = _make_project()
            _load(actor, size, stock, console)
            _settle(home)
            yield _describe(home, make_conninfo("", **parameters), environment, project_id, token)
    finally:
        shutil.rmtree(home, ignore_errors=True)
        lock.release()


def _make_project() -> tuple[UUID, str, Actor]:
    # Django is set up by now; models cannot be imported earlier.
    from memory.operations.issue_credential import issue_credential
    from memory.vocabulary import Access
    from tests.factories import a_project, fresh

    project, operator = a_project("bench")
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


def _settle(home: Path) -> None:
    with psycopg.connect(
        make_conninfo("", **superuser_parameters(home) | {"dbname": "errata"}), autocommit=True
    ) as superuser:
        superuser.execute("VACUUM ANALYZE")
        superuser.execute("CHECKPOINT")


def _describe(
    home: Path, conninfo: str, environment: dict[str, str], project_id: UUID, token: str
) -> Ground:
    from django.db import connection

    from tests.bench.stock import list_reportable, list_stock

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM feedback_report), (SELECT count(*) FROM memory_record),"
            " current_setting('server_version')"
        )
        reports, records, version = cursor.fetchone()
    return Ground(
        home=home,
        conninfo=conninfo,
        environment=environment,
        project_id=project_id,
        token=token,
        retractions=list_stock(project_id, is_retraction=True),
        corrections=list_stock(project_id, is_retraction=False),
        reportable=list_reportable(project_id, REPORTABLE),
        rows={"reports": reports, "records": records},
        postgres=version,
    )
