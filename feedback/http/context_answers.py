"""Rows of the loop with what their answers say besides, as outputs take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from feedback.queries.recalls import RECALLED_ROWS
from feedback.vocabulary import Surface

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from feedback.operations.compile_context import CompiledContext
    from feedback.queries.recalls import Question, Quotation, Recollection
    from feedback.queries.runs import RunItem, RunRow
    from memory.retrieval import Candidate
    from memory.vocabulary import MessageRole


@dataclass(frozen=True, slots=True)
class Controls:
    """How a question was answered, defaults filled in."""

    max_characters: int
    source_roles: Sequence[MessageRole]
    hops: int
    surfaces: Sequence[Surface]
    themes: bool
    max_rows: int = RECALLED_ROWS


@dataclass(frozen=True, slots=True)
class FactAnswer:
    """A fact; it is reached in one hop, from its own subject."""

    record: Candidate
    evidence: Quotation
    hops: int = 1
    via: tuple[str, ...] = ()
    co_derived_with: tuple[str, ...] = ()

    @property
    def path(self) -> list[str]:
        """The subjects on the way."""
        return [self.record.subject]


@dataclass(frozen=True, slots=True)
class Reach:
    """What the question reached."""

    terms: int
    is_anything_known: bool
    facts_per_anchor: Counter[str]

    @property
    def anchored(self) -> int:
        """How many subjects the facts are about."""
        return len(self.facts_per_anchor)

    @property
    def named_nothing_known(self) -> bool:
        """Whether the question had words, and no record one of them."""
        return self.terms > 0 and not self.is_anything_known


@dataclass(frozen=True, slots=True, kw_only=True)
class RecollectionAnswer:
    """What a question recalled. `surfaces` is None where the caller named none."""

    recollection: Recollection
    question: Question
    surfaces: Sequence[Surface] | None
    hops: int
    themes: bool
    anchors: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()

    @property
    def controls(self) -> Controls:
        """How the question was answered."""
        return Controls(
            max_characters=self.question.max_characters,
            source_roles=self.question.source_roles,
            hops=self.hops,
            surfaces=self.surfaces or list(Surface),
            themes=self.themes,
        )

    @property
    def facts(self) -> list[FactAnswer]:
        """The facts, best first."""
        return [FactAnswer(fact.record, fact.evidence) for fact in self.recollection.facts]

    @property
    def is_truncated(self) -> bool:
        """Whether facts were left out."""
        return self.recollection.is_truncated

    @property
    def characters(self) -> int:
        """How long the facts are together."""
        return self.recollection.characters

    @property
    def degraded(self) -> list[str]:
        """What was asked for by name and does not exist here."""
        named = [s.value for s in self.surfaces or () if s is not Surface.FACTS]
        return [*named, *(["hops"] if self.hops > 1 else [])]

    @property
    def reach(self) -> Reach:
        """What the question reached."""
        found = self.recollection
        return Reach(found.terms, found.is_anything_known, found.facts_per_subject)


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A pack, and what its meta says of the search."""

    context: CompiledContext
    are_checkpoints_asked: bool = False

    @property
    def meta(self) -> dict[str, Any]:
        """What the search was made of; no model, vector or background work exists here."""
        degraded: dict[str, Any] = {
            "version": 1,
            "lexical": "used" if self.context.lexemes_used else "no_terms",
            "semantic": False,
            "vector": "disabled",
            "embedding": "disabled",
            "extraction": "disabled",
            "background_enrichment": "disabled",
            "model": "disabled",
        }
        if self.are_checkpoints_asked:
            degraded["checkpoints"] = "unavailable"
        return {
            "candidates": self.context.candidates,
            "query_terms_used": self.context.lexemes_used,
            "dropped_query_terms": self.context.lexemes_dropped,
            "degraded": degraded,
        }


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """A run, and the items of its pack where they were asked for."""

    run: RunRow
    items: Sequence[RunItem] = ()

    @property
    def conflicts(self) -> list[RunItem]:
        """The items that are disputed now."""
        return [item for item in self.items if item.standing.is_disputed]
