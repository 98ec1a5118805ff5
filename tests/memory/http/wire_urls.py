"""Routes of a wire that exists in tests only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from typing_extensions import override

from memory import audit
from memory.actor import Actor
from memory.errors import NotFound, RecordConflict
from memory.http.error_table import Dialect
from memory.http.fields import (
    CanonicalUUID,
    Choice,
    Cursor,
    StrictBoolean,
    StrictInteger,
    StrictNumber,
    Text,
    Timestamp,
    TrustLevel,
    page_limit,
)
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer
from memory.http.views import ListedRows, OperationView, ReadView
from memory.keys import IdempotencyRequest
from memory.paging import Page, Seek
from memory.transactions import audited_read, database_time, operation
from memory.vocabulary import Access, Operation, RecordStatus, Trust

CALLS: list[tuple[str, dict[str, Any]]] = []
FAULTS = {
    "none": None,
    "conflict": RecordConflict(),
    "value": ValueError("secret text"),
    "denied": PermissionDenied("secret text"),
    "suspicious": SuspiciousOperation("secret text"),
}


EXAMPLE = {"id": "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90", "note": "x"}


class WriteInput(InputSerializer):
    """What the write route takes."""

    id = CanonicalUUID()
    note = Text(max_bytes=64)
    fault = Text(max_bytes=16, default="none")


class WrittenOutput(OutputSerializer):
    """What it answers."""

    id = CanonicalUUID()
    note = Text(max_bytes=64)
    replayed = StrictBoolean(source="is_replay")


@dataclass(frozen=True)
class Written:
    """A receipt."""

    id: UUID
    note: str
    is_replay: bool = False


@operation(Operation.FEEDBACK_RECORD)
def write(
    *, actor: Actor, id: UUID, note: str, fault: str, key: IdempotencyRequest | None = None
) -> Written:
    """Write nothing but the audit entry, or fail as told."""
    CALLS.append(("write", {"key": key, "note": note, "request_id": actor.request_id}))
    if fault == "statement":
        with connection.cursor() as cursor:
            cursor.execute("SELECT secret_column FROM memory_project")
    error = FAULTS[fault]
    if error is not None:
        raise type(error)() if fault == "conflict" else error
    audit.allowed(actor, audit.Call(Operation.FEEDBACK_RECORD, 1))
    return Written(id, note, is_replay=note == "again")


class WriteView(OperationView):
    """Write."""

    operation_name, operation = Operation.FEEDBACK_RECORD, staticmethod(write)
    input_serializer, output_serializer = WriteInput, WrittenOutput
    takes_key = True
    errors = (NotFound, RecordConflict)
    request_example, answer_example = EXAMPLE, EXAMPLE | {"replayed": False}


class LoopWriteView(WriteView):
    """Write, upper case."""

    operation_name = Operation.FEEDBACK_PROMOTE
    dialect = Dialect.LOOP
    success_status = 201


@dataclass(frozen=True)
class Row:
    """A row of the list."""

    recorded_at: datetime
    id: UUID
    note: str


class ListInput(InputSerializer):
    """What the list takes."""

    open_only = StrictBoolean(default=False)
    limit = page_limit()
    after = Cursor(required=False)


class RowOutput(OutputSerializer):
    """A row."""

    id = CanonicalUUID()
    note = Text(max_bytes=64, nullable=True)


class PageOutput(OutputSerializer):
    """A page."""

    rows = ListOf(RowOutput())
    next = Cursor(omit_none=True)


@audited_read(Operation.FEEDBACK_LIST)
def list_rows(*, actor: Actor, after: Seek | None, limit: int) -> Page[Row]:
    """Made-up rows."""
    CALLS.append(("list", {"after": after, "limit": limit, "request_id": actor.request_id}))
    now = database_time()
    rows = tuple(Row(now, uuid4(), "é") for _ in range(2))
    return Page(rows, Seek.of(rows[-1]) if after is None else None)


class ListView(ReadView):
    """List."""

    operation_name = Operation.FEEDBACK_LIST
    input_serializer, output_serializer = ListInput, PageOutput

    @override
    def perform(
        self,
        actor: Actor,
        values: dict[str, Any],
        key: IdempotencyRequest | None,
    ) -> ListedRows:
        """Read one page."""
        cursors = self.cursors(actor, values)
        page = list_rows(actor=actor, after=cursors.read(values["after"]), limit=values["limit"])
        return ListedRows(page.rows, cursors.sign(page.next))


class GetListView(ListView):
    """List, with GET."""

    operation_name = Operation.RECORD_LIST
    http_method_names = ("get",)


class RowListView(ListView):
    """List what belongs to a row."""

    operation_name = Operation.RECORD_HISTORY


@dataclass(frozen=True)
class Counted:
    """How many there are."""

    count: int
    trust: Trust
    disputed: None = None
    magnitude: int = 1


class CountInput(InputSerializer):
    """What may be counted."""

    status = Choice(RecordStatus, required=False)
    since = Timestamp(required=False)
    name = Text(max_characters=8, required=False)
    word = Text(pattern="[a-z]+", required=False)
    above = StrictNumber(above=0, maximum=1, default=0.5)


class CountOutput(OutputSerializer):
    """How many there are, on the wire."""

    count = StrictInteger(minimum=0)
    trust = TrustLevel()
    disputed = StrictBoolean(nullable=True)
    status = Choice(RecordStatus, nullable=True, source="disputed")


@audited_read(Operation.CITATION_RESOLVE)
def count(*, actor: Actor, **filters: Any) -> Counted:
    """Count nothing."""
    CALLS.append(("count", {**filters, "request_id": actor.request_id}))
    return Counted(0, Trust.VERIFIED)


class CountView(ReadView):
    """Count.

    More about counting.
    """

    operation_name, operation = Operation.CITATION_RESOLVE, staticmethod(count)
    input_serializer, output_serializer = CountInput, CountOutput
    dialect = Dialect.LOOP


class PlainOutput(OutputSerializer):
    """One value."""

    id = CanonicalUUID()


class PlainGetView(ReadView):
    """Fetch, with GET and nothing to say."""

    http_method_names = ("get",)
    operation_name = Operation.RECORD_GET
    output_serializer = PlainOutput
    access = Access.READ_ONLY

    @override
    def perform(self, _: Actor, values: dict[str, Any], __: IdempotencyRequest | None) -> Row:
        """Find it, if the path names the nil-like one."""
        CALLS.append(("get", {"values": values}))
        place: UUID = self.kwargs["row_id"]
        if place.int == 7:
            raise NotFound
        return Row(datetime.now(UTC), place, "")


def broken(_: HttpRequest) -> HttpResponse:
    """Fail outside of a wire view."""
    raise ValueError("secret text")


def page(_: HttpRequest) -> HttpResponse:
    """Answer something that is no part of the wire."""
    return HttpResponse("page")


wire_patterns = (
    [
        path("write", WriteView.as_view(), name="write"),
        path("context/write", LoopWriteView.as_view(), name="loop-write"),
        path("list", ListView.as_view(), name="list"),
        path("lists", GetListView.as_view(), name="get-list"),
        path("rows/<uuid:row_id>", PlainGetView.as_view(), name="get"),
        path("rows/<uuid:row_id>/list", RowListView.as_view(), name="row-list"),
        path("context/count", CountView.as_view(), name="count"),
        path("broken", broken, name="broken"),
    ],
    "wire",
)
urlpatterns = [
    path("v1/", include(wire_patterns)),
    path("page", page, name="page"),
    path("broken", broken, name="broken"),
]
