"""Health answers without a credential, a detail or an audit entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection

from memory.http.health import Readiness, can_work

if TYPE_CHECKING:
    from django.test import Client


def test_healthz_answers_without_the_database(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.content == b'{"status":"ok"}'
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("route", ["/healthz", "/readyz"])
def test_health_is_read_and_never_written(client: Client, route: str) -> None:
    answer = client.post(route)
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"


@pytest.mark.django_db(transaction=True)
def test_readyz_is_ready_on_a_migrated_database(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content) == (200, b'{"status":"ready"}')


@pytest.mark.django_db(transaction=True)
def test_a_missing_migration_is_not_ready() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_migrations SET app = 'gone' WHERE app = 'memory'")
        try:
            assert not can_work()
        finally:
            cursor.execute("UPDATE django_migrations SET app = 'memory' WHERE app = 'gone'")
    assert can_work()


@pytest.mark.django_db(transaction=True)
def test_a_database_that_cannot_be_written_is_not_ready() -> None:
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        try:
            assert not can_work()
        finally:
            cursor.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_not_there_is_unavailable(client: Client) -> None:
    readiness = Readiness(can_work)
    name, connection.settings_dict["NAME"] = connection.settings_dict["NAME"], "nowhere"
    try:
        assert not readiness.is_ready()
    finally:
        connection.settings_dict["NAME"] = name
    assert client.get("/readyz").status_code in {200, 503}


def test_an_answer_is_kept_for_a_moment() -> None:
    asked = []
    readiness = Readiness(lambda: not asked.append(1))  # type: ignore[func-returns-value]
    assert readiness.is_ready()
    assert readiness.is_ready()
    assert asked == [1]
