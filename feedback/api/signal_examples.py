"""One request and one answer per route of signals, and what their fields mean, for OpenAPI."""

from __future__ import annotations

from typing import Any, Final

from memory.api.examples import ACTOR, CHANGED_AT, FIRST_VERSION, RECORD
from memory.api.loop_examples import HASH

LIST: Final = {"record_id": RECORD, "suspected_only": True}
LISTED: Final[dict[str, Any]] = {
    "signals": [
        {
            "id": "8f0c2d4e-6a1b-4c3d-9e5f-7a9b1c3d5e09",
            "record_id": RECORD,
            "record_version": FIRST_VERSION,
            "used": True,
            "cited": None,
            "helpful": None,
            "reward": 0.8,
            "poison_suspected": True,
            "injection_suspected": None,
            "session": HASH,
            "recorded_by": ACTOR,
            "recorded_by_kind": "credential",
            "recorded_via": "rcp",
            "recorded_at": CHANGED_AT,
        }
    ],
    "next": "eyJ2IjoxfQ.b3BhcXVl",
}

SUMMARISE: Final = {"record_id": RECORD}
SUMMARY: Final[dict[str, Any]] = {
    "record_id": RECORD,
    "signals": 4,
    "distinct_actors": 2,
    "used": {"yes": 3, "no": 0},
    "cited": {"yes": 1, "no": 1},
    "helpful": {"yes": 0, "no": 1},
    "reward": {"count": 2, "mean": 0.5, "min": 0.2, "max": 0.8},
    "poison_suspected": {"signals": 2, "actors": 2},
    "injection_suspected": {"signals": 0, "actors": 0},
    "in_utility": False,
    "integrity": "open",
}

MEANINGS: Final[dict[str, str]] = {
    "RewardOutput.count": "How many rewards were sent.",
    "SignalSummaryOutput.cited": "Whether hits were cited in an answer.",
    "SignalSummaryOutput.helpful": "Whether hits were judged helpful.",
    "SignalSummaryOutput.injection_suspected": "Who suspects an injected instruction in it.",
    "SignalSummaryOutput.poison_suspected": "Who suspects it of being planted.",
    "SignalSummaryOutput.reward": "The rewards, from -1 to 1.",
    "SignalSummaryOutput.signals": "How many signals there are.",
    "SignalSummaryOutput.used": "Whether hits were put into a context.",
    "SuspicionOutput.signals": "How many signals say so.",
    "actors": "How many distinct actors say so.",
    "after": "The next of an earlier page, unchanged.",
    "cited": "Whether the hit was cited in the answer.",
    "distinct_actors": "How many actors sent them.",
    "helpful": "Whether the hit was judged helpful.",
    "id": "The signal.",
    "in_utility": "Whether signals count in the ranking of this project.",
    "injection_suspected": "Whether the hit is suspected to carry an injected instruction.",
    "integrity": "Where the look of reviewers at the record stands; null while nobody is asked.",
    "limit": "How many rows a page holds at most.",
    "max": "The highest; null without any.",
    "mean": "Their mean; null without any.",
    "min": "The lowest; null without any.",
    "next": "Cursor of the next page, absent on the last one.",
    "no": "How many said no.",
    "poison_suspected": "Whether the hit is suspected of being planted.",
    "record_id": "The record that the hit stood for.",
    "record_version": "The version that was judged; null where the client named none.",
    "recorded_at": "When it was recorded.",
    "recorded_by": "Id of the credential or user who sent it.",
    "recorded_by_kind": "Whether that is a credential or a user.",
    "recorded_via": "Through which door they came.",
    "reward": "A reward from -1 to 1.",
    "session": "Keyed digest of the client's session.",
    "signals": "The signals, newest first.",
    "suspected_only": "Only signals that suspect their record of something.",
    "used": "Whether the hit was put into a context.",
    "yes": "How many said yes.",
}
