"""What the page of a doubt shows (S13), and the reasons by which it words a note."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from feedback.queries.advice import tally_advice
from feedback.queries.outcomes import COUNTED_OUTCOMES, tally_outcomes
from feedback.vocabulary import OutcomeKind, Suspicion
from memory import policies
from memory.actor import Actor
from memory.queries import records
from memory.queries.chain import LinkedRecord, find_chain
from memory.queries.records import RecordDetail
from memory.transactions import audited_read, project_scope
from memory.vocabulary import Operation
from review.messages import Sentence, at_least, sentence
from review.queries.names import Names, names_in
from review.vocabulary import SUSPICION_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

#: Reads what speaks against a record and says it in a sentence; None where nothing does. Runs in
#: the transaction of the read, whose budget leaves it four statements.
Reason: TypeAlias = Callable[[Actor, RecordDetail], Sentence | None]


def _complaints(actor: Actor, record: RecordDetail) -> Sentence | None:
    """The `incorrect` and `harmful` outcomes that count, as the first words of a note.

    One statement; feedback_outcome_record_idx.
    """
    tally = tally_outcomes(actor, record.id, newest=COUNTED_OUTCOMES)
    since = tally.complaints.since
    if since is None:
        return None
    said = {"n": tally.complaints.actors, "date": f"{since:%Y-%m-%d}"}
    incorrect = tally.kinds[OutcomeKind.INCORRECT].counted
    harmful = tally.kinds[OutcomeKind.HARMFUL].counted
    told = {
        "incorrect": at_least(incorrect, is_cut=tally.is_cut),
        "harmful": at_least(harmful, is_cut=tally.is_cut),
    }
    if not harmful:
        return sentence("doubt_incorrect", incorrect=told["incorrect"], **said)
    if not incorrect:
        return sentence("doubt_harmful", harmful=told["harmful"], **said)
    return sentence("doubt_incorrect_harmful", **told, **said)


def _suspicions(actor: Actor, record: RecordDetail) -> Sentence | None:
    """The signals that suspect it, as the first words of a note. One statement."""
    suspicions = tally_advice(actor, record.id).suspicions
    return suspected(
        {kind: (tally.number, tally.actors, tally.since) for kind, tally in suspicions.items()}
    )


def suspected(counts: Mapping[Suspicion, tuple[int, int, datetime | None]]) -> Sentence | None:
    """Numbers of signals and actors and the first time, by kind, in words; None without any."""
    words = {
        kind: sentence("suspicion_actors", kind=SUSPICION_WORDS[kind], number=number, n=actors)
        for kind, (number, actors, _since) in counts.items()
        if number
    }
    since = min((since for _number, _actors, since in counts.values() if since), default=None)
    if since is None:
        return None
    date = f"{since:%Y-%m-%d}"
    if len(words) == 1:
        (only,) = words.values()
        return sentence("doubt_suspected", suspicion=only, date=date)
    return sentence(
        "doubt_suspected_twice",
        poison=words[Suspicion.POISON],
        injection=words[Suspicion.INJECTION],
        date=date,
    )


#: By what the address of the form says (`?reason=outcomes`): a page that links to it names a
#: reason and never a text, so no text stands in an address and none can be put there by others.
REASONS: Final[dict[str, Reason]] = {"outcomes": _complaints, "suspicions": _suspicions}


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtReading:
    """A record, and the one in its place where it was corrected."""

    record: RecordDetail
    successor: LinkedRecord | None
    names: Names
    note: Sentence | None = None
    magnitude: int = 1


@audited_read(Operation.RECORD_GET)
def read_doubt(*, actor: Actor, record_id: UUID, reason: str) -> DoubtReading:
    """A record to doubt, with a first note where a reason is known by this name.

    Two statements, three for a closed record; and those of the reason.
    """
    policies.can_read(actor).require()
    record = records.get_detail(actor, record_id)
    says = REASONS.get(reason)
    return DoubtReading(
        record=record,
        successor=find_chain(actor, record).successor,
        names=names_in(actor, records=[record]),
        note=says(actor, record) if says and record.is_current else None,
    )


def read_doubt_again(*, actor: Actor, record_id: UUID) -> DoubtReading:
    """The same after a form that was not taken.

    Not audited by itself: it is drawn in the request whose refusal is its entry.
    """
    with project_scope(actor.project_id):
        policies.can_read(actor).require()
        record = records.get_detail(actor, record_id)
        return DoubtReading(
            record=record,
            successor=find_chain(actor, record).successor,
            names=names_in(actor, records=[record]),
        )
