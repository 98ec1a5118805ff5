"""`GET /v1/freshness`: where the log stands (`contract.md` 3.2)."""

from __future__ import annotations

from memory.actor import Actor
from tests.factories import a_record, a_source
from tests.looping import Loop
from tests.wire import Foreigner, InProcess


def test_an_empty_log_has_no_last_place(loop: Loop) -> None:
    answer = loop.get("freshness")

    assert answer.status == 200
    assert answer.body == {
        "scope": "demo",
        "stored": None,
        "formed": None,
        "parked": 0,
        "formation": "none",
    }
    assert list(answer.body) == ["scope", "stored", "formed", "parked", "formation"]


def test_the_last_place_is_that_of_the_newest_source_of_any_kind(
    loop: Loop, agent: Actor, foreigner: Foreigner
) -> None:
    seen = []
    for add in (a_source, a_record, a_source):
        add(agent)
        a_source(foreigner.actor)
        seen.append(loop.get("freshness").body)

    assert [(body["stored"], body["formed"], body["parked"]) for body in seen] == [
        (0, 0, 0),
        (1, 1, 0),
        (2, 2, 0),
    ]


def test_a_client_that_sends_a_content_type_is_served(call_ro: InProcess) -> None:
    """The client of Taisce does, and so may any credential."""
    answer = call_ro("/v1/freshness", b"", method="GET", content_type="application/json")

    assert answer.status == 200
    assert call_ro("/v1/freshness", b"", method="HEAD").status == 200
    assert call_ro("/v1/freshness").refusal == (405, "method_not_allowed")
