"""What the console keeps of its own: how long somebody waits before the next sign-in."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Index, UniqueConstraint

from memory.models.columns import Identified, choice_check
from review.vocabulary import SignInKind


class SignInWait(Identified):
    """Failed sign-ins in a row under one name or from one address, known by a keyed digest alone.

    Names that do not exist have rows like all others. A row is forgotten when nothing happened
    for a day.
    """

    kind = models.CharField(max_length=16, choices=SignInKind.choices)
    digest = models.BinaryField(max_length=32, editable=False)
    failures = models.PositiveIntegerField()
    locked_until = models.DateTimeField(null=True)
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["kind", "digest"], name="review_signinwait_digest_uniq"),
            choice_check("review_signinwait", "kind", SignInKind),
        ]
        indexes: ClassVar = [Index("updated_at", name="review_signinwait_updated_idx")]
