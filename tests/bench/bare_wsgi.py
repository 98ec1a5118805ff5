"""The floor of a list over HTTP: bare WSGI, and one prepared statement for the whole contract.

Credential, project setting, page of 20 and audit row are that statement; it commits by itself. The
answer has the members of the product's, without a signed cursor.
"""

from __future__ import annotations

import json
import os
from datetime import UTC
from threading import local
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import psycopg

from memory.tokens import digest_of, public_id_of
from tests.bench.statements import ONE_STATEMENT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from wsgiref.types import StartResponse, WSGIEnvironment

_MEMBERS: Final = (
    *("id", "record_id", "record_version", "note", "proposed_object", "reporter_subject_id"),
    *("recorded_by", "recorded_by_kind", "recorded_via", "recorded_at"),
)
_TARGET: Final = (
    *("status", "version", "closed_at", "subject", "predicate", "object", "statement_preview"),
)
_thread = local()


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer a list; any other request is asked whether the server is there."""
    if environ["REQUEST_METHOD"] != "POST":
        start_response("200 OK", [("Content-Length", "2")])
        return [b"{}"]
    asked = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    token = environ["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    request_id = f"req_{uuid4().hex}"
    rows = _connection().execute(
        ONE_STATEMENT, [public_id_of(token), digest_of(token), request_id], prepare=True
    )
    answer: dict[str, Any] = {"feedback": [_report(row) for row in rows][: asked["limit"]]}
    content = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
    start_response(
        "200 OK",
        [
            ("Content-Type", "application/json; charset=utf-8"),
            ("Content-Length", str(len(content))),
            ("Cache-Control", "no-store"),
            ("X-Request-Id", request_id),
        ],
    )
    return [content]


def _connection() -> psycopg.Connection[Any]:
    """The connection of this thread, which lasts."""
    if not hasattr(_thread, "connection"):
        _thread.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    found: psycopg.Connection[Any] = _thread.connection
    return found


def disconnect() -> None:
    """Close the connection of this thread."""
    _connection().close()
    del _thread.connection


def _report(row: tuple[Any, ...]) -> dict[str, Any]:
    report = dict(zip(_MEMBERS, row, strict=False))
    for name in ("id", "record_id", "record_version", "recorded_by"):
        report[name] = str(report[name])
    report["recorded_at"] = _time(report["recorded_at"])
    target = dict(zip(_TARGET, row[len(_MEMBERS) :], strict=True))
    target["version"] = str(target["version"])
    if target["closed_at"] is not None:
        target["closed_at"] = _time(target["closed_at"])
    report["ready"] = target["closed_at"] is None
    report["target"] = target
    if report["proposed_object"] is None:
        del report["proposed_object"]
    return report


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"
