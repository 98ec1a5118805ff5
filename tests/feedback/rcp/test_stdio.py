"""RCP over stdio: a process of its own, a line a frame (`protocols.md` 1.4)."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from feedback.rcp.stdio import StdioServer
from memory.actor import Actor
from memory.http.strict_json import BODY_BYTES
from memory.models import AuditEntry
from memory.operations.issue_credential import CredentialReceipt
from memory.operations.revoke_credential import revoke_credential
from tests.factories import MARKER, a_record, fresh
from tests.leaks import leaks_in
from tests.rcp import Client, a_call, assert_answer
from tests.rcp_process import PATIENCE_SECONDS, ProcessDoor, ran, started
from tests.wire import encoded

# --- Lines, in this process ----------------------------------------------------------------------


def served(token: str, lines: bytes) -> list[Any]:
    """What a server without a database writes to these lines."""
    output = io.BytesIO()
    StdioServer(token).serve(io.BytesIO(lines), output)
    text = output.getvalue()
    assert not text or text.endswith(b"\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.django_db(transaction=True)
def test_blank_lines_and_notifications_are_met_with_silence() -> None:
    notification = b'{"jsonrpc":"2.0","method":"notifications/cancel","params":{"id":1}}'

    lines = b"\n\r\n  \t\n" + notification + b"\r\n[" + notification + b"]\n\n"

    assert served("", lines) == []


@pytest.mark.django_db(transaction=True)
def test_a_line_may_end_as_on_windows_or_with_the_input() -> None:
    for lines in (b"{\r\n{\n", b"{\n{"):
        assert [answer["error"]["code"] for answer in served("", lines)] == [-32700] * 2


@pytest.mark.django_db(transaction=True)
def test_a_line_of_a_mebibyte_is_read_and_a_longer_one_skipped() -> None:
    longest = b'"' + b"x" * (BODY_BYTES - 2) + b'"'
    for end in (b"\n", b"\r\n"):
        answers = served("", longest + end + b"x" + longest + end + longest * 3 + end + b"{" + end)
        codes = [answer["error"]["code"] for answer in answers]
        assert codes == [-32600, -32013, -32013, -32700]
        assert answers[1]["id"] is None
        assert answers[1]["error"]["data"] == {"field": "body"}


# --- The process ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_without_a_token_it_ends_with_one_line_and_two(tmp_path: Path) -> None:
    for token in (None, ""):
        done = ran(tmp_path, token, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')

        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().count("\n") == 1
        assert b"ERRATA_TOKEN" in done.stderr


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_conversation_ends_with_the_input(tmp_path: Path, agent: Actor, agent_token: str) -> None:
    record = a_record(agent)
    calls: list[Any] = [
        a_call("retrieve", {"query": MARKER}),
        a_call("initialize", {"protocolVersion": 1}),
        [a_call("retrieve", {"query": MARKER}), {"jsonrpc": "2.0", "method": "x"}, 5],
        a_call("feedback", {"signals": [{"hitId": f"{record.id}@{record.version}"}]}),
    ]

    done = ran(tmp_path, agent_token, b"".join(encoded(call) + b"\n" for call in calls))

    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for answer in answers:
        assert_answer(answer)
    assert answers[0]["error"]["code"] == -32001
    assert answers[1]["result"]["server"]["name"] == "errata"
    assert [hit["meta"]["recordId"] for hit in answers[2][0]["result"]["hits"]] == [str(record.id)]
    assert answers[2][1]["error"]["code"] == -32600
    assert answers[3]["result"] == {"accepted": 1}
    edges = AuditEntry.objects.filter(operation__in=["retrieve", "signal.record"])
    assert set(edges.values_list("edge", flat=True)) == {"rcp"}
    requests = edges.filter(outcome="allowed").values_list("request_id", flat=True)
    assert len(set(requests)) == len(requests) == 2


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_after_shutdown_no_line_is_read(tmp_path: Path, agent_token: str) -> None:
    lines = b"".join(encoded(a_call(name)) + b"\n" for name in ("ping", "shutdown", "ping"))

    done = ran(tmp_path, agent_token, lines)

    assert (done.returncode, done.stdout.count(b"\n")) == (0, 2)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_credential_is_checked_on_every_line(
    tmp_path: Path, agent_credential: CredentialReceipt, operator: Actor
) -> None:
    with started(tmp_path, agent_credential.token) as process:
        client = Client(ProcessDoor(process)).initialized()
        assert client.hits("test") == []
        revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)
        for method in ("retrieve", "ping", "info", "initialize"):
            assert client.code(method, {"query": "test"}) == -32012
        assert process.poll() is None
    refused = AuditEntry.objects.filter(operation="authenticate")
    assert set(refused.values_list("edge", "code")) == {("rcp", "unauthenticated")}
    said = (tmp_path / "stderr").read_text()
    assert leaks_in(said) == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_wrong_token_is_refused_call_by_call(tmp_path: Path) -> None:
    calls = [a_call("ping"), [a_call("ping"), {"jsonrpc": "2.0", "method": "x"}, a_call("info")]]

    done = ran(tmp_path, "wrong", b"".join(encoded(call) + b"\n" for call in calls))

    assert done.returncode == 0
    single, batch = (json.loads(line) for line in done.stdout.splitlines())
    assert single["error"]["code"] == -32012
    assert [member["error"]["code"] for member in batch] == [-32012, -32012]
    assert AuditEntry.objects.filter(operation="authenticate").count() == 2


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_client_that_goes_away_ends_it_quietly(tmp_path: Path, agent_token: str) -> None:
    with started(tmp_path, agent_token) as process:
        Client(ProcessDoor(process)).result("ping")
        assert process.stdout
        assert process.stdin
        process.stdout.close()
        process.stdin.write(encoded(a_call("ping")) + b"\n")
        process.stdin.flush()
        assert process.wait(PATIENCE_SECONDS) == 0
    assert (tmp_path / "stderr").read_bytes() == b""
