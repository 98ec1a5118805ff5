"""S18: records that clients complained of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from memory.errors import FieldInvalid
from memory.vocabulary import Operation
from review import policies
from review.console.access import project_view, refuse
from review.console.answers import address_page
from review.console.drawing.trouble import PERIODS, trouble_screen
from review.console.frame import frame_of, render
from review.console.keys import ROW_KEYS, TROUBLE_KEYS, working
from review.console.links import links_of
from review.queries.trouble import read_trouble
from review.screens import Link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor

SHOWN: Final = "show"  # the value of `closed` that lets closed records in
_RULE: Final = "is not one of the choices."


@project_view(policies.can_see_trouble, Operation.OUTCOME_LIST)
def list_trouble(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The records in trouble in the period that the address names."""
    links = links_of(request)
    try:
        days, is_with_closed = _period(request.GET)
    except FieldInvalid as error:
        refuse(actor, Operation.OUTCOME_LIST, error)
        start = Link(label=_("Back to start"), url=links.trouble(PERIODS[0]))
        return address_page(request, actor, error, start)
    reading = read_trouble(actor=actor, days=days, is_with_closed=is_with_closed)
    keys = working(TROUBLE_KEYS, ROW_KEYS if reading.trouble.rows else ())
    screen = trouble_screen(
        reading,
        frame=frame_of(request, actor, title=_("Records in trouble"), keys=keys),
        actor=actor,
        links=links,
        days=days,
        is_with_closed=is_with_closed,
    )
    return render(request, screen, "review/trouble.html")


def _period(query: Mapping[str, str]) -> tuple[int, bool]:
    """Days, and whether closed records are asked for. Raises FieldInvalid for other choices."""
    days, closed = query.get("days", str(PERIODS[0])), query.get("closed", "")
    if days not in {str(period) for period in PERIODS}:
        raise FieldInvalid("days", _RULE)
    if closed not in {"", SHOWN}:
        raise FieldInvalid("closed", _RULE)
    return int(days), closed == SHOWN
