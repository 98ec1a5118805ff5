"""What the tests of the installation share."""

from __future__ import annotations

import socketserver
import struct
import threading
from typing import TYPE_CHECKING

import pytest
from typing_extensions import override

from config.embedded_postgres import THROW_AWAY_SETTINGS, running
from tests.config.launching import copy_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder whose cluster is made and at rest, to be copied: that is much quicker."""
    home = tmp_path_factory.mktemp("made") / "home"
    with running(home, settings=THROW_AWAY_SETTINGS):
        pass
    return home


@pytest.fixture
def home(made_home: Path, tmp_path: Path) -> Path:
    """A state folder of the test's own, with a cluster at rest."""
    home = tmp_path / "home"
    copy_home(made_home, home)
    return home


class OldServer(socketserver.BaseRequestHandler):
    """Says the first words of PostgreSQL 14: welcome, my version, ready."""

    @override
    def handle(self) -> None:
        """Answer one start-up message, refusing encryption as a plain server does."""
        while True:
            (size,) = struct.unpack("!i", self.request.recv(4))
            (code,) = struct.unpack("!i", self.request.recv(size - 4)[:4])
            if code == 3 << 16:
                break
            self.request.sendall(b"N")
        version = b"server_version\x0014.10\x00"
        self.request.sendall(
            b"R\x00\x00\x00\x08\x00\x00\x00\x00"
            + b"S"
            + struct.pack("!i", len(version) + 4)
            + version
            + b"Z\x00\x00\x00\x05I"
        )
        self.request.recv(1)


@pytest.fixture
def old_server() -> Iterator[str]:
    with socketserver.TCPServer(("127.0.0.1", 0), OldServer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"postgresql://ann@127.0.0.1:{server.server_address[1]}/facts"
        server.shutdown()
        thread.join()
