"""The words of reports, context runs and outcomes."""

from __future__ import annotations

from typing import Final

from django.db.models import TextChoices

REASON_CHARACTERS: Final = 64
SESSION_MINUTES: Final = 15  # that an RCP session lives without use
SESSIONS_PER_CREDENTIAL: Final = 32


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


class OutcomeKind(TextChoices):
    """What became of a pack, or of one record in it (titen seed, "Five outcomes")."""

    USED = "used"
    USEFUL = "useful"
    IRRELEVANT = "irrelevant"
    INCORRECT = "incorrect"
    HARMFUL = "harmful"


class Surface(TextChoices):
    """Where a recall may look; there is nothing but facts here."""

    FACTS = "facts"
    REPORTS = "reports"
    PASSAGES = "passages"


POSITIVE_OUTCOMES: Final = frozenset({OutcomeKind.USED, OutcomeKind.USEFUL})

#: Those that speak against a record itself, and not only against its use for a task.
COMPLAINTS: Final = frozenset({OutcomeKind.INCORRECT, OutcomeKind.HARMFUL})


class Suspicion(TextChoices):
    """What a client may suspect a record of."""

    POISON = "poison"
    INJECTION = "injection"


REASON_BYTES: Final = 500  # of a decision about a suspected record


class IntegrityState(TextChoices):
    """Where the look at a suspected record stands."""

    OPEN = "open"
    NO_CONCERN = "no_concern"
    REPORTED = "reported"
