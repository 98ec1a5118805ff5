"""What may stand in an address: the name of a project, canonical ids, whole numbers from 1."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.urls import register_converter
from django.urls.converters import StringConverter

from memory.vocabulary import PROJECT_NAME_PATTERN

_NIL: Final = "00000000-0000-0000-0000-000000000000"


class ProjectName(StringConverter):
    """A name that a project may have."""

    regex = PROJECT_NAME_PATTERN


class CanonicalId:
    """A UUID in its one canonical form; anything else is no address, so it is not found."""

    regex = rf"(?!{_NIL})[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}"

    def to_python(self, value: str) -> UUID:
        """The id."""
        return UUID(value)

    def to_url(self, value: Any) -> str:
        """Its canonical form."""
        return str(value)


class Ordinal:
    """A number that counts from 1, without leading zeros, that the database can hold."""

    regex = "[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_url(self, value: Any) -> str:
        """Its digits."""
        return str(value)


def register() -> None:
    """Let routes say `<project:...>`, `<id:...>` and `<ordinal:...>`."""
    register_converter(ProjectName, "project")
    register_converter(CanonicalId, "id")
    register_converter(Ordinal, "ordinal")
