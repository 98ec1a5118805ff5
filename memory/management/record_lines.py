"""Load files of records: what a line may say, and how a file becomes records."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction

from memory.errors import FieldInvalid, PredicateConflict, RecordConflict
from memory.http.fields import Choice
from memory.http.record_input import RecordContentInput, draft_of
from memory.keys import fingerprint
from memory.management.lines import Line, LoadCounts, read_batches, refuse_lines, size_of
from memory.management.progress import progress_bar
from memory.operations.assert_records import RecordDraft, assert_records
from memory.operations.mark_predicate import mark_predicate
from memory.operations.record_rows import Origin
from memory.queries.predicates import single_valued_among
from memory.transactions import project_scope
from memory.vocabulary import Edge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memory.actor import Actor

_DRAFT_PATH: Final = re.compile(r"records\[(\d+)\]\.(.+)")
_PLACE_TAKEN: Final = (
    "A current record holds the place of this single-valued subject and predicate. "
    "Correct that record instead."
)


class Cardinality(StrEnum):
    """How often a subject has a predicate."""

    ONE = "one"
    MANY = "many"


class RecordLineInput(RecordContentInput):
    """A record as a line of a load file says it."""

    cardinality = Choice(Cardinality, default=Cardinality.MANY)


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A record to be asserted, and whether it makes its predicate single-valued."""

    draft: RecordDraft
    is_single_valued: bool


def load_records_file(actor: Actor, path: Path) -> LoadCounts:
    """Assert the records of a file, batch by batch; what an earlier run had asserted is skipped.

    Raises CommandError, which names lines, before anything of their batch is written.
    """
    counts = LoadCounts()
    marked: set[str] = set()
    with progress_bar("Records", total=size_of(path)) as advance:
        for lines in read_batches(path, _accept, advance):
            _mark_predicates(actor, lines, marked)
            counts = counts.plus(added=_assert(actor, lines), lines=len(lines))
    return counts


def _accept(values: dict[str, Any]) -> RecordLine:
    accepted = RecordLineInput.parse(values)
    draft = draft_of(accepted)
    origin = draft.origin or Origin(Edge.CLI)
    if origin.id is None:
        # A line without an id is known by what it says, so that no second run asserts it again.
        content = {name: value for name, value in values.items() if name != "cardinality"}
        said = fingerprint("LINE", "load_records", content).hex()
        draft = replace(draft, origin=replace(origin, id=f"sha256:{said}"))
    return RecordLine(draft, accepted["cardinality"] is Cardinality.ONE)


def _mark_predicates(actor: Actor, lines: Sequence[Line[RecordLine]], marked: set[str]) -> None:
    """Mark what the batch calls single-valued, before its records come under the rule."""
    wanted = {
        line.value.draft.predicate: line.number
        for line in reversed(lines)
        if line.value.is_single_valued and line.value.draft.predicate not in marked
    }
    if not wanted:
        return
    with project_scope(actor.project_id):
        marked |= single_valued_among(actor, wanted.keys())
    for name in wanted.keys() - marked:
        try:
            mark_predicate(actor=actor, name=name)
        except PredicateConflict as error:
            refuse_lines(lines, {wanted[name]: error.message})
        marked.add(name)


def _assert(actor: Actor, lines: Sequence[Line[RecordLine]]) -> int:
    """Assert a batch; how many of its records are new."""
    try:
        drafts = [line.value.draft for line in lines]
        receipt = assert_records(actor=actor.in_new_request(), drafts=drafts)
    except RecordConflict:
        refuse_lines(lines, dict.fromkeys(_find_conflicts(actor, lines), _PLACE_TAKEN))
        raise  # whoever held the place has let go of it meanwhile
    except FieldInvalid as error:
        if place := _DRAFT_PATH.fullmatch(error.field):
            fault = FieldInvalid(place[2], error.rule)
            refuse_lines(lines, {lines[int(place[1])].number: fault.message})
        raise
    return sum(not record.is_replay for record in receipt.records)


def _find_conflicts(actor: Actor, lines: Sequence[Line[RecordLine]]) -> list[int]:
    """The numbers of the lines whose place is taken: each is tried, and then all is undone."""
    found = []
    with transaction.atomic():
        for line in lines:
            try:
                assert_records(actor=actor, drafts=[line.value.draft])
            except RecordConflict:
                found.append(line.number)
        transaction.set_rollback(True)
    return found
