"""Every route of `/v1`, found in the URL configuration, and a valid call of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from django.urls import URLPattern, URLResolver, get_resolver
from typing_extensions import override

from memory.http.serializers import InputSerializer, compiled
from memory.vocabulary import Access
from tests.factories import MARKER, a_record, a_report

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.http.views import WireView


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the wire."""

    name: str
    path: str
    view: type[WireView]

    @override
    def __str__(self) -> str:
        return self.name

    @property
    def input(self) -> InputSerializer:
        """What it takes."""
        assert self.view.input_serializer
        return compiled(self.view.input_serializer)

    @property
    def is_write(self) -> bool:
        """Whether it changes something."""
        return self.view.access is Access.READ_WRITE

    @property
    def invalid_code(self) -> str:
        """The code with which it refuses a faulty field."""
        return self.view().invalid_code


def _routes(
    patterns: list[URLPattern | URLResolver], path: str = "/", namespace: str = ""
) -> list[Route]:
    found = []
    for pattern in patterns:
        place = path + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else namespace
            found += _routes(pattern.url_patterns, place, inner)
        elif place.startswith("/v1/"):
            view: Any = pattern.callback
            found.append(Route(f"{namespace}{pattern.name}", place, view.view_class))
    return found


@cache
def routes() -> tuple[Route, ...]:
    """All routes below `/v1/`, in the order of the URL configuration."""
    return tuple(_routes(get_resolver("config.urls").url_patterns))


def route(name: str) -> Route:
    """The route of this name."""
    return next(route for route in routes() if route.name == name)


def a_draft(**said: Any) -> dict[str, Any]:
    """A record as a client asserts it."""
    return {
        "idempotency_key": str(uuid4()),
        "subject": f"Land of the {MARKER}",
        "predicate": "has_capital",
        "object": f"Town of the {MARKER}",
        "statement": f"The {MARKER} meets in its town.",
        **said,
    }


def _change(actor: Actor) -> dict[str, Any]:
    record = a_record(actor)
    return {"id": str(record.id), "expected_version": str(record.version)}


def _correction(actor: Actor) -> dict[str, Any]:
    words = {"object": f"New town of the {MARKER}", "statement": f"The {MARKER} has moved."}
    return {"records": [_change(actor) | words]}


def _report(actor: Actor) -> dict[str, Any]:
    return {"record_id": str(a_record(actor).id), "note": f"No {MARKER} was ever there."}


def _promotion(actor: Actor) -> dict[str, Any]:
    record = a_record(actor)
    report = a_report(actor, record, proposed_object=f"Camp of the {MARKER}")
    return {"id": str(report.id), "expected_version": str(record.version)}


#: By the name of a route: what makes the state that a valid call needs, and the call's body.
BODIES: Final[dict[str, Callable[[Actor], dict[str, Any]]]] = {
    "memory:record-assert": lambda _: {"records": [a_draft()]},
    "memory:record-correct": _correction,
    "memory:record-retract": lambda actor: {"records": [_change(actor)]},
    "memory:record-list": lambda _: {},
    "memory:record-get": lambda actor: {"id": str(a_record(actor).id)},
    "memory:record-history": lambda actor: {"id": str(a_record(actor).id)},
    "memory:citation-resolve": lambda actor: {"id": str(a_record(actor).id)},
    "feedback:report-record": _report,
    "feedback:report-list": lambda _: {},
    "feedback:report-promote": _promotion,
}


def a_body(route: Route, actor: Actor) -> dict[str, Any]:
    """The body of a valid call, and the state that it needs."""
    return BODIES[route.name](actor)


ALL: Final = routes()
WRITES: Final = tuple(route for route in ALL if route.is_write)
READS: Final = tuple(route for route in ALL if not route.is_write)
KEYED: Final = tuple(route for route in ALL if route.view.takes_key)
