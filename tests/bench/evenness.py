"""Which process of a server holds which of our connections, as the kernel tells.

A connection that is kept alive stays with the process that accepted it, and who accepts is luck:
measured, one of two processes had all of eight connections in six of twenty cells. So clients
connect anew until every process has its share, for floor and product alike.
"""

from __future__ import annotations

import time
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

ACCEPT_SECONDS: Final = 1.0
_SOCKET: Final = "socket:["


def surplus_of(server: int, port: int, ours: Sequence[int]) -> list[int]:
    """Places of those of our ports whose process has more than its share; none if unknown."""
    workers = _children_of(server)
    holders = _holders(workers, port, ours)
    if not workers or holders is None:
        return []
    share = ceil(len(ours) / len(workers))
    held: dict[int, int] = {}
    surplus = []
    for place, holder in enumerate(holders):
        held[holder] = held.get(holder, 0) + 1
        if held[holder] > share:
            surplus.append(place)
    return surplus


def _holders(workers: Sequence[int], port: int, ours: Sequence[int]) -> list[int] | None:
    """The process that holds each of our connections, once all are accepted; None if that fails."""
    deadline = time.monotonic() + ACCEPT_SECONDS
    while time.monotonic() < deadline:
        inodes = _inodes(port)
        by_inode = {inode: worker for worker in workers for inode in _sockets_of(worker)}
        found = [by_inode.get(inodes.get(our, "")) for our in ours]
        known = [worker for worker in found if worker is not None]
        if len(known) == len(ours):
            return known
        time.sleep(0.02)
    return None


def _inodes(port: int) -> dict[int, str]:
    """The server's sockets on this port, by the port at the other end."""
    found = {}
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        local, remote = (int(address.rpartition(":")[2], 16) for address in fields[1:3])
        if local == port and remote:
            found[remote] = fields[9]
    return found


def _children_of(process: int) -> list[int]:
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(child) for child in listed.split()]


def _sockets_of(process: int) -> list[str]:
    sockets = []
    try:
        for descriptor in Path(f"/proc/{process}/fd").iterdir():
            target = str(descriptor.readlink())
            if target.startswith(_SOCKET):
                sockets.append(target[len(_SOCKET) : -1])
    except OSError:
        return sockets
    return sockets
