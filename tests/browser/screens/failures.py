"""Pages of what fails before, in and behind a view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

import psycopg
from django.db import OperationalError, ProgrammingError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.browser.scene import AUDIT, address
from tests.browser.screens.decision import CORRECT_NEXT
from tests.browser.screens.matrix import VISITOR, shown

if TYPE_CHECKING:
    from tests.browser.scene import Scene
    from tests.browser.windows import Window


@contextmanager
def failing(part: str, error: Exception, cause: psycopg.Error) -> Iterator[None]:
    """Let every statement of the server that holds `part` fail as the database would."""

    is_failing = Event()
    is_failing.set()

    def fail(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if part in sql and is_failing.is_set():
            raise error from cause
        return execute(sql, *rest)

    def connected(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
        connection.execute_wrappers.append(fail)

    connection_created.connect(connected)
    try:
        yield
    finally:
        connection_created.disconnect(connected)
        is_failing.clear()  # threads of the server keep their wrappers


def broken(part: str) -> Any:
    """Let the server meet a table that is not there."""
    return failing(part, ProgrammingError("no such table"), psycopg.errors.UndefinedTable())


@shown("audit-list", "auditor", status=503)
def busy(window: Window, _scene: Scene) -> None:
    locked = psycopg.errors.LockNotAvailable()
    with failing("memory_auditentry", OperationalError("busy"), locked):
        window.goto(AUDIT)


@shown("audit-list", "auditor", status=500)
def fault_while_reading(window: Window, _scene: Scene) -> None:
    with broken("FROM memory_auditentry"):
        window.goto(AUDIT)


@shown("report-promote", "reviewer", status=500)
def fault_while_writing(window: Window, scene: Scene) -> None:
    window.goto(address(scene.correction()))
    with broken("feedback_report"):
        window.click(CORRECT_NEXT)


@shown("preferences-save", "reviewer", status=400)
def senseless_form(window: Window, _scene: Scene) -> None:
    window.goto("/p/demo/reports/")
    window.page.get_by_text("Appearance and keys").click()
    window.page.locator("[name=theme] option").first.evaluate("option => { option.value = 'x' }")
    window.click("Save preferences")


@shown("sign-in", VISITOR, status=413)
def form_too_large(window: Window, _scene: Scene) -> None:
    window.goto("/sign-in/")
    for field in ("name", "password"):
        window.page.locator(f"[name={field}]").evaluate(
            "field => { field.value = 'x'.repeat(1e6) }"
        )
    window.click("Sign in")


@shown("start", VISITOR, status=404)
def no_such_address(window: Window, _scene: Scene) -> None:
    window.goto("/nowhere/")
