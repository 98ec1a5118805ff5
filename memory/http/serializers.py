"""Objects and lists on the wire: inputs that refuse what they do not know, outputs that are fast.

A serializer class is made into one instance, once; requests share it, because it keeps no state.
DRF's own validation and rendering are not used, only its declarations, which describe the wire.

    class RetractInput(InputSerializer):
        id = fields.CanonicalUUID()
        expected_version = fields.CanonicalUUID()

    class RetractRecordsInput(InputSerializer):
        records = ListOf(RetractInput(), minimum=1, maximum=20)

    values = RetractRecordsInput.parse(body)          # {"records": [{"id": UUID(...), ...}]}
    answer = RetractedOutput.render(receipt)          # a frozen dataclass into plain JSON values
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, Unpack
from urllib.parse import parse_qsl

from rest_framework import serializers
from rest_framework.fields import empty
from typing_extensions import override

from memory.http.errors import InvalidBody, shown
from memory.http.fields import Constant
from memory.http.strict_field import FieldOptions, StrictField, drf_options, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

_QUERY_NAMES: Final = 32


Wire = TypeVar("Wire", bound=serializers.BaseSerializer[Any])

_instances: dict[type[Any], Any] = {}


def compiled(cls: type[Wire]) -> Wire:
    """The one instance of a serializer class that requests share."""
    instance: Wire | None = _instances.get(cls)
    if instance is None:
        instance = _instances[cls] = cls()
    return instance


class Accepting(Protocol):
    """What an input is made of: our fields and our serializers."""

    required: bool

    @property
    def fallback(self) -> Any:
        """What an absent value means."""

    def refuse_unknown(self, value: Any, path: str) -> None:
        """Raise InvalidBody for a name that is not known inside of the value."""

    def accept(self, value: Any, path: str) -> Any:
        """The value as operations work with it. Raises FieldInvalid."""


class ListOf(StrictField):
    """A JSON list of values of one kind, never `null`."""

    def __init__(
        self,
        child: StrictField | InputSerializer | OutputSerializer,
        *,
        minimum: int = 0,
        maximum: int | None = None,
        **options: Unpack[FieldOptions],
    ) -> None:
        super().__init__(**options)
        self.child: Any = child
        self.minimum = minimum
        self.maximum = maximum

    @override
    def refuse_unknown(self, value: Any, path: str) -> None:
        """Look into each member of a list."""
        if isinstance(value, list):
            for place, member in enumerate(value):
                if isinstance(member, dict):  # a list may hold half a million other values
                    self.child.refuse_unknown(member, f"{path}[{place}]")

    @override
    def accept(self, value: Any, path: str) -> list[Any]:
        """The accepted members."""
        if not isinstance(value, list) or not self._fits(len(value)):
            until = f"at least {self.minimum}"
            if self.maximum is not None:
                until = f"{self.minimum} to {self.maximum}"
            refuse(path, f"must be a list of {until}.")
        return [self._accept_member(member, f"{path}[{i}]") for i, member in enumerate(value)]

    def _fits(self, members: int) -> bool:
        return self.minimum <= members and (self.maximum is None or members <= self.maximum)

    def _accept_member(self, member: Any, path: str) -> Any:
        if member is None:
            refuse(path, "is required.")
        return self.child.accept(member, path)

    @override
    def wire_form(self) -> Callable[[Any], Any]:
        """The list of the members' JSON values."""
        convert = self.child.wire_form()
        if convert is None:
            return list
        return lambda members: [convert(member) for member in members]


