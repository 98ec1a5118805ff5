"""The cheap bound of what an item costs never exceeds it, or packs would lose items that fit."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st

from feedback.http.context_sizes import least, weigh
from feedback.operations.compile_context import RankedRecord
from feedback.ranking import Components
from memory.retrieval import Candidate, CitedSource
from memory.vocabulary import RecordKind, Relation, Trust

TIMES = st.integers(-60_000_000_000, 250_000_000_000).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC)
)
SHARES = st.integers(0, 1_000_000).map(lambda millionths: millionths / 1_000_000)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SOURCES = st.builds(CitedSource, st.uuids(), st.sampled_from(Relation))
SHORTEST = RankedRecord(
    Candidate(
        id=UUID(int=1),
        version=UUID(int=1),
        subject="s",
        predicate="p",
        object="o",
        statement="",
        kind=RecordKind.DECISION,
        confidence=1.0,
        trust=Trust.VERIFIED,
        is_disputed=False,
        observer_name=None,
        source_role="user",
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        valid_until=None,
        known_from=datetime(2026, 1, 1, tzinfo=UTC),
        cited=(),
        relevance=1.0,
    ),
    Components(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    0.0,
)
ITEMS = st.builds(
    RankedRecord,
    st.builds(
        Candidate,
        statement=TEXTS,
        kind=st.sampled_from(RecordKind),
        confidence=SHARES,
        observer_name=st.none() | TEXTS,
        valid_from=TIMES,
        valid_until=st.none() | TIMES,
        known_from=TIMES,
        cited=st.lists(SOURCES, max_size=3).map(tuple),
        relevance=SHARES,
    ),
    st.builds(Components, *[SHARES] * 6),
    SHARES,
)


@given(ITEMS)
@example(SHORTEST)
def test_an_item_costs_at_least_its_bound(item: RankedRecord) -> None:
    assert least(item) <= weigh(item)


@given(ITEMS)
def test_the_bound_is_near(item: RankedRecord) -> None:
    """Else it would spare nothing: what it leaves out are escapes, numbers and short names."""
    record = item.record
    short = [record.observer_name or "", *record.statement]
    escapes = sum(len(character.encode()) * 6 for text in short for character in text)
    assert weigh(item) <= least(item) + (escapes + 200) / 3
