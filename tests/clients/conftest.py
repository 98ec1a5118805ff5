"""What the tests of published clients share: they reach this machine and nothing else."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

from tests.serving import HOST


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between, no trace is sent anywhere, and nothing else can be connected to."""
    monkeypatch.setenv("NO_PROXY", HOST)
    monkeypatch.setenv("no_proxy", HOST)
    for name in [name for name in os.environ if name.startswith(("LANGSMITH_", "LANGCHAIN_"))]:
        monkeypatch.delenv(name)
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        assert isinstance(address, (str, bytes)) or address[0] == HOST, address
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)
