"""A relay between a client and a server, which can lose answers, cut connections, or be away."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

Address = tuple[str, int] | str  # host and port, or the path of a unix socket
PIECE: Final = 65_536
RESET: Final = struct.pack("ii", 1, 0)  # SO_LINGER: close with a reset


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_UNIX if isinstance(address, str) else socket.AF_INET


class Relay:
    """Listens at one address and passes everything on to another."""

    def __init__(self, listens_at: Address, target: Address) -> None:
        self.address = listens_at
        self.loses_answers = False
        self._target = target
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.come_up()

    def come_up(self) -> None:
        """Listen, again at the same address."""
        listener = socket.socket(_family(self.address))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(self.address)
        listener.listen(128)
        self.address = listener.getsockname()
        self._listener = listener
        threading.Thread(target=self._accept, args=[listener], daemon=True).start()

    def go_down(self) -> None:
        """Refuse new connections and cut those that there are."""
        if self._listener is None:
            return
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        self._listener = None
        if isinstance(self.address, str):
            os.unlink(self.address)
        self.cut()

    def cut(self) -> None:
        """Reset every connection, as a server that dies does."""
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            _reset(end)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=[client], daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        """Carry one connection until one of its ends closes."""
        with client, socket.socket(_family(self._target)) as server:
            try:
                server.connect(self._target)
            except OSError:
                _reset(client)
                return
            with self._lock:
                self._open |= {client, server}
            asking = threading.Thread(target=self._pass_on, args=[client, server], daemon=True)
            asking.start()
            self._pass_on(server, client, loses=lambda: self.loses_answers)
            asking.join()
            with self._lock:
                self._open -= {client, server}

    def _pass_on(
        self, source: socket.socket, sink: socket.socket, loses: Callable[[], bool] = bool
    ) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                if loses():
                    _reset(sink)
                    break
                sink.sendall(piece)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _reset(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def relaying(listens_at: Address, target: Address) -> Iterator[Relay]:
    """A relay that lives as long as the context."""
    relay = Relay(listens_at, target)
    try:
        yield relay
    finally:
        relay.go_down()
