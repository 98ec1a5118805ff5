"""Inputs and outputs of `/v1/signals` (`contract.md` 4.4); signals are written over RCP."""

from __future__ import annotations

from feedback.vocabulary import IntegrityState
from memory.http.fields import (
    CanonicalUUID,
    Choice,
    Cursor,
    StrictBoolean,
    StrictInteger,
    StrictNumber,
    Timestamp,
    page_limit,
)
from memory.http.loop import HexDigest
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer
from memory.vocabulary import ActorKind, Edge


class ListSignalsInput(InputSerializer):
    """Filters of a list of signals."""

    record_id = CanonicalUUID(required=False)
    suspected_only = StrictBoolean(default=False)
    limit = page_limit()
    after = Cursor(required=False)


class SummariseSignalsInput(InputSerializer):
    """One record."""

    record_id = CanonicalUUID()


class SignalOutput(OutputSerializer):
    """What a client said of a record; null for what it did not say."""

    id = CanonicalUUID()
    record_id = CanonicalUUID()
    record_version = CanonicalUUID(nullable=True)
    used = StrictBoolean(source="is_used", nullable=True)
    cited = StrictBoolean(source="is_cited", nullable=True)
    helpful = StrictBoolean(source="is_helpful", nullable=True)
    reward = StrictNumber(minimum=-1, maximum=1, nullable=True)
    poison_suspected = StrictBoolean(source="is_poison_suspected", nullable=True)
    injection_suspected = StrictBoolean(source="is_injection_suspected", nullable=True)
    session = HexDigest(source="session_digest", nullable=True)
    recorded_by = CanonicalUUID()
    recorded_by_kind = Choice(ActorKind)
    recorded_via = Choice(Edge)
    recorded_at = Timestamp()


class SignalPageOutput(OutputSerializer):
    """A page of signals."""

    signals = ListOf(SignalOutput(), source="rows")
    next = Cursor(omit_none=True)


class YesNoOutput(OutputSerializer):
    """How many said yes, and how many no."""

    yes = StrictInteger(minimum=0)
    no = StrictInteger(minimum=0)


class RewardOutput(OutputSerializer):
    """The rewards that were sent."""

    count = StrictInteger(minimum=0)
    mean = StrictNumber(nullable=True)
    min = StrictNumber(nullable=True)
    max = StrictNumber(nullable=True)


class SuspicionOutput(OutputSerializer):
    """How a record is suspected."""

    signals = StrictInteger(minimum=0)
    actors = StrictInteger(minimum=0)


class SignalSummaryOutput(OutputSerializer):
    """All signals about one record."""

    record_id = CanonicalUUID()
    signals = StrictInteger(minimum=0)
    distinct_actors = StrictInteger(minimum=0)
    used = YesNoOutput()
    cited = YesNoOutput()
    helpful = YesNoOutput()
    reward = RewardOutput()
    poison_suspected = SuspicionOutput()
    injection_suspected = SuspicionOutput()
    in_utility = StrictBoolean(source="is_in_utility")
    integrity = Choice(IntegrityState, nullable=True)
