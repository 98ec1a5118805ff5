"""The loop as a client goes round it: observe, consolidate, compile, say what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import pytest

from memory.actor import Actor
from memory.operations.issue_credential import issue_credential
from memory.vocabulary import Access, Trust
from tests.factories import MARKER, REMEMBERED, fresh
from tests.wire import Answer, InProcess

#: Whom the loop is about, unless a test says otherwise.
PERSON: Final = f"{MARKER} watcher"
SMOKE: Final = f"The smoke run of the {MARKER} returned 200."


@dataclass(frozen=True, slots=True)
class Loop:
    """Calls of the loop's routes with one credential."""

    call: InProcess

    def post(self, path: str, body: Mapping[str, Any], **how: Any) -> Answer:
        """POST below `/v1`."""
        return self.call(f"/v1/{path}", dict(body), **how)

    def get(self, path: str, **asked: Any) -> Answer:
        """GET below `/v1`."""
        query = f"?{urlencode(asked)}" if asked else ""
        return self.call(f"/v1/{path}{query}", b"", method="GET")

    def observe(self, content: str = SMOKE, person: str = PERSON, **said: Any) -> dict[str, Any]:
        """The observation that was stored."""
        body = {
            "subject_id": person,
            "kind": "tool_result",
            "content": content,
            "source": {"type": "smoke"},
            **said,
        }
        answer = self.post("observations", body)
        assert answer.status == 201, answer.content
        stored: dict[str, Any] = answer.body["data"]
        REMEMBERED.add(str(UUID(stored["observation_id"].removeprefix("obs_"))))
        return stored

    def draft(self, statement: str = SMOKE, *observations: Mapping[str, Any], **said: Any) -> Any:
        """A claim to be sent: supported by these observations."""
        cited = [
            {"observation_id": seen["observation_id"], "relation": "supports"}
            for seen in observations
        ]
        return {"kind": "episodic_event", "statement": statement, "sources": cited, **said}

    def consolidate(self, *drafts: Mapping[str, Any], person: str = PERSON) -> Answer:
        """The answer to a consolidation."""
        return self.post("consolidations", {"subject_id": person, "claims": list(drafts)})

    def claim(self, statement: str = SMOKE, person: str = PERSON, **said: Any) -> dict[str, Any]:
        """A claim from an observation of the same words."""
        trust = {"trust": said.pop("seen")} if "seen" in said else {}
        seen = self.observe(statement, person, **trust)
        answer = self.consolidate(self.draft(statement, seen, **said), person=person)
        assert answer.status == 201, answer.content
        [claim] = answer.body["data"]["claims"]
        REMEMBERED.add(str(UUID(claim["claim_id"].removeprefix("claim_"))))
        made: dict[str, Any] = claim
        return made

    def compile(self, task: str = SMOKE, person: str | None = PERSON, **said: Any) -> Any:
        """The pack for a task; the answer's `meta` goes with it as `meta`."""
        answer = self.post(
            "context/compile", {"task": task, "subject_id": person, "max_tokens": 32_000, **said}
        )
        assert answer.status == 200, answer.content
        return {**answer.body["data"], "meta": answer.body["meta"]}

    def tell(
        self, run: Mapping[str, Any], outcome: str = "useful", claim: Any = None, **said: Any
    ) -> Answer:
        """The answer to an outcome about a run, or about a claim in it."""
        about = {} if claim is None else {"claim_id": claim["claim_id"]}
        return self.post(
            f"context/{run['context_id']}/feedback", {"outcome": outcome, **about, **said}
        )

    def told(self, *args: Any, **said: Any) -> dict[str, Any]:
        """An outcome that was recorded."""
        answer = self.tell(*args, **said)
        assert answer.status == 201, answer.content
        recorded: dict[str, Any] = answer.body["data"]
        return recorded

    def summary(self, claim: Mapping[str, Any]) -> Any:
        """What outcomes make of a claim."""
        answer = self.get(f"claims/{claim['claim_id']}/outcomes")
        assert answer.status == 200, answer.content
        return answer.body["data"]

    def record(self, claim: Mapping[str, Any]) -> Any:
        """The record behind a claim."""
        return self.post("records/get", {"id": record_id(claim)}).body

    def retract(self, claim: Mapping[str, Any]) -> Any:
        """Close the record behind a claim."""
        change = {"id": record_id(claim), "expected_version": self.record(claim)["version"]}
        answer = self.post("records/retract", {"records": [change]})
        assert answer.status == 200, answer.content
        return answer.body["records"][0]

    def correct(self, claim: Mapping[str, Any], statement: str) -> Any:
        """Put another record in the place of the one behind a claim."""
        change = {"id": record_id(claim), "expected_version": self.record(claim)["version"]}
        words = {"object": "another", "statement": statement}
        answer = self.post("records/correct", {"records": [change | words]})
        assert answer.status == 200, answer.content
        return answer.body["records"][0]


def record_id(claim: Mapping[str, Any]) -> str:
    """The record behind a claim, as records are named."""
    return str(UUID(claim["claim_id"].removeprefix("claim_")))


@pytest.fixture
def loop(operator: Actor, fresh_limits: None) -> Loop:  # noqa: ARG001
    """As a credential whose word is worth `verified`, like the demo's."""
    receipt = issue_credential(
        actor=fresh(operator), name="loop", access=Access.READ_WRITE, max_trust=Trust.VERIFIED
    )
    return Loop(InProcess(receipt.token))


@pytest.fixture
def another(operator: Actor, loop: Loop) -> Loop:  # noqa: ARG001 - after the first one
    """As another such credential of the same project."""
    receipt = issue_credential(
        actor=fresh(operator), name="another", access=Access.READ_WRITE, max_trust=Trust.VERIFIED
    )
    return Loop(InProcess(receipt.token))
