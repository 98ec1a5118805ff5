"""What is run against what: the contenders of each contest, and the calls that they make."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from tests.bench.clients import WARM_CALLS, Http, Job, Sql, request_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.bench.ground import Ground
    from tests.bench.stock import Ready

CONNECTIONS: Final = (1, 8)
SECONDS: Final = 2.0
WARM_SECONDS: Final = 1.0

LIST, REPORT = "list", "report"
RETRACT, CORRECT = "promote: retract", "promote: correct"

PRODUCT, REFUSED = "product", "product, refused"
SQL, BARE, EMPTY = "SQL", "bare WSGI", "empty route"

#: Promotions a client makes in a cell, by connections; SQL is faster and makes more.
HTTP_SHARE: Final = {1: 200, 8: 120}
SQL_SHARE: Final = {1: 500, 8: 250}
#: Promotions a client makes before anything is measured; these reports are then refused.
WARM_SHARE: Final = 20

NOTE: Final = "It lies elsewhere, as anybody can see who goes there and looks."


class Cell(NamedTuple):
    """One contender of one contest at a number of connections."""

    contest: str
    contender: str
    connections: int


class Supply(Protocol):
    """Where the calls of a contender come from."""

    def jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """One job a client."""

    def warm_jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """One short job a client, before anything is measured."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Calls that may be made over and over."""

    calls: Sequence[Any]

    def jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """All clients make the same calls, from different places on, until the time is over."""
        return self._jobs(target, connections, SECONDS)

    def warm_jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """The same for a shorter time."""
        return self._jobs(target, connections, WARM_SECONDS)

    def _jobs(self, target: Http | Sql, connections: int, seconds: float) -> list[Job]:
        step = len(self.calls) // connections
        turned = [[*self.calls[i * step :], *self.calls[: i * step]] for i in range(connections)]
        return [Job(target, calls, seconds=seconds, is_repeated=True) for calls in turned]


@dataclass(frozen=True, slots=True)
class Promotions:
    """Promotions of reports from a stock, each made once."""

    stock: list[Ready]
    share: dict[int, int]
    call: Callable[[Ready], Any]
    warmed_up: list[Any] = field(default_factory=list)

    def jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """Each client gets its share, and a few more to warm its connection."""
        return self._jobs(target, connections, self.share[connections])

    def warm_jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """A few each, which are remembered."""
        jobs = self._jobs(target, connections, WARM_SHARE)
        self.warmed_up.extend(call for job in jobs for call in job.calls)
        return jobs

    def _jobs(self, target: Http | Sql, connections: int, share: int) -> list[Job]:
        return [
            Job(target, self._take(WARM_CALLS + share), seconds=10 * SECONDS, is_repeated=False)
            for _ in range(connections)
        ]

    def _take(self, number: int) -> list[Any]:
        taken, self.stock[:] = self.stock[:number], self.stock[number:]
        return [self.call(ready) for ready in taken]


@dataclass(frozen=True, slots=True)
class Decided:
    """The calls with which others have warmed up, made again."""

    promotions: Promotions

    def jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """All clients make the same calls until the time is over."""
        return Repeated(self.promotions.warmed_up).jobs(target, connections)

    def warm_jobs(self, target: Http | Sql, connections: int) -> list[Job]:
        """The same for a shorter time."""
        return Repeated(self.promotions.warmed_up).warm_jobs(target, connections)


@dataclass(frozen=True, slots=True)
class Contender:
    """A target with its calls."""

    contest: str
    name: str
    target: Http | Sql
    supply: Supply

    def jobs(self, connections: int) -> list[Job]:
        """One job a client."""
        return self.supply.jobs(self.target, connections)

    def warm_jobs(self) -> list[Job]:
        """One short job for each client that there will be."""
        return self.supply.warm_jobs(self.target, max(CONNECTIONS))


def stock_needed(repeats: int) -> int:
    """How many reports to promote a run uses up, of both kinds together."""
    shares = (HTTP_SHARE, SQL_SHARE)
    measured = sum(n * (WARM_CALLS + share[n]) for share in shares for n in CONNECTIONS)
    warm = len(shares) * max(CONNECTIONS) * (WARM_CALLS + WARM_SHARE)
    return 2 * (repeats * measured + warm)


@dataclass(frozen=True, slots=True)
class Servers:
    """The two servers."""

    product: Http
    bare: Http


def contenders_of(ground: Ground, servers: Servers) -> list[Contender]:
    """All contenders in the order in which every round runs them, the floor before the product."""
    return [
        *_list(ground, servers),
        *_report(ground, servers),
        *_promote(ground, servers, RETRACT, ground.retractions),
        *_promote(ground, servers, CORRECT, ground.corrections),
    ]


def _request(ground: Ground, path: str, **values: object) -> bytes:
    return request_bytes(path, ground.token, json.dumps(values).encode())


def _sql(ground: Ground, operation: str) -> Sql:
    return Sql(ground.conninfo, ground.token, operation)


def _list(ground: Ground, servers: Servers) -> list[Contender]:
    asked = Repeated([_request(ground, "/v1/feedback/list", open_only=True, limit=20)])
    empty = Repeated([_request(ground, "/v1/bench/empty", open_only=True, limit=20)])
    return [
        Contender(LIST, BARE, servers.bare, asked),
        Contender(LIST, PRODUCT, servers.product, asked),
        Contender(LIST, SQL, _sql(ground, "list_open"), Repeated([()])),
        Contender(LIST, EMPTY, servers.product, empty),
    ]


def _report(ground: Ground, servers: Servers) -> list[Contender]:
    requests = [
        _request(ground, "/v1/feedback/record", record_id=str(id_), note=NOTE)
        for id_ in ground.reportable
    ]
    arguments = [(id_, NOTE) for id_ in ground.reportable]
    return [
        Contender(REPORT, SQL, _sql(ground, "report"), Repeated(arguments)),
        Contender(REPORT, PRODUCT, servers.product, Repeated(requests)),
    ]


def _promote(ground: Ground, servers: Servers, contest: str, stock: list[Ready]) -> list[Contender]:
    def arguments(ready: Ready) -> object:
        return ready.report_id, ready.expected_version

    def request(ready: Ready) -> object:
        return _request(
            ground,
            "/v1/feedback/promote",
            id=str(ready.report_id),
            expected_version=str(ready.expected_version),
        )

    accepted = Promotions(stock, HTTP_SHARE, request)
    contenders = [
        Contender(contest, SQL, _sql(ground, "promote"), Promotions(stock, SQL_SHARE, arguments)),
        Contender(contest, PRODUCT, servers.product, accepted),
    ]
    if contest == RETRACT:
        refused = replace(servers.product, status=409)
        contenders.append(Contender(contest, REFUSED, refused, Decided(accepted)))
    return contenders
