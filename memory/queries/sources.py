"""Reads of sources: where the log stands, a person's turns, and evidence that nobody used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Subquery, Sum

from memory import policies
from memory.models import Message, Project, Source
from memory.models.columns import OctetLength
from memory.scope import current_scope
from memory.transactions import audited_read
from memory.vocabulary import Operation, SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.actor import Actor

COUNTED_EVIDENCE: Final = 1_000
TURNS: Final = 200
_SCANNED_EVIDENCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Watermark:
    """Where the log of a project stands; `stored` is None while it is empty."""

    scope: str
    stored: int | None
    parked: int = 0  # nothing waits for a model
    magnitude: int = 1


@audited_read(Operation.FRESHNESS)
def get_watermark(*, actor: Actor) -> Watermark:
    """The last offset of the project's log. One statement."""
    policies.can_read(actor).require()
    return find_watermark(actor)


def find_watermark(actor: Actor) -> Watermark:
    """The same inside another audited read."""
    offsets = Project.objects.filter(id=actor.project_id).values_list("next_log_offset", flat=True)
    following = offsets.get()
    return Watermark(current_scope().name, following - 1 if following else None)


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """One message of a turn, as it was said."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A stored turn, whole and verbatim."""

    log_offset: int
    occurred_at: datetime | None
    messages: tuple[TurnMessage, ...]

    @property
    def characters(self) -> int:
        """How long its messages are together, in code points."""
        return sum(len(message.content) for message in self.messages)


@dataclass(frozen=True, slots=True)
class _StoredTurn:
    """A turn before its messages are read; `size` is theirs in bytes."""

    id: UUID
    log_offset: int
    occurred_at: datetime | None
    size: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """The newest turns of a person, oldest first, and whether older ones were left out."""

    turns: tuple[Turn, ...]
    watermark: Watermark
    is_truncated: bool

    @property
    def characters(self) -> int:
        """How long the turns are together."""
        return sum(turn.characters for turn in self.turns)

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.turns)


@audited_read(Operation.CONTEXT_ASSEMBLE)
def assemble_context(*, actor: Actor, data_subject: str, max_characters: int) -> Conversation:
    """The person's newest turns that fit, whole, at most `TURNS`.

    Three statements; memory_source_turn_idx, then messages by their source.
    """
    policies.can_read(actor).require()
    watermark = find_watermark(actor)
    newest = _newest_turns(actor, data_subject)
    taken: list[Turn] = []
    left = max_characters
    for turn in _read_turns(actor, newest[:TURNS], max_characters):
        if turn.characters > left:
            break
        left -= turn.characters
        taken.append(turn)
    return Conversation(tuple(reversed(taken)), watermark, len(taken) < len(newest))


def _newest_turns(actor: Actor, data_subject: str) -> list[_StoredTurn]:
    """The newest turns and one more, newest first, with the size of each."""
    sizes = (
        Message.objects.filter(project_id=OuterRef("project_id"), source_id=OuterRef("id"))
        .order_by()
        .values("source_id")
        .annotate(size=Sum(OctetLength("content")))
    )
    rows = (
        Source.objects.visible_to(actor)
        .filter(
            data_subject_id=current_scope().digests.subject_id(data_subject), kind=SourceKind.TURN
        )
        .order_by("-log_offset")
        .values_list("id", "log_offset", "occurred_at", Subquery(sizes.values("size")))
    )
    return [_StoredTurn(*row) for row in rows[: TURNS + 1]]


def _read_turns(actor: Actor, stored: list[_StoredTurn], max_characters: int) -> list[Turn]:
    """The turns that may fit: no character is longer than four bytes."""
    sizes = accumulate(turn.size for turn in stored)
    maybe = [t for t, size in zip(stored, sizes, strict=True) if size <= 4 * max_characters]
    messages = _messages_of(actor, [turn.id for turn in maybe])
    return [Turn(t.log_offset, t.occurred_at, tuple(messages[t.id])) for t in maybe]


def _messages_of(actor: Actor, source_ids: Iterable[UUID]) -> dict[UUID, list[TurnMessage]]:
    rows = Message.objects.filter(
        project_id=actor.project_id, source_id__in=list(source_ids)
    ).order_by("source_id", "ordinal")
    found: dict[UUID, list[TurnMessage]] = {}
    for source_id, role, content in rows.values_list("source_id", "role", "content"):
        found.setdefault(source_id, []).append(TurnMessage(role, content))
    return found


# OFFSET keeps the look-up of each source from becoming a join with all citations of the project.
_UNCONSOLIDATED: Final = """
SELECT count(*) FROM (
  SELECT FROM (
    SELECT id FROM memory_source
    WHERE project_id = %(project)s AND kind <> 'curated' AND data_subject_id {is_whose}
    ORDER BY log_offset DESC LIMIT %(scanned)s) AS evidence
  WHERE NOT EXISTS (SELECT FROM memory_citation c
    WHERE c.project_id = %(project)s AND c.source_id = evidence.id OFFSET 0)
  LIMIT %(counted)s) AS unused
"""
_OF_PERSON: Final = _UNCONSOLIDATED.format(is_whose="= %(person)s")
_OF_NOBODY: Final = _UNCONSOLIDATED.format(is_whose="IS NULL")


def count_unconsolidated(actor: Actor, data_subject: str | None) -> int:
    """How much of a person's newest evidence no record cites, at most `COUNTED_EVIDENCE`.

    One statement; memory_source_evidence_idx, memory_citation_source_idx.
    """
    person = None if data_subject is None else current_scope().digests.subject_id(data_subject)
    with connection.cursor() as cursor:
        cursor.execute(
            _OF_NOBODY if person is None else _OF_PERSON,
            {
                "project": actor.project_id,
                "person": person,
                "scanned": _SCANNED_EVIDENCE,
                "counted": COUNTED_EVIDENCE,
            },
        )
        row: tuple[int] = cursor.fetchone()
    return row[0]
