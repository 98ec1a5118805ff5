"""Options of `retrieve` that this server does not have, and what it says instead.

A malformed one is refused whether or not it is supported. With `strict: false` a well-formed one is
left out and named in `usage.notes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from feedback.rcp.capabilities import MODALITY, MODE, UNIT
from feedback.rcp.params import AnyObject, Hint
from memory.http.fields import StrictBoolean, StrictInteger, StrictNumber
from memory.http.strict_field import StrictField, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Options of which one value is supported, which is also their default.
ONE_VALUED: Final = {"unit": UNIT, "mode": MODE, "modality": MODALITY}
SEED_NOTE: Final = "seed has no effect: ranking has no random step."
SNAPSHOT_NOTE: Final = "indexVersion was left out: the present state was searched."


class ObjectOrFalse(AnyObject):
    """An object, or `false` for doing without."""

    @override
    def accept(self, value: Any, path: str) -> Any:
        """The known members, or False."""
        return False if value is False else super().accept(value, path)


class TextOrFalse(Hint):
    """A name, or `false` for doing without."""

    @override
    def accept(self, value: Any, path: str) -> Any:
        """The name, or False."""
        return False if value is False else super().accept(value, path)


class Level(StrictField):
    """A level of a tree of summaries: a name or a number."""

    @override
    def accept(self, value: Any, path: str) -> str | int:
        """The level."""
        if not isinstance(value, str) and type(value) is not int:
            refuse(path, "must be a string or an integer.")
        level: str | int = value
        return level


FIELDS: Final[dict[str, StrictField]] = {
    "fusion": AnyObject(
        method=Hint(),
        weights=AnyObject(dense=StrictNumber(), sparse=StrictNumber()),
        rrfK=StrictInteger(minimum=1),
    ),
    "mmr": AnyObject(**{"lambda": StrictNumber(minimum=0, maximum=1)}),
    "recency": AnyObject(field=Hint(), halfLifeDays=StrictNumber(above=0)),
    "level": Level(),
    "indexVersion": Hint(),
    "rerank": ObjectOrFalse(method=Hint(), model=Hint(), topN=StrictInteger(minimum=1)),
    "rewrite": TextOrFalse(),
    "includeVectors": StrictBoolean(),
}


def unsupported_of(values: Mapping[str, Any]) -> Iterator[str]:
    """The names of well-formed options that ask for what there is not, in the order of tables."""
    for name, only in ONE_VALUED.items():
        if values.get(name, only) != only:
            yield name
    for name in FIELDS:
        if values.get(name, False) is not False:
            yield name


def note_of(option: str) -> str:
    """What `usage.notes` says of an option that was left out."""
    if option == "indexVersion":
        return SNAPSHOT_NOTE
    return f"{option} is not supported as asked and was left out."
