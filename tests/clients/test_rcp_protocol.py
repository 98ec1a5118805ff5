"""The published client `rcp-protocol` against a real server, over HTTP and over stdio.

Its HTTP transport sends no `Authorization`; a small subclass adds it, as `docs/agents.md` says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
import rcp
from typing_extensions import override

from feedback.models import Signal
from memory.actor import Actor
from memory.operations.revoke_credential import revoke_credential
from tests.commands import command_line, environment
from tests.factories import MARKER, fresh, some_records
from tests.serving import Server

pytestmark = [pytest.mark.xdist_group("live"), pytest.mark.slow]
