"""Fields that refuse instead of coercing, and say on the wire what they accept.

`accept` takes a JSON value and returns what operations work with, or raises FieldInvalid with the
path and the rule, never the value. `wire_form` is the way back. `describe` is the OpenAPI schema.
Fields keep no state of a request: one instance serves all threads. Rules: `contract.md` 0.3.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Unpack
from unicodedata import category
from uuid import UUID

from typing_extensions import override

from memory.errors import FieldInvalid
from memory.http.strict_field import FieldOptions, StrictField, refuse
from memory.vocabulary import PAGE_DEFAULT, PAGE_LIMIT, Trust

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

CURSOR_BYTES: Final = 512
CURSOR_RULE: Final = "must be the cursor of an earlier page of this list."

_BLANK: Final = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_NIL: Final = "00000000-0000-0000-0000-000000000000"
_TIME: Final = re.compile(
    r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:\.[0-9]{1,6})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])",
    re.ASCII,
)
_TIME_RULE: Final = "must be an RFC 3339 time with an offset and at most 6 fraction digits."
#: Not blank and without NUL, as a pattern; beyond the basic plane `is_blank` alone is exact.
NOT_BLANK: Final = (
    r"^[^\u0000]*[^\u0000-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    r"\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff\ufff9-\ufffb]"
    r"[^\u0000]*$"
)
_QUERY_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,63}", re.ASCII)


def is_blank(text: str) -> bool:
    """Whether nothing is left of a text without spaces, controls and invisible characters."""
    return all(category(character) in _BLANK for character in text)


def time_text(time: datetime) -> str:
    """A time as it is sent: UTC, always six digits, `Z`."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


class Text(StrictField):
    """Text, kept as it is: counted in UTF-8 bytes or in characters, never blank, no NUL."""

    def __init__(
        self,
        *,
        max_bytes: int | None = None,
        max_characters: int | None = None,
        pattern: str | None = None,
        **options: Unpack[FieldOptions],
    ) -> None:
        super().__init__(**options)
        self.max_bytes = max_bytes
        self.max_characters = max_characters
        self.pattern = pattern
        self.form = re.compile(pattern, re.ASCII) if pattern else None

    @property
    def rule(self) -> str:
        """The limit as the end of a sentence."""
        if self.max_bytes is not None:
            return f"must be 1 to {self.max_bytes} bytes."
        return f"must be 1 to {self.max_characters} characters."

    @override
    def accept(self, value: Any, path: str) -> str:
        """The text, unchanged."""
        if not isinstance(value, str):
            refuse(path, "must be a string.")
        if not self._fits(value):
            refuse(path, self.rule)
        if "\0" in value:
            refuse(path, "must not contain NUL.")
        if self.form and not self.form.fullmatch(value):
            refuse(path, f"must have the form {self.pattern}.")
        if is_blank(value):
            refuse(path, "must not be blank.")
        return value

    def _fits(self, value: str) -> bool:
        characters = len(value)
        if self.max_bytes is None:
            return self.max_characters is None or 1 <= characters <= self.max_characters
        # No character is shorter than a byte: most long texts are refused without encoding them.
        return 1 <= characters <= self.max_bytes and len(value.encode()) <= self.max_bytes

    @override
    def describe(self) -> dict[str, Any]:
        """A string; what OpenAPI cannot say (bytes) stands in `x-max-bytes`."""
        schema: dict[str, Any] = {"type": "string", "minLength": 1}
        if self.max_bytes is not None:
            schema |= {"maxLength": self.max_bytes, "x-max-bytes": self.max_bytes}
        if self.max_characters is not None:
            schema["maxLength"] = self.max_characters
        return schema | {"pattern": f"^{self.pattern}$" if self.pattern else NOT_BLANK}


class CanonicalUUID(StrictField):
    """A UUID of 36 characters, lower case, not the nil UUID."""

    @override
    def accept(self, value: Any, path: str) -> UUID:
        """The UUID."""
        if not isinstance(value, str) or not _UUID.fullmatch(value) or value == _NIL:
            refuse(path, "must be a canonical UUID.")
        return UUID(value)

    @override
    def wire_form(self) -> Callable[[Any], Any]:
        """The canonical text."""
        return str

    @override
    def describe(self) -> dict[str, Any]:
        """A string of format uuid."""
        return {
            "type": "string",
            "format": "uuid",
            "pattern": f"^(?!{_NIL}){_UUID.pattern}$",
        }


class Constant(StrictField):
    """A name that clients expect and whose value is always the same here."""

    def __init__(
        self,
        value: str | bool | None,  # noqa: FBT001 - the constant itself, not a switch
        **options: Unpack[FieldOptions],
    ) -> None:
        options["nullable"] = value is None
        super().__init__(**options)
        self.value = value

    @override
    def describe(self) -> dict[str, Any]:
        """That one value; null is added wherever it is allowed."""
        kind = "boolean" if isinstance(self.value, bool) else "string"
        return {"type": kind, "enum": [] if self.value is None else [self.value]}


class StrictInteger(StrictField):
    """An integer written without fraction or exponent, within its range."""

    def __init__(
        self, *, minimum: int, maximum: int | None = None, **options: Unpack[FieldOptions]
    ) -> None:
        super().__init__(**options)
        self.minimum = minimum
        self.maximum = maximum

    @override
    def accept(self, value: Any, path: str) -> int:
        """The integer."""
        if type(value) is not int or value < self.minimum or self._is_above(value):
            until = "" if self.maximum is None else f" to {self.maximum}"
            refuse(path, f"must be an integer from {self.minimum}{until}.")
        return value

    def _is_above(self, value: int) -> bool:
        return self.maximum is not None and value > self.maximum

    @override
    def from_query(self, text: str, path: str) -> int:
        """The integer that canonical digits stand for."""
        if not _QUERY_INTEGER.fullmatch(text):
            refuse(path, "must be an integer.")
        return int(text)

    @override
    def describe(self) -> dict[str, Any]:
        """An integer with its bounds."""
        upper = {} if self.maximum is None else {"maximum": self.maximum}
        return {"type": "integer", "minimum": self.minimum} | upper


