"""One context run (S17): what was delivered, how it was ranked, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from feedback.ranking import POLICY, WEIGHTS
from memory.vocabulary import RecordStatus
from review import policies
from review.console.drawing.outcomes import OUTCOME_WORDS
from review.console.drawing.report_rows import STATUS_BADGES
from review.console.drawing.runs import task_hash
from review.console.keys import ROW_KEYS, RUN_KEYS, working
from review.messages import at_least, sentence
from review.queries.runs import TOLD_GRADES
from review.screens import (
    Badge,
    Empty,
    Grade,
    IdEntry,
    Link,
    Pager,
    RunItemRow,
    RunScreen,
    Share,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from django.utils.functional import _StrPromise as StrPromise

    from feedback.queries.outcomes import GradeRow
    from feedback.queries.runs import RunItem, RunRow
    from feedback.ranking import Components
    from memory.actor import Actor
    from review.console.links import Links
    from review.messages import Sentence
    from review.queries.runs import RunReading
    from review.screens import Frame

_SHARES: Final[dict[str, StrPromise]] = {
    "relevance": _("Relevance"),
    "trust": _("Trust"),
    "recency": _("Recency"),
    "utility": _("Utility"),
    "conflict": _("Conflict"),
}
#: Outcomes that a page tells one by one, of all items together.
SHOWN_GRADES: Final = 50
#: By which reason the form of a doubt words its note.
DOUBT_REASON: Final = "outcomes"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """What the page is drawn with, besides what was read."""

    frame: Frame
    actor: Actor
    links: Links
    origin: str
    after_rank: int

    @property
    def may_doubt(self) -> bool:
        """Whether who looks may report a doubt."""
        return policies.can_report(self.actor).is_allowed


def run_screen(reading: RunReading, page: RunPage) -> RunScreen:
    """A run with some of its items, by rank."""
    run = reading.run
    items = tuple(_item(item, reading, page) for item in reading.items)
    whole = [grade for grade in reading.grades if grade.record_id is None]
    further = _pager(reading, page)
    keys = ["u", "e", "h", *(ROW_KEYS if items else ())]
    keys += ["n"] if further and further.onward else []
    return RunScreen(
        frame=replace(page.frame, keys=working(RUN_KEYS, keys)),
        now=reading.now,
        heading=sentence("run_heading", time=run.recorded_at),
        actor=reading.names.author(run),
        about=run.data_subject,
        budget=sentence("run_budget", n=run.max_tokens),
        as_of=run.as_of,
        task_hash=task_hash(run),
        items=items,
        is_reviewing=any(item.doubt for item in items),
        erased=_erased(reading, page.after_rank),
        empty=None if items else _empty(run),
        pager=further,
        whole=_whole(whole, reading),
        grades=tuple(_grade(grade, reading) for grade in reading.grades[:SHOWN_GRADES]),
        told=_told(reading.grades),
        no_grades=None if reading.grades else Empty(text=sentence("run_ungraded")),
        facts=_facts(run),
        ids=_ids(run),
    )


def _item(item: RunItem, reading: RunReading, page: RunPage) -> RunItemRow:
    is_current = item.standing.status is RecordStatus.CURRENT
    parts = item.components
    return RunItemRow(
        rank=item.rank,
        url=page.links.record(item.record_id),
        subject=item.subject,
        predicate=item.predicate,
        object=item.object,
        badges=_badges(item),
        score=item.score,
        shares=tuple(Share(label=_SHARES[name], value=getattr(parts, name)) for name in WEIGHTS),
        formula=_formula(item, parts) if reading.run.policy == POLICY else None,
        outcomes=_words(grade for grade in reading.grades if grade.record_id == item.record_id),
        doubt=_doubt(item, page) if is_current and page.may_doubt else None,
    )


def _badges(item: RunItem) -> tuple[Badge, ...]:
    """How the record stands now, where that is not as it was delivered."""
    if item.standing.status is not RecordStatus.CURRENT:
        return (STATUS_BADGES[item.standing.status],)
    return () if item.current_version == item.record_version else (Badge.NEWER_VERSION,)


def _doubt(item: RunItem, page: RunPage) -> Link:
    url = page.links.report_doubt(item.record_id, DOUBT_REASON)
    return Link(label=_("Report a doubt"), url=url)


def _formula(item: RunItem, parts: Components) -> Sentence:
    shares = (
        f"{weight / 100:.2f} \N{MULTIPLICATION SIGN} {getattr(parts, name):.6f}"
        for name, weight in WEIGHTS.items()
    )
    return sentence(
        "score_formula",
        n=item.rank,
        confidence=f"{parts.confidence:.6f}",
        sum=" + ".join(shares),
        score=f"{item.score:.6f}",
    )


def _words(grades: Iterable[GradeRow]) -> tuple[Sentence, ...]:
    """Each kind of outcome about an item with its number, and the reasons given last."""
    reasons: dict[str, list[str]] = {}
    numbers: dict[str, int | str] = {}
    for grade in grades:
        numbers[grade.kind] = at_least(grade.number, is_cut=grade.is_cut)
        told = reasons.setdefault(grade.kind, [])
        if grade.reason_code and grade.reason_code not in told:
            told.append(grade.reason_code)
    return tuple(
        sentence("outcome_reasons", kind=word, n=numbers[kind], reasons=", ".join(reasons[kind]))
        if reasons[kind]
        else sentence("outcome_count", kind=word, n=numbers[kind])
        for kind, word in OUTCOME_WORDS.items()
        if kind in numbers
    )


def _whole(grades: list[GradeRow], reading: RunReading) -> Sentence | None:
    """The pack as a whole: who said what, or how many where several said it."""
    if not grades:
        return None
    first = {grade.kind: grade for grade in reversed(grades)}
    said = [
        sentence("outcome_count", kind=word, n=at_least(grade.number, is_cut=grade.is_cut))
        if (grade := first[kind]).number > 1
        else sentence("grade_by", kind=word, actor=reading.names.author(grade).label)
        for kind, word in OUTCOME_WORDS.items()
        if kind in first
    ]
    return sentence("graded_whole", outcomes=", ".join(map(str, said)))


def _grade(grade: GradeRow, reading: RunReading) -> Grade:
    said = {"kind": OUTCOME_WORDS[grade.kind], "actor": reading.names.author(grade)}
    is_item = grade.record_id is not None
    return Grade(
        said=sentence("grade_item", n=_rank_of(grade.record_id, reading), **said)
        if is_item
        else sentence("grade_pack", **said),
        reason_code=grade.reason_code,
        at=grade.recorded_at,
        uncounted=sentence("grade_replaced") if is_item and not grade.is_counted else None,
    )


def _rank_of(record_id: UUID | None, reading: RunReading) -> int:
    return next(item.rank for item in reading.items if item.record_id == record_id)


def _told(grades: tuple[GradeRow, ...]) -> Sentence | None:
    """That some outcomes are counted only, where it is so."""
    if len(grades) <= SHOWN_GRADES and all(grade.number <= TOLD_GRADES for grade in grades):
        return None
    return sentence("grades_told", n=TOLD_GRADES)


def _erased(reading: RunReading, after_rank: int) -> Sentence | None:
    """How many ranks of this page have lost their record; ranks have no gaps of their own."""
    last = reading.items[-1].rank if reading.is_more else reading.run.selected_items
    missing = last - after_rank - len(reading.items)
    return sentence("items_erased", n=missing) if missing > 0 else None


def _empty(run: RunRow) -> Empty:
    return Empty(text=sentence("run_emptied" if run.selected_items else "run_empty"))


def _pager(reading: RunReading, page: RunPage) -> Pager | None:
    run_id, origin = reading.run.id, page.origin
    start = onward = None
    if page.after_rank:
        start = Link(label=_("Back to start"), url=page.links.run(run_id, origin=origin))
    if reading.is_more:
        rank = reading.items[-1].rank
        url = page.links.run(run_id, origin=origin, after_rank=rank)
        onward = Link(label=_("Further items"), url=url, key="n")
    return Pager(start=start, onward=onward) if start or onward else None


def _facts(run: RunRow) -> tuple[IdEntry, ...]:
    facts = (
        (_("Tokens used"), run.used_tokens),
        (_("Items delivered"), run.selected_items),
        (_("Left out"), run.omitted_items),
        (_("Left out as repetitions"), run.deduplicated_items),
        (_("Observations not yet consolidated"), run.unconsolidated_observations),
    )
    counts = [IdEntry(label=label, value=f"{number:,}") for label, number in facts]
    spent = _("yes") if run.is_budget_exhausted else _("no")
    shared = _("yes") if run.is_shared_included else _("no")
    return (
        *counts,
        IdEntry(label=_("Budget exhausted"), value=str(spent)),
        IdEntry(label=_("Records about nobody included"), value=str(shared)),
        IdEntry(label=_("Ranked by"), value=run.policy),
    )


def _ids(run: RunRow) -> tuple[IdEntry, ...]:
    return (
        IdEntry(label=_("Context run"), value=str(run.id)),
        IdEntry(label=_("Task hash"), value=run.task_digest.hex()),
        IdEntry(label=_("Request"), value=run.request_id),
    )
