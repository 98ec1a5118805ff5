"""The database is away, comes back, takes no writes, or has no connection left (faults 19, 20)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import psycopg
import pytest
from django.db import connection
from psycopg import sql
from pytest_django import DjangoDbBlocker

from memory.actor import Actor
from tests.factories import a_record
from tests.invariants import assert_invariants
from tests.leaks import leaks_in
from tests.relay import Relay, relaying
from tests.serving import Server, serving
from tests.valid_calls import ALL, Route, a_body
from tests.wire import Answer, OverHttp

pytestmark = [pytest.mark.slow]

UNAVAILABLE: Final = (503, "unavailable")
UPPER_CASE: Final = (503, "UNAVAILABLE")
RECOVERY_SECONDS: Final = 5
POOL_WAIT_SECONDS: Final = 2  # by default
LOCK_SECONDS: Final = 2
PORT: Final = 5432


def _parameters() -> dict[str, Any]:
    known = connection.get_connection_params()
    wanted = ("dbname", "user", "password", "host", "port", "passfile")
    return {name: known[name] for name in wanted if name in known}


@pytest.fixture(scope="module")
def relay(
    django_db_setup: None,  # noqa: ARG001 - the database outlives the relay
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Relay]:
    """Stands between the shaky server and its database."""
    with django_db_blocker.unblock():
        known = _parameters()
    host, port = str(known.get("host", "")), int(known.get("port") or PORT)
    target = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host or "127.0.0.1", port)
    folder = tmp_path_factory.mktemp("s")
    with relaying(f"{folder}/.s.PGSQL.{PORT}", target) as between:
        yield between


@pytest.fixture(scope="module")
def shaky_server(
    relay: Relay, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server that reaches its database through the relay, over one connection a process."""
    with django_db_blocker.unblock():
        known = _parameters()
    query: dict[str, object] = {
        name: known[name] for name in ("user", "password", "passfile") if name in known
    }
    query |= {"host": Path(str(relay.address)).parent, "port": PORT}
    variables = {
        "DATABASE_URL": f"postgresql:///{known['dbname']}?{urlencode(query)}",
        "ERRATA_POOL_MAX": "1",
    }
    with serving(tmp_path_factory.mktemp("shaky"), variables) as running:
        yield running
    said = running.said()
    assert leaks_in(said) == []
    assert "Traceback" not in said


@pytest.fixture
def shaky(transactional_db: None, shaky_server: Server, agent_token: str) -> OverHttp:  # noqa: ARG001
    """Call that server as the read-write agent."""
    return shaky_server.call(agent_token)


def _health(shaky: OverHttp, path: str) -> int:
    return shaky(path, b"", method="GET", token=None).status


def _recovers(call: Callable[[], Answer]) -> None:
    """The call succeeds soon, and until then it is unavailable and nothing else."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    while (answer := call()).status not in (200, 201):
        assert answer.refusal in (UNAVAILABLE, UPPER_CASE)
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _becomes_ready(shaky: OverHttp) -> None:
    """The probe says so soon; an earlier test's last answer may be kept for a moment."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    while _health(shaky, "/readyz") != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_unavailable(answer: Answer, *refusals: tuple[int, str]) -> None:
    assert answer.refusal in (refusals or (UNAVAILABLE,)), answer.content
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert set(answer.body) == {"error", "meta"}


