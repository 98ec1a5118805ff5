"""The PostgreSQL of a test run: DATABASE_URL, or an embedded one that is thrown away."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.embedded_postgres import (
    THROW_AWAY_SETTINGS,
    database_url,
    running,
    superuser_parameters,
)
from config.postgres_cluster import make_password
from config.settings.database import database_settings
from config.settings.environment import Environment

#: Each of the many connections of a run proves its password, which is meant to take long.
SCRAM_ITERATIONS_SINCE = 160_000
SERVER = pytest.StashKey[ExitStack]()


def pytest_configure(config: pytest.Config) -> None:
    """Start a server once a run; the workers of xdist find its address in their environment."""
    if os.environ.get("DATABASE_URL"):
        return
    config.stash[SERVER] = stack = ExitStack()
    home = Path(tempfile.mkdtemp(prefix="errata-test-"))
    stack.callback(shutil.rmtree, home, ignore_errors=True)
    stack.enter_context(running(home, settings=THROW_AWAY_SETTINGS))
    with psycopg.connect(make_conninfo("", **superuser_parameters(home))) as connection:
        connection.execute("ALTER ROLE errata CREATEDB")
        if connection.info.server_version >= SCRAM_ITERATIONS_SINCE:
            password = sql.Literal(make_password(home, "errata"))
            connection.execute("SET scram_iterations = 1")
            connection.execute(sql.SQL("ALTER ROLE errata PASSWORD {}").format(password))
    os.environ["DATABASE_URL"] = database_url(home)
    # Django has read its settings by now, for a server that does not exist.
    address = database_settings(Environment())
    address["OPTIONS"].pop("pool", None)
    settings.DATABASES["default"].update(address)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server and remove its files."""
    if SERVER in config.stash:
        del os.environ["DATABASE_URL"]
        config.stash[SERVER].close()
