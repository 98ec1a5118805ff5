"""What all fields of the wire share: options, and how one refuses, accepts, sends, describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack

from rest_framework import serializers
from rest_framework.fields import empty
from typing_extensions import override

from memory.errors import FieldInvalid

if TYPE_CHECKING:
    from collections.abc import Callable


class FieldOptions(TypedDict, total=False):
    """What every field takes besides its own limits."""

    required: bool  # inputs: must be there; default True
    default: Any  # inputs: what an absent or null value means; makes the field optional
    nullable: bool  # outputs: may be null
    omit_none: bool  # outputs: left out where there is nothing to say
    source: str  # outputs: the attribute, dotted for nested ones, if not the field's name
    help_text: str


def drf_options(options: FieldOptions) -> dict[str, Any]:
    """Our options as the arguments of a DRF field."""
    default = options.get("default", empty)
    omit_none = options.get("omit_none", False)
    required = options.get("required", default is empty and not omit_none)
    drf: dict[str, Any] = {
        "required": required,
        "allow_null": options.get("nullable", not required and not omit_none),
        "help_text": options.get("help_text"),
        "source": options.get("source"),
    }
    return drf if default is empty else drf | {"default": default}


class StrictField(serializers.Field[Any, Any, Any, Any]):
    """What all fields share."""

    def __init__(self, **options: Unpack[FieldOptions]) -> None:
        super().__init__(**drf_options(options))
        self.omit_none = options.get("omit_none", False)

    @property
    def fallback(self) -> Any:
        """What an absent value means."""
        return None if self.default is empty else self.default

    def refuse_unknown(self, value: Any, path: str) -> None:
        """Raise InvalidBody for a name that is not known inside of the value."""

    def accept(self, value: Any, path: str) -> Any:
        """The value as operations work with it. Raises FieldInvalid."""
        raise NotImplementedError

    def from_query(self, text: str, path: str) -> Any:  # noqa: ARG002 - the path is for subclasses
        """The JSON value that a text in a query string stands for."""
        return text

    def wire_form(self) -> Callable[[Any], Any] | None:
        """What makes a JSON value of a value that is not None; None where it is one already."""
        return None

    def describe(self) -> dict[str, Any]:
        """The OpenAPI schema of a value."""
        raise NotImplementedError

    @override
    def to_representation(self, value: Any) -> Any:
        """The JSON value of one value, as DRF calls it."""
        convert = self.wire_form()
        return convert(value) if convert else value


def refuse(path: str, rule: str) -> NoReturn:
    """Refuse the field at a path."""
    raise FieldInvalid(path, rule)