class InputSerializer(serializers.Serializer[Any]):
    """One object that a client sends."""

    def __init__(self, **options: Unpack[FieldOptions]) -> None:
        super().__init__(**drf_options(options))

    @classmethod
    def parse(cls, body: dict[str, Any]) -> dict[str, Any]:
        """Every declared field by name. Raises InvalidBody (unknown names), then FieldInvalid."""
        root = compiled(cls)
        root.refuse_unknown(body, "")
        return root.accept(body, "")

    @classmethod
    def parse_query(cls, query: str) -> dict[str, Any]:
        """The same from a query string. A name twice or an unknown one raises InvalidBody."""
        root = compiled(cls)
        try:
            pairs = parse_qsl(
                query, keep_blank_values=True, errors="strict", max_num_fields=_QUERY_NAMES
            )
        except ValueError:  # UnicodeDecodeError is one
            raise InvalidBody("The query must be a few names and values in UTF-8.") from None
        given = dict(pairs)
        if len(given) != len(pairs):
            raise InvalidBody("A name must not stand twice in the query.")
        root.refuse_unknown(given, "")
        accepted = {}
        for name, field in root.members.items():
            if name in given:
                accepted[name] = field.accept(field.from_query(given[name], name), name)
            elif field.required:
                refuse(name, "is required.")
            else:
                accepted[name] = field.fallback
        root.check(accepted, "")
        return accepted

    def check(self, values: dict[str, Any], path: str) -> None:
        """Rules between fields: raise FieldInvalid. `path` is empty or ends in a dot."""

    @cached_property
    def members(self) -> dict[str, Any]:
        """The fields by their names."""
        return dict(self.fields)

    @cached_property
    def nested(self) -> list[tuple[str, Accepting]]:
        """The members that may hold names of their own."""
        return [
            (name, field)
            for name, field in self.members.items()
            if isinstance(field, InputSerializer)
            or (isinstance(field, ListOf) and isinstance(field.child, InputSerializer))
        ]

    @property
    def fallback(self) -> Any:
        """What an absent object means."""
        return None if self.default is empty else self.default

    def refuse_unknown(self, value: Any, path: str) -> None:
        """Raise InvalidBody for a name that is not declared, at any level."""
        if not isinstance(value, dict):
            return
        prefix = f"{path}." if path else ""
        if not value.keys() <= self.members.keys():
            unknown = next(name for name in value if name not in self.members)
            raise InvalidBody(f'Field "{prefix}{shown(unknown)}" is not known here.')
        for name, field in self.nested:
            if name in value:
                field.refuse_unknown(value[name], prefix + name)

    def accept(self, value: Any, path: str) -> dict[str, Any]:
        """Every declared field, accepted in declared order."""
        if not isinstance(value, dict):
            refuse(path, "must be an object.")
        prefix = f"{path}." if path else ""
        accepted = {}
        for name, field in self.members.items():
            given = value.get(name)
            if given is not None:
                accepted[name] = field.accept(given, prefix + name)
            elif field.required:
                refuse(prefix + name, "is required.")
            else:
                accepted[name] = field.fallback
        self.check(accepted, prefix)
        return accepted


def refuse_repeats(rows: list[dict[str, Any]], name: str, path: str) -> None:
    """Raise FieldInvalid where a value that names one row stands in two of them."""
    seen = set()
    for place, row in enumerate(rows):
        if row[name] in seen:
            refuse(f"{path}[{place}].{name}", "must not stand twice.")
        seen.add(row[name])


def _getter_of(field: Any) -> Callable[[Any], Any]:
    if isinstance(field, Constant):
        return lambda _row: field.value
    return attrgetter(field.source)


class OutputSerializer(serializers.Serializer[Any]):
    """One object that the server sends: attributes of a frozen row under their wire names."""

    def __init__(self, **options: Unpack[FieldOptions]) -> None:
        super().__init__(**drf_options(options))
        self.omit_none = options.get("omit_none", False)

    @classmethod
    def render(cls, row: Any) -> dict[str, Any]:
        """The JSON object of a row."""
        return compiled(cls).to_wire(row)

    @cached_property
    def plan(self) -> list[tuple[str, Callable[[Any], Any], Callable[[Any], Any] | None, bool]]:
        """Per field: its name, how to get it, how to convert it, whether None leaves it out."""
        fields: dict[str, Any] = dict(self.fields)
        return [
            (name, _getter_of(field), field.wire_form(), field.omit_none)
            for name, field in fields.items()
        ]

    def wire_form(self) -> Callable[[Any], Any]:
        """What makes a JSON object of a row."""
        return self.to_wire

    def to_wire(self, row: Any) -> dict[str, Any]:
        """The JSON object of a row that is not None."""
        answer: dict[str, Any] = {}
        for name, get, convert, omit_none in self.plan:
            value = get(row)
            if value is None:
                if not omit_none:
                    answer[name] = None
            elif convert is None:
                answer[name] = value
            else:
                answer[name] = convert(value)
        return answer
