"""The load generator: processes with one connection each, bounded in calls and in time.

HTTP is spoken on keep-alive sockets with requests that were made before; SQL by psycopg. All
clients of a cell begin at one moment, and what counts is the time in which all of them were busy.
"""

from __future__ import annotations

import multiprocessing
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from tests.bench.evenness import surplus_of
from tests.bench.floor import Floor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

HOST: Final = "127.0.0.1"
NAME: Final = "a Python process a connection: prebuilt requests on keep-alive sockets, or psycopg"
CELL_SECONDS: Final = 20.0  # no cell lasts longer, whatever it was asked for
WARM_CALLS: Final = 6  # by then PostgreSQL has chosen the plan of a prepared statement
ANSWER_SECONDS: Final = 15.0
GO, RECONNECT = "go", "reconnect"
EVEN_TRIES: Final = 60
_HEAD_END: Final = b"\r\n\r\n"
_LENGTH: Final = b"content-length:"


class CannotMeasure(Exception):
    """The bench has no result. The message is one sentence."""


class Caller(Protocol):
    """One connection on which calls are made."""

    @property
    def port(self) -> int:
        """Our port, 0 where there is none."""

    def call(self, values: Any) -> None:
        """Make one call and wait for the whole answer. Raises for any answer but the expected."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True, slots=True)
class Http:
    """Calls of a server: each is the bytes of a request."""

    port: int
    server: int  # the process that the workers are children of
    status: int = 200

    def connect(self) -> Caller:
        """Connect to the server on the loopback address."""
        return _HttpCaller(self)


@dataclass(frozen=True, slots=True)
class Sql:
    """Calls of the floor: each is the arguments of one of its operations."""

    conninfo: str
    token: str
    operation: str

    def connect(self) -> Caller:
        """Connect to the database."""
        return _SqlCaller(self)


@dataclass(frozen=True, slots=True)
class Job:
    """What one client does in a cell."""

    target: Http | Sql
    calls: list[Any]
    seconds: float
    is_repeated: bool  # else each call is made once


@dataclass(frozen=True, slots=True)
class Work:
    """What one client did: when it began and ended, and the end and length of each call."""

    began: float = 0.0
    ended: float = 0.0
    ends: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    fault: str = ""
    port: int = 0


class Clients:
    """The processes, idle between cells."""

    def __init__(self, processes: Sequence[tuple[BaseProcess, Connection]]) -> None:
        self._processes = processes

    def run(self, jobs: Sequence[Job]) -> list[Work]:
        """Run one job a client, all at once. Raises CannotMeasure when a call failed."""
        pipes = [pipe for _, pipe in self._processes[: len(jobs)]]
        for pipe, job in zip(pipes, jobs, strict=True):
            pipe.send(job)
        ready = self._collect(pipes)
        target = jobs[0].target
        if isinstance(target, Http):
            self._even_out(pipes, target, [work.port for work in ready])
        for pipe in pipes:
            pipe.send(GO)
        return self._collect(pipes)

    def _even_out(self, pipes: Sequence[Connection], target: Http, ports: list[int]) -> None:
        """Let clients connect anew until the server's processes have equally many of them."""
        for _ in range(EVEN_TRIES):
            surplus = surplus_of(target.server, target.port, ports)
            if not surplus:
                return
            for place in surplus:
                pipes[place].send(RECONNECT)
                ports[place] = self._collect([pipes[place]])[0].port

    def _collect(self, pipes: Sequence[Connection]) -> list[Work]:
        answers = []
        for pipe in pipes:
            if not pipe.poll(CELL_SECONDS + 2 * ANSWER_SECONDS):
                raise CannotMeasure("A client of the load generator did not answer.")
            answers.append(pipe.recv())
        for answer in answers:
            if answer.fault:
                raise CannotMeasure(f"A call failed: {answer.fault}")
        return answers


@contextmanager
def started(number: int) -> Iterator[Clients]:
    """So many clients; they end with the context, and when this program dies."""
    context = multiprocessing.get_context("spawn")
    processes: list[tuple[BaseProcess, Connection]] = []
    try:
        for _ in range(number):
            ours, theirs = context.Pipe()
            process: BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            processes.append((process, ours))
        yield Clients(processes)
    finally:
        for process, pipe in processes:
            pipe.close()
            process.terminate()
        for process, _ in processes:
            process.join(ANSWER_SECONDS)


def _serve(pipe: Connection) -> None:
    """Run jobs until the other end of the pipe is closed."""
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            job = pipe.recv()
            try:
                work = _run(job, pipe)
            except EOFError:
                raise
            except Exception as error:  # noqa: BLE001 - it is told to whoever measures
                work = Work(fault=f"{type(error).__name__}: {str(error).splitlines()[:1]}")
            pipe.send(work)


def _run(job: Job, pipe: Connection) -> Work:
    caller = job.target.connect()
    try:
        warm, calls = _divided(job)
        for values in warm:
            caller.call(values)
        pipe.send(Work(port=caller.port))
        while pipe.recv() == RECONNECT:
            caller.close()
            caller = job.target.connect()
            pipe.send(Work(port=caller.port))
        return _measure(caller.call, calls, min(job.seconds, CELL_SECONDS))
    finally:
        caller.close()


def _divided(job: Job) -> tuple[Iterable[Any], Iterable[Any]]:
    """Calls to warm up with, and those that are measured."""
    if job.is_repeated:
        return (job.calls * WARM_CALLS)[:WARM_CALLS], cycle(job.calls)
    return job.calls[:WARM_CALLS], job.calls[WARM_CALLS:]


def _measure(call: Callable[[Any], None], calls: Iterable[Any], seconds: float) -> Work:
    ends: list[float] = []
    lengths: list[float] = []
    before = began = monotonic()
    deadline = began + seconds
    for values in calls:
        call(values)
        after = monotonic()
        ends.append(after)
        lengths.append(after - before)
        before = after
        if after > deadline:
            break
    return Work(began, before, ends, lengths)


class _HttpCaller:
    def __init__(self, target: Http) -> None:
        self._expected = b" %d " % target.status
        self._socket = socket.create_connection((HOST, target.port), ANSWER_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]

    def call(self, values: Any) -> None:
        self._socket.sendall(values)
        answer = self._socket.recv(65536)
        while _HEAD_END not in answer:
            answer += self._more()
        head, _, body = answer.partition(_HEAD_END)
        if self._expected not in head[:13]:
            raise CannotMeasure(f"{head[:16]!r} {body[:120]!r}")
        missing = _length_of(head) - len(body)
        while missing > 0:
            missing -= len(self._more())

    def _more(self) -> bytes:
        part = self._socket.recv(65536)
        if not part:
            raise CannotMeasure("the server closed the connection")
        return part

    def close(self) -> None:
        self._socket.close()


def _length_of(head: bytes) -> int:
    lower = head.lower()
    start = lower.index(_LENGTH) + len(_LENGTH)
    return int(lower[start:].partition(b"\r\n")[0])


class _SqlCaller:
    port = 0

    def __init__(self, target: Sql) -> None:
        self._floor = Floor(target.conninfo, target.token)
        self._operation: Callable[..., object] = getattr(self._floor, target.operation)

    def call(self, values: Any) -> None:
        self._operation(*values)

    def close(self) -> None:
        self._floor.close()


def request_bytes(path: str, token: str, body: bytes) -> bytes:
    """One POST request, whole."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
