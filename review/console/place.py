"""Where a person stands in the queue: a view, its order, and the page; signed for forms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import UUID

from django.core.signing import BadSignature, Signer

from feedback.vocabulary import Order
from memory.errors import FieldInvalid
from memory.http.cursor import CursorScope
from memory.paging import Seek
from review.vocabulary import PAGE_SIZES, QueueView

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")

_ROUTE: Final = "review:report-list"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_CHOICE_RULE: Final = "is not one of the choices."


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page of a view of the queue. Back and Next go by it."""

    view: QueueView = QueueView.OPEN
    order: Order = QueueView.OPEN.order
    size: int = PAGE_SIZES[0]
    after: Seek | None = None

    @classmethod
    def of_view(cls, view: QueueView) -> Place:
        """The start of a view in its own order."""
        return cls(view=view, order=view.order)

    @property
    def start(self) -> Place:
        """The first page of the same list."""
        return replace(self, after=None)

    def query(self, project_id: UUID) -> dict[str, str]:
        """The parameters of the list's address, without those that go without saying."""
        named = {
            "view": self.view.value if self.view is not QueueView.OPEN else None,
            "order": self.order.value if self.order is not self.view.order else None,
            "size": str(self.size) if self.size != PAGE_SIZES[0] else None,
            "after": self.cursors(project_id).sign(self.after),
        }
        return {name: value for name, value in named.items() if value is not None}

    def sign(self, project_id: UUID) -> str:
        """The place as the field `from`, which nobody can make up; empty where none is needed."""
        if self == Place():
            return ""
        parts = [self.view.value, self.order.value, str(self.size)]
        if self.after is not None:
            microseconds = (self.after.recorded_at - _EPOCH) // _MICROSECOND
            parts += [f"{microseconds:x}", self.after.id.hex]
        return _signer(project_id).sign("~".join(parts))

    def cursors(self, project_id: UUID) -> CursorScope:
        """What signs the cursors of this list; they fit no other view and no other order."""
        filters = {"view": self.view.value, "order": self.order.value}
        return CursorScope(project_id, _ROUTE, filters)


def place_of_query(query: Mapping[str, str], project_id: UUID) -> Place:
    """The place that an address names. Raises FieldInvalid for what no link of ours says."""
    view = _chosen("view", query.get("view"), {view.value: view for view in QueueView})
    view = view or QueueView.OPEN
    order = _chosen("order", query.get("order"), {order.value: order for order in Order})
    size = _chosen("size", query.get("size"), {str(size): size for size in PAGE_SIZES})
    place = Place(view=view, order=order or view.order, size=size or PAGE_SIZES[0])
    return replace(place, after=place.cursors(project_id).read(query.get("after")))


def place_of_origin(text: str | None, project_id: UUID) -> Place:
    """The place in the field `from`; the default view for anything that we did not sign."""
    try:
        view, order, size, *after = _signer(project_id).unsign(text or "").split("~")
    except BadSignature:
        return Place()
    seek = None
    if after:
        seek = Seek(_EPOCH + int(after[0], 16) * _MICROSECOND, UUID(hex=after[1]))
    return Place(view=QueueView(view), order=Order(order), size=int(size), after=seek)


def _chosen(field: str, text: str | None, choices: Mapping[str, T]) -> T | None:
    if text is None:
        return None
    if text not in choices:
        raise FieldInvalid(field, _CHOICE_RULE)
    return choices[text]


def _signer(project_id: UUID) -> Signer:
    return Signer(sep=".", salt=f"errata.place.1:{project_id}")
