"""Load files of reports: what a line may say, and how a file becomes reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from feedback.operations.record_report import ReportDraft, record_report
from memory.http.fields import Text
from memory.http.serializers import InputSerializer
from memory.keys import IdempotencyRequest, fingerprint
from memory.management.lines import Line, LoadCounts, read_batches, refuse_lines, size_of
from memory.management.progress import progress_bar
from memory.queries.triples import Triple, find_by_triples
from memory.vocabulary import (
    NAME_CHARACTERS,
    NOTE_BYTES,
    OBJECT_BYTES,
    PREDICATE_BYTES,
    PREDICATE_PATTERN,
    SUBJECT_BYTES,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memory.actor import Actor

REFERENCE_BYTES: Final = 2_048
_ROUTE: Final = "load_reports"
_NO_RECORD: Final = "No record of the project has this subject, predicate and object."


class ReportLineInput(InputSerializer):
    """A doubt as a line of a load file says it; the last two are not stored."""

    subject = Text(max_bytes=SUBJECT_BYTES)
    predicate = Text(max_bytes=PREDICATE_BYTES, pattern=PREDICATE_PATTERN)
    object = Text(max_bytes=OBJECT_BYTES)
    note = Text(max_bytes=NOTE_BYTES)
    proposed_object = Text(max_bytes=OBJECT_BYTES, required=False)
    reporter_subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    reported_by = Text(max_characters=NAME_CHARACTERS, required=False)
    reported_on = Text(max_characters=10, pattern=r"\d{4}-\d{2}-\d{2}", required=False)
    reference = Text(max_bytes=REFERENCE_BYTES, required=False)


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A doubt, the record that it is about by what that says, and the kind of reporter."""

    triple: Triple
    note: str
    proposed_object: str | None
    reporter_subject: str | None
    reported_by: str | None
    key: IdempotencyRequest


def load_reports_file(operator: Actor, path: Path, reporters: Mapping[str, Actor]) -> LoadCounts:
    """Record the reports of a file; what an earlier run had recorded is skipped.

    The operator reports for kinds of reporters that are not mapped. Raises CommandError, which
    names lines, before anything of their batch is written.
    """
    counts = LoadCounts()
    with progress_bar("Reports", total=size_of(path)) as advance:
        for lines in read_batches(path, _accept, advance):
            added = 0
            for draft, line in _drafts(operator, lines):
                reporter = reporters.get(line.reported_by or "", operator).in_new_request()
                receipt = record_report(actor=reporter, draft=draft, key=line.key)
                added += not receipt.is_replay
            counts = counts.plus(added=added, lines=len(lines))
    return counts


def _accept(values: dict[str, Any]) -> ReportLine:
    accepted = ReportLineInput.parse(values)
    # The same line is the same call, wherever it stands and whatever its record has become.
    said = fingerprint("LINE", _ROUTE, values)
    return ReportLine(
        triple=Triple(accepted["subject"], accepted["predicate"], accepted["object"]),
        note=accepted["note"],
        proposed_object=accepted["proposed_object"],
        reporter_subject=accepted["reporter_subject_id"],
        reported_by=accepted["reported_by"],
        key=IdempotencyRequest(f"{_ROUTE}:{said.hex()}", _ROUTE, said),
    )


def _drafts(
    operator: Actor, lines: Sequence[Line[ReportLine]]
) -> list[tuple[ReportDraft, ReportLine]]:
    """What each line reports; refuses lines that are about no record."""
    triples = {line.value.triple for line in lines}
    found = find_by_triples(actor=operator, triples=triples).ids
    unknown = [line.number for line in lines if line.value.triple not in found]
    refuse_lines(lines, dict.fromkeys(unknown, _NO_RECORD))
    return [
        (
            ReportDraft(
                record_id=found[line.value.triple],
                note=line.value.note,
                proposed_object=line.value.proposed_object,
                reporter_subject=line.value.reporter_subject,
            ),
            line.value,
        )
        for line in lines
    ]
