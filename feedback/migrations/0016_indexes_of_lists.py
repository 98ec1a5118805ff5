"""Indexes that lists and counts of outcomes and suspicions lacked, built beside running writes."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations
from django.db.models import F, Index, Q

PLACE = (F("recorded_at").desc(), F("id").desc())


class Migration(migrations.Migration):
    """Not atomic, because a concurrent build cannot be."""

    atomic = False
    dependencies = [("feedback", "0015_rcp_session_rules")]

    operations = [
        AddIndexConcurrently(
            "outcome",
            Index("project", "run_id", *PLACE, include=["kind"], name="feedback_outcome_pack_idx"),
        ),
        AddIndexConcurrently(
            "outcome",
            Index(
                *("project", "run_id", "record", "recorded_by_id"),
                *PLACE,
                condition=Q(record__isnull=False),
                name="feedback_outcome_vote_idx",
            ),
        ),
        AddIndexConcurrently(
            "signal",
            Index(
                *("project", "record"),
                *PLACE,
                condition=Q(record__isnull=False)
                & (Q(is_poison_suspected=True) | Q(is_injection_suspected=True)),
                name="feedback_signal_suspect_idx",
            ),
        ),
        RemoveIndexConcurrently("outcome", "feedback_outcome_run_idx"),
    ]
