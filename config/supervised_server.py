"""Gunicorn's settings below `make run`: before it listens, everything it needs is made ready."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config import web_server
from config.child import REFUSED
from config.web_server import *  # noqa: F403 - the same settings, and one step more

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter


def on_starting(server: Arbiter) -> None:  # type: ignore[no-redef]
    """Migrate, load the demo and collect static files, each only where there is need."""
    web_server.on_starting(server)
    try:
        django.setup()
    except ImproperlyConfigured as error:
        web_server.refuse(str(error))
    if _has_migrations_to_apply():
        _run_command("migrate", "--verbosity", "0", saying="Preparing the database")
    if _is_empty():
        _run_command("load_demo", saying="Loading the demo project")
    _collect_static_files()
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined] # its threads would be missing in the workers
    import_module("config.urls")  # once here instead of once in each worker


def _has_migrations_to_apply() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _is_empty() -> bool:
    return not apps.get_model("memory", "Project").objects.exists()


def _run_command(*arguments: str, saying: str) -> None:
    """Run a command in a process of its own: with its own time limits, and no threads left here."""
    sys.stdout.write(f"{saying}.\n")
    sys.stdout.flush()
    done = subprocess.run(  # noqa: S603 - our own command line
        [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments], check=False
    )
    if done.returncode != 0:
        sys.exit(REFUSED)  # the command has said why


def _collect_static_files() -> None:
    """Collect static files unless the same ones were collected before."""
    root = Path(str(settings.STATIC_ROOT))
    stamp = root / ".collected"
    fingerprint = _fingerprint_of_static_files()
    if stamp.exists() and stamp.read_text(encoding="ascii") == fingerprint:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(fingerprint, encoding="ascii")


def _fingerprint_of_static_files() -> str:
    digest = hashlib.sha256(metadata.version("whitenoise").encode())
    for folder in settings.STATICFILES_DIRS:
        for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            digest.update(os.fsencode(file) + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
