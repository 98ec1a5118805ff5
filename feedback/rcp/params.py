"""Params: names that are known are read strictly, others are ignored, `null` means absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from typing_extensions import override

from memory.http.strict_field import FieldOptions, StrictField, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping


class Hint(StrictField):
    """A text that may be empty or blank, since nothing is looked up by it."""

    def __init__(
        self,
        *,
        max_characters: int | None = None,
        max_bytes: int | None = None,
        **options: Unpack[FieldOptions],
    ) -> None:
        super().__init__(**options)
        self.max_characters = max_characters
        self.max_bytes = max_bytes

    @override
    def accept(self, value: Any, path: str) -> str:
        """The text."""
        if not isinstance(value, str):
            refuse(path, "must be a string.")
        if self.max_characters is not None and len(value) > self.max_characters:
            refuse(path, f"must be at most {self.max_characters} characters.")
        if self.max_bytes is not None and len(value.encode()) > self.max_bytes:
            refuse(path, f"must be at most {self.max_bytes} bytes.")
        return value


class AnyObject(StrictField):
    """An object whose known members are read strictly."""

    def __init__(self, **members: StrictField) -> None:
        super().__init__()
        self.members = members

    @override
    def accept(self, value: Any, path: str) -> dict[str, Any]:
        """The known members that are there."""
        if not isinstance(value, dict):
            refuse(path, "must be an object.")
        return read(value, self.members, f"{path}.")


def read(
    given: Mapping[str, Any], fields: Mapping[str, StrictField], path: str = ""
) -> dict[str, Any]:
    """The values of known names that were given. Raises FieldInvalid for the first faulty one."""
    return {
        name: field.accept(given[name], f"{path}{name}")
        for name, field in fields.items()
        if given.get(name) is not None
    }
