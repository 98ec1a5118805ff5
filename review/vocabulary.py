"""The words of the console: views of the queue, how it looks, how long a sign-in lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from feedback.vocabulary import Order, Queue, Suspicion

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

#: Rows of a page of the queue that a person may choose; the first is what they get unasked.
PAGE_SIZES: Final = (20, 50, 100)
SIGN_IN_SECONDS: Final = 12 * 60 * 60  # a sign-in ends then, however busy it was

SUSPICION_WORDS: Final[dict[Suspicion, StrPromise]] = {
    Suspicion.POISON: pgettext_lazy("suspicion", "poison"),
    Suspicion.INJECTION: pgettext_lazy("suspicion", "injection"),
}


class Theme(TextChoices):
    """Light or dark, or as the system says."""

    SYSTEM = "system", _("As the system")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class Density(TextChoices):
    """How much room rows take."""

    COMFORTABLE = "comfortable", _("Comfortable")
    COMPACT = "compact", _("Compact")


class SignInKind(TextChoices):
    """What failed sign-ins are counted by."""

    NAME = "name"
    ADDRESS = "address"


class QueueView(TextChoices):
    """A view of the queue, as its address names it (`console.md` S6)."""

    OPEN = "open"
    READY = "ready"
    CHANGED = "changed"
    ALL = "all"

    @property
    def queue(self) -> Queue:
        """The reports that the view shows."""
        return _QUEUES[self]

    @property
    def order(self) -> Order:
        """The order in which the view is read unless somebody asks for the other."""
        return Order.OLDEST if self in {QueueView.OPEN, QueueView.READY} else Order.NEWEST


_QUEUES: Final[dict[QueueView, Queue]] = {
    QueueView.OPEN: Queue.OPEN,
    QueueView.READY: Queue.READY,
    QueueView.CHANGED: Queue.TARGET_CLOSED,
    QueueView.ALL: Queue.ALL,
}
