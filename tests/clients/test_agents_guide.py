"""Every line of docs/agents.md works as it stands there, against a real server with the demo."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.commands import environment, said

if TYPE_CHECKING:
    from django.conf import LazySettings

    from tests.serving import Server

pytestmark = [pytest.mark.slow]

ROOT: Final = Path(__file__).parents[2]
GUIDE: Final = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
CAPITAL: Final = "The capital of Burundi is Bujumbura."


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def _ran(*command: str, variables: dict[str, str], stdin: str = "") -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=variables,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_kind_of_client_connects_as_the_guide_says(
    transactional_db: None,  # noqa: ARG001 - the server sees committed rows only
    server: Server,
    tmp_path: Path,
    settings: LazySettings,
) -> None:
    settings.ERRATA_HOME = tmp_path
    said("load_demo")
    variables = environment(tmp_path) | {"PORT": str(server.port), "HOME": str(tmp_path)}
    told = _ran("make", "-s", "demo-env", variables=variables)
    variables |= dict(re.findall(r"^export (\w+)='?([^'\n]*)'?$", told, re.MULTILINE))
    assert variables["ERRATA_URL"] == f"http://127.0.0.1:{server.port}"

    shell, curl = _blocks("sh")
    assert shell.startswith('eval "$(make -s demo-env)"')
    answer = json.loads(_ran("bash", "-euo", "pipefail", "-c", curl, variables=variables))
    assert "facts" in answer, answer
    assert answer["facts"][0]["statement"] == CAPITAL

    blocks = _blocks("python")
    assert len(blocks) == 3
    for block in blocks:
        assert CAPITAL in _ran(sys.executable, "-", variables=variables, stdin=block)


def test_the_desktop_configuration_starts_tools(
    transactional_db: None,  # noqa: ARG001 - the other process sees committed rows only
    agent_ro_token: str,
    tmp_path: Path,
) -> None:
    (block,) = _blocks("json")
    entry = json.loads(block.replace("<clone>", str(ROOT)))["mcpServers"]["errata"]
    assert entry["env"] == {"ERRATA_TOKEN": "errata_…"}
    frames: list[dict[str, Any]] = [
        {
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "desktop", "version": "1"},
            },
        },
        {"method": "tools/list"},
    ]
    lines = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, **frame}) + "\n"
        for number, frame in enumerate(frames)
    )
    variables = environment(tmp_path) | {"ERRATA_TOKEN": agent_ro_token}
    told = _ran(sys.executable, *entry["args"], variables=variables, stdin=lines)
    tools = json.loads(told.splitlines()[-1])["result"]["tools"]
    assert "compile_context" in {tool["name"] for tool in tools}