def test_without_a_database_every_call_is_unavailable_until_it_is_back(
    shaky: OverHttp, relay: Relay, agent: Actor
) -> None:
    bodies: dict[Route, dict[str, Any]] = {at: a_body(at, agent) for at in ALL}
    assert shaky("/v1/records/list").status == 200
    _becomes_ready(shaky)

    relay.go_down()
    try:
        with ThreadPoolExecutor(len(bodies) + 1) as pool:  # each waits for a connection
            calls = {at: pool.submit(at.send, shaky, body) for at, body in bodies.items()}
            wrong = pool.submit(shaky, "/v1/records/list", {}, token=f"errata_{'x' * 58}")
            for at, called in calls.items():
                _is_unavailable(called.result(), at.refusal_unread(*UNAVAILABLE))
            _is_unavailable(wrong.result())
        assert _health(shaky, "/healthz") == 200
        assert shaky("/v1/nothing").refusal == (404, "unknown_route")
        time.sleep(1)  # for so long the last answer is kept
        assert _health(shaky, "/readyz") == 503
    finally:
        relay.come_up()

    _recovers(lambda: shaky("/v1/records/list"))
    _becomes_ready(shaky)
    for at, body in bodies.items():
        _recovers(lambda at=at, body=body: at.send(shaky, body))  # type: ignore[misc]
    assert_invariants()


def test_cut_connections_are_replaced(shaky: OverHttp, relay: Relay, agent: Actor) -> None:
    body = {"id": str(a_record(agent).id)}
    for _ in range(5):
        assert shaky("/v1/records/get", body).status in (200, 503)
        relay.cut()
    for _ in range(8):
        _recovers(lambda: shaky("/v1/records/get", body))


@contextmanager
def _read_only(relay: Relay) -> Iterator[None]:
    """New sessions cannot write, as after a failover to a replica."""
    name = sql.Identifier(str(_parameters()["dbname"]))
    turn = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name)
    back = sql.SQL("ALTER DATABASE {} RESET default_transaction_read_only").format(name)
    with psycopg.connect(**_parameters(), autocommit=True) as session:
        session.execute(turn)
        relay.cut()
        try:
            yield
        finally:
            session.execute("SET default_transaction_read_only = off")
            session.execute(back)
            relay.cut()


def test_from_a_database_that_takes_no_writes_nothing_is_read_unaudited(
    shaky: OverHttp, relay: Relay, agent: Actor
) -> None:
    bodies: dict[Route, dict[str, Any]] = {at: a_body(at, agent) for at in ALL}
    with _read_only(relay):
        for at, body in bodies.items():
            refusals = (at.refusal_unread(*UNAVAILABLE), at.refusal(*UNAVAILABLE))
            _is_unavailable(at.send(shaky, body), *refusals)
        _is_unavailable(shaky("/v1/records/list", {"limit": 0}))
        time.sleep(1)
        assert _health(shaky, "/readyz") == 503

    for at, body in bodies.items():
        _recovers(lambda at=at, body=body: at.send(shaky, body))  # type: ignore[misc]
    assert_invariants()


def test_calls_for_which_no_connection_is_left_are_unavailable_in_time(
    shaky: OverHttp, agent: Actor
) -> None:
    record = a_record(agent)
    body = {"records": [{"id": str(record.id), "expected_version": str(record.version)}]}
    _recovers(lambda: shaky("/v1/records/list"))
    waits: list[float] = []
    lock = threading.Lock()

    def call(_: int) -> Answer:
        began = time.monotonic()
        answer = shaky("/v1/records/retract", body)
        with lock:
            waits.append(time.monotonic() - began)
        return answer

    with psycopg.connect(**_parameters()) as other:
        other.execute("SELECT 1 FROM memory_record WHERE id = %s FOR UPDATE", [record.id])
        with ThreadPoolExecutor(8) as pool:  # as many as there are threads; two get a connection
            answers = list(pool.map(call, range(8)))
        other.rollback()

    for answer in answers:
        _is_unavailable(answer)
    # For a thread of the server, for the connection, for the lock; and the machine is busy.
    assert max(waits) < 2 * LOCK_SECONDS + POOL_WAIT_SECONDS + 1
    _recovers(lambda: shaky("/v1/records/list"))
    quick = []
    for _ in range(10):
        began = time.monotonic()
        assert shaky("/v1/records/list").status == 200
        quick.append(time.monotonic() - began)
    assert sorted(quick)[5] < 0.5
    assert shaky("/v1/records/retract", body).status == 200
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND state LIKE 'idle in transaction%'"
        )
        assert cursor.fetchone() == (0,)
