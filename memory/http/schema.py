"""OpenAPI of the wire: what drf-spectacular cannot see in views, serializers and fields.

Imported by the generator only (setting DEFAULT_SCHEMA_CLASS), never to answer a request.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    PolymorphicProxySerializer,
)
from typing_extensions import override

from memory.errors import (
    Denied,
    FieldInvalid,
    IdempotencyConflict,
    IdempotencyInProgress,
    Kind,
    Unauthenticated,
    Unavailable,
)
from memory.http.error_table import LOOP_CODES, STATUSES, Dialect, internal
from memory.http.errors import InvalidBody, PayloadTooLarge, RateLimited
from memory.http.serializers import ListOf
from memory.http.strict_json import BODY_BYTES
from memory.http.views import WireView
from memory.vocabulary import Access

if TYPE_CHECKING:
    from memory.errors import DomainError

_REQUEST_ID: Final = {"type": "string", "pattern": "^req_[0-9a-f]{32}$"}
_ERROR: Final = {
    "type": "object",
    "description": "The one body of every refusal.",
    "required": ["error", "meta"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "additionalProperties": False,
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        },
        "meta": {
            "type": "object",
            "required": ["request_id"],
            "additionalProperties": False,
            "properties": {"request_id": _REQUEST_ID},
        },
    },
}
_EXAMPLE_REQUEST_ID: Final = "req_e5d3a330e24343dfaf34c45d35955bbc"
_IDEMPOTENCY_KEY: Final = OpenApiParameter(
    name="Idempotency-Key",
    location=OpenApiParameter.HEADER,
    required=False,
    description="Makes the call repeatable: the same key and body answer the same receipt.",
    type={"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]{1,255}$"},
)


class StrictFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Describes our fields by what they say of themselves."""

    target_class = "memory.http.strict_field.StrictField"
    match_subclasses = True

    @override
    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """The schema of the field; null is a value of an enumeration that allows it."""
        field = self.target
        if isinstance(field, ListOf):
            return _list_schema(field, auto_schema, direction)
        schema: dict[str, Any] = field.describe()
        if field.allow_null and None not in schema.get("enum", [None]):
            schema["enum"] = [*schema["enum"], None]
        return schema


class InputExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says what the fields of inputs mean, and that inputs refuse names they do not know."""

    target_class = "memory.http.serializers.InputSerializer"
    match_subclasses = True

    @override
    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """The schema of the object, closed."""
        schema = _object_schema(self.target, auto_schema, direction)
        return {**schema, "additionalProperties": False}


class OutputExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says what the fields of outputs mean; later versions may add fields."""

    target_class = "memory.http.serializers.OutputSerializer"
    match_subclasses = True

    @override
    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """The schema of the object, open."""
        return _object_schema(self.target, auto_schema, direction)


def _object_schema(serializer: Any, auto_schema: Any, direction: Any) -> dict[str, Any]:
    schema: dict[str, Any] = auto_schema._map_serializer(
        serializer, direction, bypass_extensions=True
    )
    meanings = getattr(auto_schema.view, "field_meanings", {})
    for name, described in schema["properties"].items():
        owners = [f"{owner.__name__}.{name}" for owner in type(serializer).__mro__]
        found = [meanings[key] for key in (*owners, name) if key in meanings]
        if found:
            described["description"] = found[0]
    return schema


def _list_schema(field: ListOf, auto_schema: Any, direction: Any) -> dict[str, Any]:
    items = auto_schema._map_serializer_field(field.child, direction)
    schema = {"type": "array", "items": items, "minItems": field.minimum}
    return schema if field.maximum is None else {**schema, "maxItems": field.maximum}


