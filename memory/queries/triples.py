"""Reads of records by what they say: for load files, which know no ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from memory import policies
from memory.models import Record
from memory.transactions import audited_read
from memory.vocabulary import Operation, RecordStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.actor import Actor


class Triple(NamedTuple):
    """What a record says of what."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class NamedRecords:
    """The record that each triple names; a triple that no record says is absent."""

    ids: Mapping[Triple, UUID]

    @property
    def magnitude(self) -> int:
        """Rows concerned, for the audit entry."""
        return len(self.ids)


@audited_read(Operation.RECORD_LIST)
def find_by_triples(*, actor: Actor, triples: Iterable[Triple]) -> NamedRecords:
    """The newest current record of each triple, else the newest closed one.

    One statement; memory_record_subject_idx.
    """
    policies.can_read(actor).require()
    wanted = set(triples)
    rows = (
        Record.objects.visible_to(actor)
        .filter(
            subject__in={triple.subject for triple in wanted},
            predicate__in={triple.predicate for triple in wanted},
            object__in={triple.object for triple in wanted},
        )
        .in_order(is_newest_first=True)
        .values_list("subject", "predicate", "object", "id", "status")
    )
    current: dict[Triple, UUID] = {}
    closed: dict[Triple, UUID] = {}
    for subject, predicate, object_, id_, status in rows:
        found = current if status == RecordStatus.CURRENT else closed
        found.setdefault(Triple(subject, predicate, object_), id_)
    ids = closed | current
    return NamedRecords({triple: ids[triple] for triple in wanted & ids.keys()})
