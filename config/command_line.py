"""The command line: `manage.py` gives each command its database and secret, and clear errors."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import InterfaceError, OperationalError

from config.embedded_postgres import running
from config.home import HomeUnusable, prepare_home, read_secret, state_folder
from config.postgres_cluster import PostgresUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE_SETTINGS: Final = "config.settings.base"
#: Commands that read no row; any command with one of the flags is another.
WITHOUT_DATABASE: Final = frozenset(
    {"help", "version", "check", "collectstatic", "findstatic", "diffsettings", "spectacular"}
)
ASKS_ONLY: Final = frozenset({"-h", "--help", "--version"})
#: What a migration may wait and run, unless the operator says otherwise (house style, section 11).
MIGRATION_LIMITS: Final = {
    "ERRATA_LOCK_TIMEOUT_MS": "4000",
    "ERRATA_STATEMENT_TIMEOUT_MS": "5000",
}


def needs_database(arguments: Sequence[str]) -> bool:
    """Whether a command line is one that reads or writes rows."""
    if len(arguments) < 2 or ASKS_ONLY & set(arguments):
        return False
    return arguments[1] not in WITHOUT_DATABASE or "--database" in arguments


def main(arguments: list[str]) -> None:
    """Run a command; what the operator can mend is one line, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", BASE_SETTINGS)
    os.environ.setdefault("ERRATA_POOL_MAX", "0")  # a command needs one connection, no pool
    if arguments[1:2] == ["migrate"]:
        for name, milliseconds in MIGRATION_LIMITS.items():
            os.environ.setdefault(name, milliseconds)
    try:
        with ExitStack() as stack:
            if needs_database(arguments):
                _provide_state(stack)
            execute_from_command_line(arguments)
    except (ImproperlyConfigured, HomeUnusable, PostgresUnavailable) as error:
        sys.exit(str(error))
    except (OperationalError, InterfaceError) as error:
        sys.exit(f"The database cannot be used: {str(error).strip().splitlines()[0]}")
    except KeyboardInterrupt:
        sys.exit(130)


def _provide_state(stack: ExitStack) -> None:
    """Make what the operator left to us: the secret and the database. Settings are parsed first."""
    home = state_folder()
    is_base = os.environ["DJANGO_SETTINGS_MODULE"] == BASE_SETTINGS
    if is_base and not os.environ.get("ERRATA_SECRET_KEY"):
        os.environ["ERRATA_SECRET_KEY"] = read_secret(prepare_home(home) / "secret_key")
    if settings.DATABASES and not os.environ.get("DATABASE_URL"):
        stack.enter_context(running(home))
