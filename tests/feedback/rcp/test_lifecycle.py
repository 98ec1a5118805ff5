"""The life of a session, by the probes of the public checker (`protocols.md` 1.5 and 1.11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from feedback.rcp.methods import UNADVERTISED
from tests.rcp import Client, a_call

pytestmark = pytest.mark.django_db

NewSession = Callable[[], Client]


def test_info_and_ping_answer_before_initialize(new_session: NewSession) -> None:
    session = new_session()

    assert session.result("ping", {"nonce": 777}) == {"nonce": 777}
    assert session.result("ping") == {}
    assert session.result("info")["server"]["name"] == "errata"


def test_nothing_else_answers_before_initialize(new_session: NewSession) -> None:
    session = new_session()

    for method in ("retrieve", "feedback", "index/add", "no/such", "x-errata/thing"):
        assert session.code(method, {"query": "test", "k": 3}) == -32001


@pytest.mark.parametrize(
    "frame",
    [
        {"jsonrpc": "2.0", "method": "notifications/cancel", "params": {"id": 1}},
        {"jsonrpc": "2.0", "method": "notifications/unknown", "params": {}},
        {"jsonrpc": "2.0", "method": "retrieve", "params": {"query": "test", "k": 3}},
        {"jsonrpc": "2.0", "method": "no/such"},
    ],
)
def test_a_notification_is_met_with_silence(frame: dict[str, Any], new_session: NewSession) -> None:
    session = new_session()

    assert session.door.send(frame) is None
    assert session.initialized().door.send(frame) is None


def test_a_version_below_one_is_refused_and_leaves_the_session_locked(
    new_session: NewSession,
) -> None:
    session = new_session()

    for version in (0, -1):
        assert session.code("initialize", {"protocolVersion": version}) == -32002
    assert session.code("retrieve", {"query": "test"}) == -32001
    assert session.result("initialize", {"protocolVersion": 7})["protocolVersion"] == 1


@pytest.mark.parametrize("version", [None, "1", 1.0, 1.5, True, [1], {}], ids=repr)
def test_a_version_that_is_no_integer_is_a_bad_param(
    version: object, new_session: NewSession
) -> None:
    error = new_session().error("initialize", {"protocolVersion": version})

    assert error["code"] == -32602
    assert error["data"]["field"] == "protocolVersion"


def test_initialize_says_what_there_is(new_session: NewSession) -> None:
    found = new_session().result(
        "initialize",
        {"protocolVersion": 1, "client": {"name": "x"}, "capabilities": {"a": 1}, "new": 1},
    )

    assert found["capabilities"]["retrieve"]["maxK"] == 200
    assert found["capabilities"]["feedback"] == {}
    assert found["_meta"] == {"conformance": "L0"}


def test_hints_of_any_form_are_left_alone(new_session: NewSession) -> None:
    new_session().result("initialize", {"protocolVersion": 1, "client": 5, "capabilities": []})


def test_initialize_succeeds_once(new_session: NewSession) -> None:
    session = new_session().initialized()

    assert session.code("initialize", {"protocolVersion": 1}) == -32600
    assert session.code("initialize", {"protocolVersion": 0}) == -32600
    assert session.result("info") == new_session().result("initialize", {"protocolVersion": 1})


def test_methods_are_unknown_or_not_advertised(new_session: NewSession) -> None:
    session = new_session().initialized()

    for method in UNADVERTISED:
        assert session.code(method, {}) == -32003
    for method in ("does/not/exist", "x-acme/rerank", "rpc.discover", "Retrieve", ""):
        assert session.code(method, {}) == -32004


@pytest.mark.parametrize("id_", ["a-b", "", "5", 5, 0, -3, 1.5, 10**40, "\u0000é🦓"], ids=repr)
def test_an_id_comes_back_as_it_is(id_: object, new_session: NewSession) -> None:
    answer = new_session().door.send(a_call("ping", {"nonce": id_}, id=id_))

    assert answer == {"jsonrpc": "2.0", "id": id_, "result": {"nonce": id_}}
    assert type(answer["id"]) is type(id_)


@pytest.mark.parametrize("nonce", [True, [], {}], ids=repr)
def test_a_nonce_is_a_string_or_a_number(nonce: object, new_session: NewSession) -> None:
    assert new_session().error("ping", {"nonce": nonce})["data"]["field"] == "nonce"


@pytest.mark.usefixtures("records")
def test_hits_have_ids_and_falling_scores(new_session: NewSession, word: str) -> None:
    session = new_session().initialized()

    hits = session.hits(word, k=3)

    assert len(hits) == 3
    assert len({hit["id"] for hit in hits}) == 3
    assert sorted((hit["score"] for hit in hits), reverse=True) == [hit["score"] for hit in hits]
    assert session.hits("test", k=3) == []


@pytest.mark.usefixtures("records")
def test_k_is_clamped_or_refused(new_session: NewSession, word: str) -> None:
    session = new_session().initialized()

    assert len(session.hits(word, k=1200)) == 12
    assert session.code("retrieve", {"query": word, "k": -5}) == -32602
    error = session.error("retrieve", {"query": word, "k": 10, "candidateK": 2})
    assert (error["code"], error["data"]["field"]) == (-32602, "candidateK")


def test_shutdown_is_answered_before_initialize_too(new_session: NewSession) -> None:
    session = new_session()

    assert session.result("shutdown") == {}
    session.initialized()
    assert session.result("shutdown", {}) == {}
    assert session.code("retrieve", {"query": "test"}) == -32001


def test_the_stateless_base_counts_as_initialized(rcp: Client) -> None:
    assert rcp.hits("test") == []
    found = rcp.result("initialize", {"protocolVersion": 1})
    assert rcp.result("initialize", {"protocolVersion": 1}) == found
    assert rcp.result("shutdown") == {}
    assert rcp.result("info") == found
    assert rcp.code("initialize", {"protocolVersion": 0}) == -32002


def test_a_read_only_credential_has_no_feedback(rcp: Client, rcp_ro: Client) -> None:
    full, less = (each.result("info")["capabilities"] for each in (rcp, rcp_ro))

    assert full.pop("feedback") == {}
    assert full == less
