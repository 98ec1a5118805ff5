"""State of the loop for calls of its routes: ids as the wire spells them, runs with their claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memory.operations.append_source import SourceReceipt
from memory.vocabulary import SourceKind
from tests.factories.content import MARKER, a_record
from tests.factories.loop import a_run, a_source

if TYPE_CHECKING:
    from uuid import UUID

    from memory.actor import Actor


def claim_id(record_id: UUID) -> str:
    """A record's id on the routes of the loop."""
    return f"claim_{record_id.hex}"


def observation_id(source_id: UUID) -> str:
    """A source's id on the routes of the loop."""
    return f"obs_{source_id.hex}"


def context_id(run_id: UUID) -> str:
    """A run's id."""
    return f"ctx_{run_id.hex}"


def an_observation(
    actor: Actor, person: str, content: str = f"The {MARKER} camera saw a herd.", **said: Any
) -> SourceReceipt:
    """One observation about a person."""
    return a_source(actor, content, kind=SourceKind.TOOL_RESULT, data_subject=person, **said)


@dataclass(frozen=True, slots=True)
class GradedRun:
    """A run whose pack holds one claim, by their ids on the wire."""

    context_id: str
    claim_id: str


def a_graded_run(actor: Actor, person: str | None = None) -> GradedRun:
    """A run for a person, or for nobody, about whom one thing is known."""
    statement = f"The {MARKER} herd crossed river {uuid4()}."
    record = a_record(actor, data_subject=person, statement=statement)
    run = a_run(actor, f"Which river did the {MARKER} cross?", data_subject=person)
    assert record.id in [item.record.id for item in run.items]
    return GradedRun(context_id(run.run_id), claim_id(record.id))
