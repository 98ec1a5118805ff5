"""Every way to call `/v1`, found in the URL configuration, with a valid call of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode
from uuid import uuid4

from django.urls import URLPattern, URLResolver, get_resolver
from typing_extensions import override

from memory.api.loop_serializers import EvidenceInput, ObservationOutput, TurnInput, TurnOutput
from memory.http.error_table import Dialect
from memory.http.serializers import InputSerializer, OutputSerializer, compiled
from memory.vocabulary import Access
from tests.factories import MARKER, a_record, a_report
from tests.factories.loop_calls import a_graded_run, an_observation, claim_id, observation_id

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.http.views import WireView
    from tests.wire import Answer, Call

#: How a code is spelled in answers of the upper-case family (`contract.md` 7).
UPPER: Final = {
    "invalid_body": "VALIDATION_ERROR",
    "validation_error": "VALIDATION_ERROR",
    "unauthenticated": "UNAUTHENTICATED",
    "forbidden": "FORBIDDEN",
    "not_found": "NOT_FOUND",
    "unknown_route": "NOT_FOUND",
    "method_not_allowed": "METHOD_NOT_ALLOWED",
    "record_conflict": "CONFLICT",
    "idempotency_conflict": "CONFLICT",
    "idempotency_in_progress": "CONFLICT",
    "payload_too_large": "PAYLOAD_TOO_LARGE",
    "rate_limited": "RATE_LIMITED",
    "internal": "INTERNAL",
    "unavailable": "UNAVAILABLE",
}
#: The forms of a body that has two, by the name of the route.
FORMS: Final[dict[str, dict[str, tuple[type[InputSerializer], type[OutputSerializer]]]]] = {
    "memory:source-observe": {
        "turn": (TurnInput, TurnOutput),
        "evidence": (EvidenceInput, ObservationOutput),
    }
}


@dataclass(frozen=True, slots=True)
class Route:
    """A way to call the wire: a route, or one of the forms that its body may have.

    The values of a call are the ids in its path together with its body, or its query.
    """

    name: str
    path: str  # ids in braces, as OpenAPI writes them
    view: type[WireView]
    form: type[InputSerializer] | None
    output: type[OutputSerializer]
    is_loop: bool  # answers in the upper-case family

    @override
    def __str__(self) -> str:
        return self.name

    @property
    def url_name(self) -> str:
        """The name of the route, whatever the form."""
        return self.name.partition("/")[0]

    @property
    def input(self) -> InputSerializer:
        """What it takes."""
        assert self.form
        return compiled(self.form)

    @property
    def members(self) -> dict[str, Any]:
        """The fields of its body or query by their names."""
        return self.input.members if self.form else {}

    @property
    def ids(self) -> list[str]:
        """The names of the ids in its path."""
        return re.findall(r"\{(\w+)\}", self.path)

    @property
    def method(self) -> str:
        """GET or POST."""
        [method] = self.view.http_method_names
        return method.upper()

    @property
    def allow(self) -> str:
        """The methods that it has; HEAD works where GET does."""
        return "GET, HEAD" if self.method == "GET" else "POST"

    @property
    def is_write(self) -> bool:
        """Whether it changes something."""
        return self.view.access is Access.READ_WRITE

    @property
    def body_key(self) -> str | None:
        """The field that is a key of the call."""
        return {"TurnInput": "idempotency_key", "RecordOutcomeInput": "client_mutation_id"}.get(
            self.form.__name__ if self.form else ""
        )

    @property
    def made(self) -> int:
        """The status of success."""
        return self.view.success_status

    @property
    def repeated(self) -> int:
        """The status of a replay: upper-case routes say 200, others the first one again."""
        return 200 if self.is_loop else self.made

    @property
    def invalid_code(self) -> str:
        """The code with which a faulty field is refused, in lower case as the audit log has it."""
        return self.invalid_code_of("")

    def invalid_code_of(self, path: str) -> str:
        """The same for one field: a question has a code of its own."""
        if self.is_loop:
            return "validation_error"
        if path == "question":
            return "invalid_question"
        return self.view().invalid_code

    def spelled(self, code: str) -> str:
        """A code as this route answers it."""
        return UPPER[code] if self.is_loop else code

    def refusal(self, status: int, code: str) -> tuple[int, str]:
        """Status and code as this route answers them."""
        return status, self.spelled(code)

    def refusal_unread(self, status: int, code: str) -> tuple[int, str]:
        """The same before the body was read: until then a route with two forms is lower case."""
        return status, UPPER[code] if self.view.dialect is Dialect.LOOP else code

    def address(self, values: Mapping[str, Any]) -> str:
        """Path and query of a call with these values; what is None is left out of a query."""
        path = self.path.format_map({name: quote(str(values[name]), safe="") for name in self.ids})
        asked = {
            name: value if isinstance(value, str) else str(value).lower()
            for name, value in values.items()
            if self.method == "GET" and name not in self.ids and value is not None
        }
        return f"{path}?{urlencode(asked)}" if asked else path

    def body(self, values: Mapping[str, Any]) -> Any:
        """The body of a call with these values."""
        if self.method == "GET":
            return b""
        return {name: value for name, value in values.items() if name not in self.ids}

    def send(
        self, call: Call, values: Mapping[str, Any], raw: bytes | None = None, **how: Any
    ) -> Answer:
        """Call it with these values, or with other bytes as the body."""
        sent = self.body(values) if raw is None else raw
        return call(self.address(values), sent, **{"method": self.method, **how})

    def told(self, answer: Answer) -> Any:
        """What an answer says, without what is said about it."""
        return answer.body["data"] if self.is_loop else answer.body

    def is_replay(self, answer: Answer) -> bool:
        """Whether an answer says that an earlier call had done it all."""
        assert answer.status == (self.repeated if answer.body_says_replayed else self.made)
        return answer.body_says_replayed

    def keyed(self, values: dict[str, Any], key: str) -> dict[str, Any]:
        """The values of a call with this key: where they must hold one, they hold the same."""
        return {**values, "idempotency_key": key} if self.form is TurnInput else values


def _routes(
    patterns: list[URLPattern | URLResolver], path: str = "/", namespace: str = ""
) -> list[Route]:
    found: list[Route] = []
    for pattern in patterns:
        place = path + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else namespace
            found += _routes(pattern.url_patterns, place, inner)
        elif place.startswith("/v1/"):
            view: Any = pattern.callback
            place = re.sub(r"<str:(\w+)>", r"{\1}", place)
            found += _ways(f"{namespace}{pattern.name}", place, view.view_class)
    return found


def _ways(name: str, path: str, view: type[WireView]) -> list[Route]:
    """One, or one for each form of the body."""
    is_loop = view.dialect is Dialect.LOOP
    if name not in FORMS:
        return [Route(name, path, view, view.input_serializer, view.output_serializer, is_loop)]
    return [
        Route(f"{name}/{form}", path, view, *serializers, form == "evidence")
        for form, serializers in FORMS[name].items()
    ]


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


def a_person() -> str:
    """Somebody whom nothing is known about yet."""
    return f"herder {uuid4()} of the {MARKER}"


def _turn(_: Actor) -> dict[str, Any]:
    said = {"role": "user", "content": f"I saw the {MARKER} today."}
    person = a_person()
    return {"messages": [said], "idempotency_key": str(uuid4()), "data_subject_id": person}


def _evidence(_: Actor) -> dict[str, Any]:
    return {
        "subject_id": a_person(),
        "kind": "tool_result",
        "content": f"The {MARKER} camera saw a herd.",
        "source": {"type": "camera", "ref": f"{MARKER} 7"},
    }


def _consolidation(actor: Actor) -> dict[str, Any]:
    person = a_person()
    source = {
        "observation_id": observation_id(an_observation(actor, person).id),
        "relation": "supports",
    }
    claim = {
        "kind": "episodic_event",
        "statement": f"A herd of the {MARKER} passed.",
        "sources": [source],
    }
    return {"subject_id": person, "claims": [claim]}


def _asked(actor: Actor, **said: Any) -> dict[str, Any]:
    """A question or task about a person of whom one thing is known."""
    person = a_person()
    a_record(actor, data_subject=person, statement=f"The {MARKER} herd crossed the river.")
    return {name: person if value is a_person else value for name, value in said.items()}


def _outcome(actor: Actor) -> dict[str, Any]:
    run = a_graded_run(actor, a_person())
    return {"outcome": "useful", "claim_id": run.claim_id, "context_id": run.context_id}


#: By the name of a route: what makes the state that a valid call needs, and the call's values.
BODIES: Final[dict[str, Callable[[Actor], dict[str, Any]]]] = {
    "memory:record-assert": lambda _: {"records": [a_draft()]},
    "memory:record-correct": _correction,
    "memory:record-retract": lambda actor: {"records": [_change(actor)]},
    "memory:record-list": lambda _: {},
    "memory:record-get": lambda actor: {"id": str(a_record(actor).id)},
    "memory:record-history": lambda actor: {"id": str(a_record(actor).id)},
    "memory:citation-resolve": lambda actor: {"id": str(a_record(actor).id)},
    "memory:source-observe/turn": _turn,
    "memory:source-observe/evidence": _evidence,
    "memory:freshness": lambda _: {},
    "memory:context-assemble": lambda _: {"data_subject_id": a_person()},
    "memory:record-consolidate": _consolidation,
    "memory:record-evidence": lambda actor: {"claim_id": claim_id(a_record(actor).id)},
    "feedback:report-record": _report,
    "feedback:report-list": lambda _: {},
    "feedback:report-promote": _promotion,
    "feedback:recall": lambda actor: _asked(
        actor, question=f"Which river did the {MARKER} cross?", data_subject_id=a_person
    ),
    "feedback:context-compile": lambda actor: _asked(
        actor, task=f"Find the river of the {MARKER}.", max_tokens=900, subject_id=a_person
    ),
    "feedback:context-list": lambda _: {},
    "feedback:outcome-list": lambda _: {},
    "feedback:context-get": lambda actor: {"context_id": a_graded_run(actor).context_id},
    "feedback:outcome-record": _outcome,
    "feedback:outcome-summary": lambda actor: {"claim_id": a_graded_run(actor).claim_id},
    "feedback:signal-list": lambda _: {},
    "feedback:signal-summary": lambda actor: {"record_id": str(a_record(actor).id)},
}


def a_body(route: Route, actor: Actor) -> dict[str, Any]:
    """The values of a valid call, and the state that it needs."""
    return BODIES[route.name](actor)


ALL: Final = routes()
WRITES: Final = tuple(route for route in ALL if route.is_write)
READS: Final = tuple(route for route in ALL if not route.is_write)
KEYED: Final = tuple(route for route in ALL if route.view.takes_key)
#: Routes that read a body, routes that read a query, and all that take something.
POSTED: Final = tuple(route for route in ALL if route.method == "POST")
ASKED: Final = tuple(route for route in ALL if route.method == "GET" and route.form)
TAKING: Final = tuple(route for route in ALL if route.form)
