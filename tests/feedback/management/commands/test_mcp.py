"""`manage.py mcp --stdio` as a program of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.models import AuditEntry
from tests.commands import ran
from tests.factories import MARKER
from tests.leaks import leaks_in
from tests.tools import INITIALIZE, call_frame, frame

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_without_a_token_it_says_so_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ERRATA_TOKEN", raising=False)
    ended = ran(tmp_path, "mcp", "--stdio")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "CommandError: Set ERRATA_TOKEN to the token of a credential.\n"


def test_standard_output_carries_frames_and_nothing_else(
    agent_token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_TOKEN", agent_token)
    lines: list[Any] = [
        json.dumps(INITIALIZE),
        json.dumps(frame("notifications/initialized", id_=None)),
        "{oops",
        json.dumps(frame("tools/list", id_="list")),
        json.dumps(call_frame("recall", {"question": MARKER}, 1)),
        json.dumps(call_frame("promote_feedback", {"id": MARKER}, 2)),
        json.dumps(call_frame("observe", {"messages": MARKER}, 3)),
        json.dumps(frame("resources/list", id_=4)),
    ]

    ended = ran(tmp_path, "mcp", "--stdio", stdin="\n".join(lines))

    answers = {answer["id"]: answer for answer in map(json.loads, ended.stdout.splitlines())}
    assert ended.returncode == 0
    assert set(answers) == {0, None, "list", 1, 2, 3, 4}
    assert answers[0]["result"]["serverInfo"]["name"] == "errata"
    assert list(answers[0]["result"]["capabilities"]) == ["tools"]
    assert len(answers["list"]["result"]["tools"]) == 6
    assert answers[1]["result"]["structuredContent"]["untrusted"] is True
    refused = [answers[number]["result"]["structuredContent"]["code"] for number in (2, 3)]
    assert refused == ["unknown_tool", "invalid_arguments"]
    assert answers[4]["error"]["code"] == -32601
    assert leaks_in(ended.stderr) == []
    edges = AuditEntry.objects.filter(actor_kind="credential").values_list("operation", "edge")
    assert sorted(edges) == [("observe", "mcp"), ("recall", "mcp")]


def test_a_wrong_token_gets_neither_list_nor_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_TOKEN", "nobody")
    lines = [INITIALIZE, frame("tools/list", id_=1), call_frame("recall", {"question": "q"}, 2)]

    ended = ran(tmp_path, "mcp", "--stdio", stdin="\n".join(map(json.dumps, lines)))

    answers = {answer["id"]: answer for answer in map(json.loads, ended.stdout.splitlines())}
    words = "401 unauthenticated: A valid credential is required."
    assert answers[1]["error"] == {"code": -32600, "message": words}
    assert answers[2]["result"]["content"] == [{"type": "text", "text": words}]
    assert "nobody" not in ended.stderr
