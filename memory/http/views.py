"""What every view of the wire does, in one order: `contract.md` 0.5.

A view is attributes on `OperationView` (changes something) or `ReadView` (list or fetch), and at
most a short `perform`, which gets validated values and returns a frozen row or receipt:

    class PromoteReportView(OperationView):
        \"""Promote a report: correct its record when it proposes an object, else retract it.\"""

        operation_name, operation = Operation.FEEDBACK_PROMOTE, staticmethod(promote_report)
        input_serializer, output_serializer = PromoteReportInput, PromotionOutput
        takes_key = True
        errors = (NotFound, ReportAlreadyPromoted, RecordConflict)

    class ListReportsView(ReadView):
        \"""List reports, newest first unless asked otherwise.\"""

        operation_name = Operation.FEEDBACK_LIST
        input_serializer, output_serializer = ListReportsInput, ReportPageOutput

        def perform(self, actor, values, key):
            cursors = self.cursors(actor, values)
            page = list_reports(actor=actor, after=cursors.read(values.pop("after")), **values)
            return ListedRows(page.rows, cursors.sign(page.next))

Without a `perform` of its own a view calls `operation(actor=actor, **values)`, and `key=key` where
it takes one. The straight path makes no DRF request, response or serializer: only `APIView`'s
declarations are used, which describe the wire.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import structlog
from rest_framework.views import APIView
from typing_extensions import override

from memory.errors import Denied, DomainError, FieldInvalid
from memory.http import rates, strict_json
from memory.http.answers import json_answer, refusal_answer
from memory.http.authentication import authenticate
from memory.http.context import EdgeRequest, context_of, route_of
from memory.http.cursor import CursorScope
from memory.http.error_table import (
    Dialect,
    Refusal,
    domain_error_of,
    internal,
    method_not_allowed,
    refusal_of,
)
from memory.http.refusals import audit_refusal
from memory.keys import IdempotencyRequest, fingerprint
from memory.vocabulary import INVALID_CODES, LOOP_INVALID, Access, Edge, Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from django.http import HttpRequest, HttpResponse

    from memory.actor import Actor
    from memory.http.serializers import InputSerializer, OutputSerializer

_KEY: Final = re.compile(r"[!-~]{1,255}", re.ASCII)
_PAGE_NAMES: Final = frozenset({"limit", "after", "before"})
_log: Final = structlog.get_logger("errata")


@dataclass(frozen=True, slots=True)
class ListedRows:
    """A page as it is sent: rows, and the cursor of the next page."""

    rows: Sequence[Any]
    next: str | None


class WireView(APIView):
    """Authenticates, limits, authorises, parses, validates, performs, answers; audits refusals."""

    http_method_names = ("post",)
    operation_name: ClassVar[Operation]
    operation: ClassVar[Callable[..., Any]]
    access: ClassVar[Access]
    input_serializer: ClassVar[type[InputSerializer] | None] = None
    output_serializer: type[OutputSerializer]
    takes_key: ClassVar[bool] = False
    success_status: ClassVar[int] = 200
    #: What the operation may refuse with, besides what every route may (for OpenAPI).
    errors: ClassVar[Sequence[type[DomainError]]] = ()
    request_example: ClassVar[Mapping[str, Any] | None] = None
    answer_example: ClassVar[Mapping[str, Any] | None] = None
    #: What `meta` says besides, on upper-case routes (for OpenAPI).
    meta_example: ClassVar[Mapping[str, Any] | None] = None
    #: Input and output of another form of the body, which answers as upper-case routes do.
    other_form: ClassVar[tuple[type[InputSerializer], type[OutputSerializer]] | None] = None
    other_request_example: ClassVar[Mapping[str, Any] | None] = None
    other_answer_example: ClassVar[Mapping[str, Any] | None] = None
    #: What fields mean, by name or by serializer and name (for OpenAPI).
    field_meanings: ClassVar[Mapping[str, str]] = {}
    #: Codes of a faulty field, where the operation has more than one.
    invalid_codes: ClassVar[tuple[str, ...]] = ()

    #: The field of the body that is an idempotency key, if one is.
    body_key: str | None = None
    #: A route whose dialect depends on the body sets it while it runs.
    dialect: Dialect = Dialect.RECORDS
    actor: Actor | None = None
    context: EdgeRequest

    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> object:
        """Call the operation or query."""
        if self.takes_key:
            values["key"] = key
        return self.operation(actor=actor, **values)

    def status_of(self, result: Any) -> int:
        """The status of success: upper-case routes answer 200 to a replay."""
        if self.dialect is Dialect.LOOP and self.takes_key and result.is_replay:
            return 200
        return self.success_status

    def meta_of(self, result: Any) -> dict[str, Any]:
        """What `meta` says of a success on upper-case routes."""
        meta: dict[str, Any] = {"request_id": self.context.request_id}
        if self.takes_key:
            meta["replayed"] = result.is_replay
        return meta

    @property
    def invalid_code(self) -> str:
        """The code that refuses a faulty field."""
        return INVALID_CODES.get(self.operation_name, FieldInvalid.code)

    def invalid_code_of(self, error: FieldInvalid) -> str:  # noqa: ARG002 - for routes with several
        """The code that refuses this field."""
        return LOOP_INVALID if self.dialect is Dialect.LOOP else self.invalid_code

    def form_of(self, body: dict[str, Any]) -> type[InputSerializer] | None:  # noqa: ARG002 - for routes with several
        """The input that a body has to be."""
        return self.input_serializer

    def compared(self, body: dict[str, Any]) -> dict[str, Any]:
        """What of a body has to be equal in a repetition: all but its own key."""
        return {name: value for name, value in body.items() if name != self.body_key}

    def cursors(self, actor: Actor, values: Mapping[str, Any]) -> CursorScope:
        """The cursors of this list: of this project, route, ids in the path and filters."""
        filters = {name: value for name, value in values.items() if name not in _PAGE_NAMES}
        return CursorScope(
            actor.project_id, route_of(self.request), {**filters, "path": self.kwargs}
        )

    @property
    @override
    def allowed_methods(self) -> list[str]:
        """The methods of the route; HEAD works where GET does."""
        methods = [name.upper() for name in self.http_method_names]
        return [*methods, "HEAD"] if "GET" in methods else methods

    def get(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """Answer a route that is read with GET."""
        return self._answer(request)

    def post(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """Answer a route that is called with POST."""
        return self._answer(request)

    @override
    def dispatch(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """Answer any request; no exception leaves a view."""
        self.context = context_of(request)
        try:
            methods = self.allowed_methods
            if request.method not in methods:
                refusal = method_not_allowed(self.dialect, ", ".join(methods))
                return refusal_answer(refusal, self.context.request_id)
            return self.post(request) if request.method == "POST" else self.get(request)
        except Exception as error:  # noqa: BLE001 - the table has an answer to every fault
            refusal = self._refusal_of(error)
            return refusal_answer(refusal, self.context.request_id)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        self.actor = actor = authenticate(request, Edge.API)
        rates.take_call(actor.id, self.access)
        if self.access is Access.READ_WRITE and not actor.can_write:
            raise Denied("read_only")
        values, key = self._read(request)
        result = self.perform(actor, values, key)
        body: dict[str, Any] = self.output_serializer.render(result)
        if self.dialect is Dialect.LOOP:
            body = {"data": body, "meta": self.meta_of(result)}
        return json_answer(body, self.context.request_id, status=self.status_of(result))

    def _read(self, request: HttpRequest) -> tuple[dict[str, Any], IdempotencyRequest | None]:
        """The validated values of body or query, and the idempotency key."""
        if request.method != "POST":
            serializer = self.input_serializer
            query = request.META.get("QUERY_STRING", "")
            return (serializer.parse_query(query) if serializer else {}), None
        strict_json.refuse_headers(request)
        key = self._key_of(request)
        body = strict_json.read_object(request)
        serializer = self.form_of(body)
        values = serializer.parse(body) if serializer else {}
        key = self._key_in_body(values, key)
        if key is None:
            return values, None
        route = route_of(request)
        digest = fingerprint("POST", route, self.compared(body), self.kwargs)
        return values, IdempotencyRequest(key=key, route=route, fingerprint=digest)

    def _key_in_body(self, values: dict[str, Any], header: str | None) -> str | None:
        """The key of the call: that of its body, which a header may only repeat."""
        given = values.pop(self.body_key) if self.body_key else None
        if given is None:
            return header
        if header is not None and header != str(given):
            raise FieldInvalid(self.body_key or "", "must equal the header Idempotency-Key.")
        return str(given)

    def _key_of(self, request: HttpRequest) -> str | None:
        key = request.META.get("HTTP_IDEMPOTENCY_KEY") if self.takes_key else None
        if key is not None and not _KEY.fullmatch(key):
            raise FieldInvalid("Idempotency-Key", "must be 1 to 255 visible ASCII characters.")
        return key

    def _refusal_of(self, error: Exception) -> Refusal:
        """The answer to an error, which is audited unless whoever raised it has done so."""
        refused = domain_error_of(error)
        if refused is None:
            _log.error("unexpected_error", route=route_of(self.request), exc_info=error)
        try:
            self._audit(refused)
        except DomainError as unaudited:
            refused = unaudited
        if refused is None:
            return internal(self.dialect)
        return refusal_of(refused, self.dialect, self._code_of(refused))

    def _code_of(self, refused: DomainError) -> str:
        return self.invalid_code_of(refused) if isinstance(refused, FieldInvalid) else refused.code

    def _audit(self, refused: DomainError | None) -> None:
        """Write the entry of a refusal. Raises Unavailable when it cannot be written.

        Nothing is written for the unauthenticated: `authenticate` did.
        """
        if self.actor is not None:
            code = "internal" if refused is None else self._code_of(refused)
            audit_refusal(self.actor, self.operation_name, refused, code)


class OperationView(WireView):
    """A route that changes something."""

    access: ClassVar[Access] = Access.READ_WRITE


class ReadView(WireView):
    """A route that lists or fetches; open to read-only credentials."""

    access: ClassVar[Access] = Access.READ_ONLY