class WireSchema(AutoSchema):
    """Describes a view of the wire; other views as drf-spectacular would."""

    view: Any

    @property
    def is_wire(self) -> bool:
        """Whether the view is one of ours."""
        return isinstance(self.view, WireView)

    @override
    def get_operation_id(self) -> str:
        """The audited operation's name."""
        if not self.is_wire:
            return str(super().get_operation_id())
        return str(self.view.operation_name).replace(".", "_")

    @override
    def get_summary(self) -> str | None:
        """The first line of the view's docstring."""
        return _docstring(self.view)[0] if self.is_wire else super().get_summary()

    @override
    def get_description(self) -> str:  # type: ignore[override]
        """The rest of the docstring, access and limits."""
        if not self.is_wire:
            return str(super().get_description())
        is_write = self.view.access is Access.READ_WRITE
        access = "A read_write credential." if is_write else "Any credential."
        size = f" A body of at most {BODY_BYTES} bytes." if self.method == "POST" else ""
        rate = "30,000 writes" if is_write else "120,000 reads"
        limits = f"{access}{size} By default {rate} a minute and credential."
        return "\n\n".join([*_docstring(self.view)[1:], limits])

    @override
    def get_auth(self) -> list[dict[str, Any]]:
        """A bearer token, always."""
        if not self.is_wire:
            return list(super().get_auth())
        scheme = {"type": "http", "scheme": "bearer", "bearerFormat": "errata_…"}
        self._add("bearer", ResolvedComponent.SECURITY_SCHEMA, scheme)
        return [{"bearer": []}]

    @override
    def get_override_parameters(self) -> list[Any]:
        """The idempotency key, ids in the path, and the query of a route that is read with GET."""
        if not self.is_wire:
            return list(super().get_override_parameters())
        parameters: list[Any] = [_IDEMPOTENCY_KEY] if self.view.takes_key else []
        parameters += [self._id_in_path(name) for name in re.findall(r"\{(\w+)\}", self.path)]
        if self.method == "GET" and self.view.input_serializer:
            parameters.append(self.view.input_serializer)
        return parameters

    def _id_in_path(self, name: str) -> OpenApiParameter:
        meaning = self.view.field_meanings.get(name, "What the call is about.")
        return OpenApiParameter(
            name=name,
            location=OpenApiParameter.PATH,
            required=True,
            description=f"{meaning} Whatever is no id of one is answered like an unknown one.",
            type=str,
        )

    @override
    def get_request_serializer(self) -> Any:
        """The input, as one JSON object; one of two where the view has another form."""
        if not self.is_wire:
            return super().get_request_serializer()
        if self.view.other_form is None:
            return self.view.input_serializer
        return self._one_of(self.view.input_serializer, self.view.other_form[0])

    def _one_of(self, *forms: Any) -> Any:
        name = "Or".join(form.__name__.removesuffix("Input") for form in forms)
        return PolymorphicProxySerializer(
            f"{name}Input", list(forms), resource_type_field_name=None
        )

    @override
    def get_response_serializers(self) -> Any:
        """The output."""
        return self.view.output_serializer if self.is_wire else super().get_response_serializers()

    @override
    def map_parsers(self) -> list[Any]:
        """JSON only."""
        return ["application/json"] if self.is_wire else list(super().map_parsers())

    @override
    def get_examples(self) -> list[OpenApiExample]:
        """The request that the view gives as an example."""
        if not self.is_wire or self.view.request_example is None:
            return []
        examples = {
            "request": self.view.request_example,
            "other form": self.view.other_request_example,
        }
        return [
            OpenApiExample(name, value=value, request_only=True)
            for name, value in examples.items()
            if value is not None
        ]

    @override
    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        if not self.is_wire:
            bodies: dict[str, Any] = super()._get_response_bodies(direction)
            return bodies
        takes_key, is_loop = self.view.takes_key, self.view.dialect is Dialect.LOOP
        statuses = {self.view.success_status}
        if takes_key and (is_loop or self.view.other_form):
            statuses.add(200)  # a replay on an upper-case route
        bodies = {str(status): self._success(status) for status in sorted(statuses)}
        return bodies | self._refusals()

    def _success(self, status: int) -> dict[str, Any]:
        is_loop = self.view.dialect is Dialect.LOOP
        forms = [(self.view.output_serializer, self.view.answer_example, is_loop)]
        if self.view.other_form:
            other = (self.view.other_form[1], self.view.other_answer_example, True)
            forms = [other] if status != self.view.success_status else [*forms, other]
        schemas = [self._success_schema(output, is_loop=loop) for output, _, loop in forms]
        examples = {}
        for number, (_, example, loop) in enumerate(forms):
            if example is not None:
                name = "answer" if number == 0 else "other form"
                examples[name] = {"value": self._example_of(example, is_loop=loop)}
        media: dict[str, Any] = {
            "schema": schemas[0] if len(schemas) == 1 else {"oneOf": schemas},
            "examples": examples,
        }
        return self._answer("Done.", media)

    def _example_of(self, example: Any, *, is_loop: bool) -> Any:
        if not is_loop:
            return example
        replayed = {"replayed": False} if self.view.takes_key else {}
        meta = {"request_id": _EXAMPLE_REQUEST_ID, **replayed, **(self.view.meta_example or {})}
        return {"data": example, "meta": meta}

    def _success_schema(self, output: Any, *, is_loop: bool) -> dict[str, Any]:
        schema: dict[str, Any] = self.resolve_serializer(output, "response").ref
        if not is_loop:
            return schema
        meta: dict[str, Any] = {"request_id": _REQUEST_ID}
        if self.view.takes_key:
            meta["replayed"] = {"type": "boolean"}
        return {
            "type": "object",
            "required": ["data", "meta"],
            "properties": {
                "data": schema,
                "meta": {"type": "object", "required": list(meta), "properties": meta},
            },
        }

    def _refusals(self) -> dict[str, Any]:
        """One response a status, with its codes and an example of each."""
        self._add("Error", ResolvedComponent.SCHEMA, _ERROR)
        by_status: dict[int, dict[str, str]] = {}
        for error in sorted(self._errors(), key=lambda error: STATUSES[error.kind]):
            codes = by_status.setdefault(STATUSES[error.kind], {})
            for code in self._codes_of(error):
                codes.setdefault(code, self._message_of(error))
        faults = [internal(dialect) for dialect in self._dialects()]
        by_status[faults[0].status] = {fault.code: fault.message for fault in faults}
        return {
            str(status): self._refusal(status, by_status[status]) for status in sorted(by_status)
        }

    def _errors(self) -> list[type[DomainError]]:
        errors: list[type[DomainError]] = [Unauthenticated, RateLimited, Unavailable]
        if self.view.input_serializer:
            errors += [InvalidBody, FieldInvalid]
        if self.method == "POST":
            errors.append(PayloadTooLarge)
        if self.view.access is Access.READ_WRITE:
            errors.append(Denied)
        if self.view.takes_key:
            errors += [IdempotencyConflict, IdempotencyInProgress]
        return [*errors, *self.view.errors]

    def _dialects(self) -> list[Dialect]:
        """In which families of codes the route may refuse."""
        return [self.view.dialect, *([Dialect.LOOP] if self.view.other_form else [])]

    def _codes_of(self, error: type[DomainError]) -> list[str]:
        codes: list[str] = []
        for dialect in self._dialects():
            if dialect is Dialect.LOOP:
                codes.append(LOOP_CODES[error.kind])
            elif error is FieldInvalid:
                codes += self.view.invalid_codes or (self.view.invalid_code,)
            else:
                codes.append(error.code)
        return codes

    def _message_of(self, error: type[DomainError]) -> str:
        if error is InvalidBody:
            return "The body must be one JSON object."
        if error is FieldInvalid:
            members = self.view.input_serializer().members
            required = [name for name, member in members.items() if member.required]
            if required:
                return f'Field "{required[0]}" is required.'
            return 'Field "limit" must be an integer from 1 to 100.'
        return error.message

    def _refusal(self, status: int, messages: dict[str, str]) -> dict[str, Any]:
        codes = {"properties": {"error": {"properties": {"code": {"enum": sorted(messages)}}}}}
        media = {
            "schema": {"allOf": [{"$ref": "#/components/schemas/Error"}, codes]},
            "examples": {
                code: {
                    "value": {
                        "error": {"code": code, "message": message},
                        "meta": {"request_id": _EXAMPLE_REQUEST_ID},
                    }
                }
                for code, message in messages.items()
            },
        }
        headers = []
        if status in (STATUSES[Kind.THROTTLED], STATUSES[Kind.UNAVAILABLE]):
            headers.append("Retry-After")
        if status == STATUSES[Kind.UNAUTHENTICATED]:
            headers.append("WWW-Authenticate")
        answer = self._answer(", ".join(sorted(messages)), media, *headers)
        if self.view.takes_key and messages.keys() & set(self._codes_of(IdempotencyInProgress)):
            answer["headers"]["Retry-After"] = _RETRY_OF_A_CONFLICT
        if len(messages) > 1 or status == STATUSES[Kind.INVALID]:
            return answer
        [code] = messages  # the same on every route that has it
        self._add(code, ResolvedComponent.RESPONSE, answer)
        return {"$ref": f"#/components/responses/{code}"}

    def _answer(self, description: str, media: dict[str, Any], *headers: str) -> dict[str, Any]:
        for name, schema in _HEADERS.items():
            self._add(name, ResolvedComponent.HEADER, {"schema": schema, "required": True})
        return {
            "description": description,
            "headers": {
                name: {"$ref": f"#/components/headers/{name}"}
                for name in ("X-Request-Id", *headers)
            },
            "content": {"application/json": media},
        }

    def _add(self, name: str, kind: str, schema: dict[str, Any]) -> None:
        component: Any = ResolvedComponent(name, kind, schema, object=name)  # type: ignore[no-untyped-call]
        self.registry.register_on_missing(component)


_RETRY_OF_A_CONFLICT: Final = {
    "description": f"Only with {IdempotencyInProgress.code}.",
    "schema": {"type": "integer", "minimum": 1},
}
_HEADERS: Final[dict[str, dict[str, Any]]] = {
    "X-Request-Id": _REQUEST_ID,
    "Retry-After": {"type": "integer", "minimum": 1},
    "WWW-Authenticate": {"type": "string", "enum": ["Bearer"]},
}


def _docstring(view: Any) -> list[str]:
    """The paragraphs of a view's docstring."""
    text = type(view).__doc__ or ""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
