"""What an item of a pack costs as edges send it (`contract.md` 4.2)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Final
from uuid import UUID

from feedback.http.context_serializers import PackedClaimOutput
from feedback.operations.compile_context import RankedRecord
from feedback.packing import tokens_of
from feedback.ranking import Components
from memory.http.answers import json_size
from memory.http.loop import Prefix
from memory.retrieval import Candidate
from memory.vocabulary import RecordKind, Trust

_ID: Final = UUID(int=1)
_TIME: Final = datetime(2026, 1, 1, tzinfo=UTC)
_QUOTED_ID_BYTES: Final = len(f'"{Prefix.OBSERVATION}{_ID.hex}"')


def weigh(item: RankedRecord) -> int:
    """The tokens of an item."""
    return tokens_of(json_size(PackedClaimOutput.render(item)))


def least(item: RankedRecord) -> int:
    """Tokens that `weigh` does not go below, for a small part of its cost.

    The statement, the ids of the evidence, and everything else as short as it can be.
    """
    size = len(item.statement.encode()) + _QUOTED_ID_BYTES * len(item.evidence_ids)
    return tokens_of(_frame_bytes() + size)


@cache
def _frame_bytes() -> int:
    """Bytes of the smallest item there can be, without a statement and evidence."""
    return min(
        json_size(PackedClaimOutput.render(_smallest(kind, trust, is_disputed=is_disputed)))
        for kind in RecordKind
        for trust in Trust
        for is_disputed in (True, False)
    )


def _smallest(kind: RecordKind, trust: Trust, *, is_disputed: bool) -> RankedRecord:
    record = Candidate(
        id=_ID,
        version=_ID,
        subject="",
        predicate="",
        object="",
        statement="",
        kind=kind,
        confidence=1.0,
        trust=trust,
        is_disputed=is_disputed,
        observer_name="",
        source_role="",
        valid_from=_TIME,
        valid_until=None,
        known_from=_TIME,
        cited=(),
        relevance=1.0,
    )
    return RankedRecord(record, Components(1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 1.0)
