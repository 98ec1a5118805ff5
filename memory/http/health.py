"""Health: `/healthz` says that the process answers, `/readyz` that it can do its work."""

from __future__ import annotations

import threading
import time
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import psycopg
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.http import JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

KEPT_SECONDS: Final = 1.0

#: A server whose installed files have changed under it fails when it loads its language anew, and
#: an empty message in the log of changes is a write that leaves no row.
PROBE: Final = (
    "DO $$ BEGIN NULL; END $$",
    "SELECT pg_logical_emit_message(true, 'errata', '')",
)
READ_ONLY: Final = "SELECT current_setting('transaction_read_only')"
APPLIED: Final = "SELECT app, name FROM django_migrations"


class Readiness:
    """The last answer of a check, kept for a moment so that probes cost the database little."""

    def __init__(self, check: Callable[[], bool]) -> None:
        self._check = check
        self._lock = threading.Lock()
        self._is_ready = False
        self._known_until = 0.0

    def is_ready(self) -> bool:
        """Whether the check passed, at most a second ago."""
        with self._lock:
            if time.monotonic() >= self._known_until:
                self._is_ready = self._check()
                self._known_until = time.monotonic() + KEPT_SECONDS
            return self._is_ready


@cache
def latest_migrations() -> frozenset[tuple[str, str]]:
    """App and name of the newest migration of every app that has any."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def can_work() -> bool:
    """Whether the database can be written, has all migrations, and matches its own files.

    A connection of its own: a pooled one has its language loaded, and the pool may be exhausted.
    """
    parameters: dict[str, Any] = connection.get_connection_params()
    parameters.pop("pool", None)
    try:
        with psycopg.connect(**parameters) as probe:
            for statement in PROBE:
                probe.execute(statement)
            is_writable = probe.execute(READ_ONLY).fetchall() == [("off",)]
            applied = set(probe.execute(APPLIED).fetchall())
    except psycopg.Error:
        return False
    return is_writable and latest_migrations() <= applied


READINESS: Final = Readiness(can_work)


def _answer(status_word: str, *, status: int) -> JsonResponse:
    compact = {"separators": (",", ":")}
    return JsonResponse({"status": status_word}, status=status, json_dumps_params=compact)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the shape of a view
    """Answer while the process does."""
    return _answer("ok", status=200)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the shape of a view
    """Answer 200 when work can be done, 503 when not, without a detail."""
    if READINESS.is_ready():
        return _answer("ready", status=200)
    return _answer("unavailable", status=503)