class StrictNumber(StrictField):
    """A finite number, integral or not, within its range."""

    def __init__(
        self,
        *,
        above: float | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        **options: Unpack[FieldOptions],
    ) -> None:
        super().__init__(**options)
        self.above = above
        self.minimum = minimum
        self.maximum = maximum

    @property
    def rule(self) -> str:
        """The range as the end of a sentence."""
        bounds = {"above": self.above, "at least": self.minimum, "at most": self.maximum}
        words = [f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None]
        return f"must be a number {' and '.join(words)}.".replace(" .", ".")

    @override
    def accept(self, value: Any, path: str) -> float:
        """The number as a float."""
        if type(value) not in (int, float) or not isfinite(value) or not self._fits(value):
            refuse(path, self.rule)
        return float(value)

    def _fits(self, value: float) -> bool:
        return (
            (self.above is None or value > self.above)
            and (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
        )

    @override
    def wire_form(self) -> Callable[[Any], Any]:
        """Integral numbers without a fraction: `1`, not `1.0`."""
        return plain_number

    @override
    def describe(self) -> dict[str, Any]:
        """A number with its bounds."""
        bounds = {
            "exclusiveMinimum": self.above,
            "minimum": self.minimum,
            "maximum": self.maximum,
        }
        return {"type": "number"} | {k: v for k, v in bounds.items() if v is not None}


def plain_number(number: float) -> float:
    """The number, as an integer where it is one."""
    return int(number) if number == int(number) else number


class StrictBoolean(StrictField):
    """`true` or `false`."""

    @override
    def accept(self, value: Any, path: str) -> bool:
        """The boolean."""
        if not isinstance(value, bool):
            refuse(path, "must be true or false.")
        return value

    @override
    def from_query(self, text: str, path: str) -> bool:
        """The boolean that its JSON spelling stands for."""
        if text not in ("true", "false"):
            refuse(path, "must be true or false.")
        return text == "true"

    @override
    def describe(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}


class Timestamp(StrictField):
    """An RFC 3339 time with an offset and at most six fraction digits; sent in UTC with six."""

    @override
    def accept(self, value: Any, path: str) -> datetime:
        """The aware time, in UTC."""
        if isinstance(value, str) and _TIME.fullmatch(value):
            try:
                return datetime.fromisoformat(value.upper()).astimezone(UTC)
            except (ValueError, OverflowError):  # 30 February; year 0 or 10000 once it is UTC
                pass
        raise FieldInvalid(path, _TIME_RULE)

    @override
    def wire_form(self) -> Callable[[Any], Any]:
        """UTC with six digits."""
        return time_text

    @override
    def describe(self) -> dict[str, Any]:
        """A string of format date-time."""
        return {"type": "string", "format": "date-time", "pattern": f"^{_TIME.pattern}$"}


class Choice(StrictField):
    """One of the values of an enumeration, spelled exactly."""

    def __init__(self, values: type[StrEnum] | Any, **options: Unpack[FieldOptions]) -> None:
        super().__init__(**options)
        self.values = {str(value.value): value for value in values}

    @override
    def accept(self, value: Any, path: str) -> Any:
        """The member of the enumeration."""
        if not isinstance(value, str) or value not in self.values:
            refuse(path, f"must be one of: {', '.join(self.values)}.")
        return self.values[value]

    @override
    def to_representation(self, value: Any) -> str:
        """The plain text; JSON takes the member as it is, the OpenAPI generator does not."""
        return str(value.value)

    @override
    def describe(self) -> dict[str, Any]:
        """A string with its values."""
        return {"type": "string", "enum": list(self.values)}


class TrustLevel(StrictField):
    """A level of trust by its name."""

    levels: Final = {str(level.label): level for level in Trust}
    names: Final = {level: name for name, level in levels.items()}

    @override
    def accept(self, value: Any, path: str) -> Trust:
        """The level."""
        if not isinstance(value, str) or value not in self.levels:
            refuse(path, f"must be one of: {', '.join(self.levels)}.")
        return self.levels[value]

    @override
    def wire_form(self) -> Callable[[Any], Any]:
        """The name of the level."""
        return self.names.__getitem__

    @override
    def describe(self) -> dict[str, Any]:
        """A string with its values."""
        return {"type": "string", "enum": list(self.levels)}


class Cursor(StrictField):
    """The place where a page starts, as an earlier page gave it. Longer ones are not looked at."""

    @override
    def accept(self, value: Any, path: str) -> str:
        """The signed text; `CursorScope.read` verifies it."""
        if not isinstance(value, str) or not 1 <= len(value) <= CURSOR_BYTES:
            refuse(path, CURSOR_RULE)
        return value

    @override
    def describe(self) -> dict[str, Any]:
        """An opaque string."""
        return {"type": "string", "minLength": 1, "maxLength": CURSOR_BYTES}


def page_limit(maximum: int = PAGE_LIMIT, default: int = PAGE_DEFAULT) -> StrictInteger:
    """The `limit` of a list."""
    return StrictInteger(minimum=1, maximum=maximum, default=default)
