"""An agent with the published adapter for memory, without a model: its answers are scripted.

Apart from the tests that use it, because what it imports takes seconds.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from taisce import Client
from taisce_langgraph import UNTRUSTED_KEY, TaisceMemory
from typing_extensions import override

from tests.clients.outage import Outage
from tests.factories import MARKER
from tests.wire import OverHttp

MEMORY_PREFIX: Final = "taisce-memory/v1 untrusted"
TIMEOUT_SECONDS: Final = 10


class ScriptedModel(BaseChatModel):
    """Answers what the test says, without a model."""

    answer: Callable[[list[BaseMessage]], AIMessage]

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """Any tools: the script calls them."""
        return self

    @override
    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.answer(messages))])


@tool
def book(day: str) -> str:
    """Book a room."""
    return f"{MARKER} room booked for {day}"


@dataclass(slots=True)
class Chat:
    """A fresh subject of an otherwise idle project talks to an agent that has the adapter."""

    outage: Outage
    direct: OverHttp
    subject: str = field(default_factory=lambda: f"{MARKER} {uuid4()}")
    run: str = "run-1"
    compact_after: int | None = None
    handed: list[list[BaseMessage]] = field(default_factory=list)
    reported: list[tuple[str, Exception]] = field(default_factory=list)

    def believe(self, name: str, predicate: str, object_: str, statement: str) -> None:
        """Assert this record, about the subject."""
        record = {
            "idempotency_key": str(uuid4()),
            "subject": name,
            "predicate": predicate,
            "object": object_,
            "statement": statement,
            "data_subject_id": self.subject,
        }
        assert self.direct("/v1/records/assert", {"records": [record]}).status == 200

    def take_turn(
        self,
        words: str,
        *answers: str | AIMessage | Exception,
        before: Sequence[BaseMessage] = (),
    ) -> None:
        """One run of the agent, to its end or its error, with what the model says in turn."""
        script = list(answers)

        def answer(messages: list[BaseMessage]) -> AIMessage:
            self.handed.append(messages)
            match script.pop(0):
                case Exception() as error:
                    raise error
                case AIMessage() as message:
                    return message
                case text:
                    return AIMessage(text)

        async def run() -> None:
            async with Client(
                self.outage.url, self.direct.default_token, timeout=TIMEOUT_SECONDS
            ) as client:
                memory = TaisceMemory(
                    client,
                    data_subject_id=self.subject,
                    run_id=self.run,
                    on_error=lambda stage, error: self.reported.append((stage, error)),
                    compact_after_messages=self.compact_after,
                )
                model = ScriptedModel(answer=answer)
                agent: Any = create_agent(model, tools=[book], middleware=[memory])
                await agent.ainvoke({"messages": [*before, HumanMessage(words)]})

        asyncio.run(run())

    @property
    def stored(self) -> int:
        """How many sources the log holds."""
        last = self.direct("/v1/freshness", b"", method="GET").body["stored"]
        return 0 if last is None else last + 1

    @property
    def texts(self) -> list[str]:
        """What the model was handed in its first call."""
        return [str(message.content) for message in self.handed[0]]

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The turns of the subject, as the server keeps them."""
        answer = self.direct("/v1/contexts", {"data_subject_id": self.subject})
        turns: list[dict[str, Any]] = answer.body["turns"]
        return turns

    @staticmethod
    def carried_by(message: BaseMessage) -> dict[str, Any]:
        """What an injected message carries; it is a person's, marked untrusted."""
        assert isinstance(message, HumanMessage)
        assert message.additional_kwargs == {UNTRUSTED_KEY: True}
        prefix, _, document = str(message.content).partition("\n")
        assert prefix == MEMORY_PREFIX
        carried: dict[str, Any] = json.loads(document)
        return carried
