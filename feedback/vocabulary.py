"""The words of reports."""

from __future__ import annotations

from django.db.models import TextChoices


class Queue(TextChoices):
    """Which reports a list shows; each is answered by an index of its own."""

    ALL = "all"
    OPEN = "open"
    READY = "ready"
    TARGET_CLOSED = "target_closed"


class Order(TextChoices):
    """In which direction a list is read."""

    NEWEST = "newest"
    OLDEST = "oldest"
