"""Pure: characters that cannot be seen, text that reads like a prompt, and where to cut a text.

Everything here looks and nothing here changes: the stored text stays as it is, and no flag is
ever stored, sorted or filtered by (`console.md` section 4).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: General categories that have no shape: controls, formats, surrogates, line and paragraph ends.
INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

#: Code points without a shape in other categories: the grapheme joiner, Hangul fillers, Khmer
#: inherent vowels, variation selectors and the block of the tag characters.
INVISIBLE_RANGES: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180D),
    (0x180F, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)

#: Emoji by Unicode 16, without the digits, `#` and `*`, in whole blocks where a block is reserved.
EMOJI: Final = (
    "00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA "
    "24C2 25AA-25AB 25B6 25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 "
    "2626 262A 262E-262F 2638-263A 2640 2642 2648-2653 265F-2660 2663 2665-2666 2668 267B "
    "267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 26AA-26AB 26B0-26B1 26BD-26BE 26C4-26C5 "
    "26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD 2702 2705 2708-270D 270F "
    "2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2764 "
    "2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 "
    "1F004 1F0CF 1F170-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1E6-1F1FF 1F201-1F202 1F21A 1F22F "
    "1F232-1F23A 1F250-1F251 1F300-1F64F 1F680-1F6FF 1F7E0-1F7F0 1F90C-1F9FF 1FA70-1FAFF"
)

#: Blocks of the scripts whose spelling needs joiners: Arabic, Syriac, N'Ko, Mandaic, the scripts
#: of India and Sri Lanka, Myanmar, Khmer, Mongolian.
JOINING_SCRIPTS: Final = (
    "0600-06FF 0700-074F 0750-077F 07C0-07FF 0840-08FF 0900-0DFF 1000-109F 1780-17FF 1800-18AF "
    "A8E0-A8FF A9E0-A9FF AA60-AA7F FB50-FDFF FE70-FEFC"
)

_C0_NAMES: Final = (
    "NULL,START OF HEADING,START OF TEXT,END OF TEXT,END OF TRANSMISSION,ENQUIRY,ACKNOWLEDGE,"
    "ALERT,BACKSPACE,CHARACTER TABULATION,LINE FEED,LINE TABULATION,FORM FEED,CARRIAGE RETURN,"
    "SHIFT OUT,SHIFT IN,DATA LINK ESCAPE,DEVICE CONTROL ONE,DEVICE CONTROL TWO,"
    "DEVICE CONTROL THREE,DEVICE CONTROL FOUR,NEGATIVE ACKNOWLEDGE,SYNCHRONOUS IDLE,"
    "END OF TRANSMISSION BLOCK,CANCEL,END OF MEDIUM,SUBSTITUTE,ESCAPE,INFORMATION SEPARATOR FOUR,"
    "INFORMATION SEPARATOR THREE,INFORMATION SEPARATOR TWO,INFORMATION SEPARATOR ONE"
)

#: What reads like an instruction to a program. Looked for without case, after removing what
#: cannot be seen and folding compatibility forms, so that fullwidth letters do not hide it.
PROMPT_PATTERNS: Final[dict[str, str]] = {
    "order to ignore": (
        r"\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow)\b[^.\n]{0,60}"
        r"\b(?:instruction|prompt|rule|direction|guideline|guardrail|polic(?:y|ies))s?\b"
    ),
    "new orders": (
        r"\b(?:new|updated|following|real) (?:system )?(?:instructions|prompt)\s*:"
        r"|\byou are now (?:a|an|in|the|my)\b|\bfrom now on,? you\b"
        r"|\b(?:reveal|print|repeat|output|show)\b[^.\n]{0,40}"
        r"\b(?:system|hidden|initial) (?:prompt|instructions|message)"
        r"|\bdo not (?:tell|inform|alert|mention (?:this|it) to) the (?:user|reviewer|human)\b"
    ),
    "role marker": (
        r"(?:^|\n)[ \t#>*]*(?:system|assistant|developer)(?: prompt| message)?[ \t]*:"
        r"|</?(?:system|assistant|developer|instructions?)>"
        r"|(?:^|\n)#{2,4} ?(?:instruction|system|response)s?\b"
    ),
    "chat template": (
        r"<\|[a-z_ ]{2,40}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>"
        r"|\b(?:human|assistant): ?\n\n"
    ),
    "tool call": (
        r"</?(?:[a-z]{1,12}:)?(?:tool_calls?|function_calls?|tool_use|invoke)\b"
        r"|\"(?:tool_calls|function_call|tool_use)\"\s{0,8}:"
        r"|\{\s{0,8}\"name\"\s{0,8}:\s{0,8}\"[^\"\n]{1,80}\"\s{0,8},\s{0,8}\"(?:arguments|parameters|input)\""
    ),
    "script address": r"\b(?:javascript|vbscript)\s{0,8}:|\bdata:[a-z]{2,20}/[a-z0-9.+-]{2,60}[;,]",
    "encoded block": (
        r"[a-z0-9+/_-]{160}|(?:%[0-9a-f]{2}){24}|(?:\\x[0-9a-f]{2}){24}|(?:\\u[0-9a-f]{4}){16}"
        r"|(?:&#x?[0-9a-f]{2,6};){16}"
    ),
}


def _character_class(ranges: str) -> re.Pattern[str]:
    """One compiled class out of ranges of hexadecimal code points."""
    parts = (span.split("-") for span in ranges.split())
    inside = "".join("-".join(f"\\U{int(end, 16):08x}" for end in part) for part in parts)
    return re.compile(f"[{inside}]")


_CONTROL_NAMES = dict(enumerate(_C0_NAMES.split(","))) | {0x7F: "DELETE", 0x85: "NEXT LINE"}
_EMOJI = _character_class(EMOJI)
_JOINING = _character_class(JOINING_SCRIPTS)
_SUSPECT = re.compile(r"[^\n\t -~]")
_PROMPTS = {
    name: re.compile(pattern, re.IGNORECASE | re.ASCII) for name, pattern in PROMPT_PATTERNS.items()
}
_EMOJI_PRESENTATION, _ZWNJ, _ZWJ, _KEYCAP = "\ufe0f", "\u200c", "\u200d", "\u20e3"


@dataclass(frozen=True, slots=True)
class Invisible:
    """One character that cannot be seen, and where it stands (counted in code points from 0)."""

    position: int
    character: str

    @property
    def code_point(self) -> str:
        """The code point as people write it: `U+202E`."""
        return f"U+{ord(self.character):04X}"

    @property
    def name(self) -> str:
        """Its Unicode name, or the usual name of a control character."""
        number = ord(self.character)
        if number in _CONTROL_NAMES:
            return _CONTROL_NAMES[number]
        nameless = {"Cc": "CONTROL", "Cs": "SURROGATE"}
        kind = nameless.get(unicodedata.category(self.character), "UNASSIGNED")
        return unicodedata.name(self.character, kind)

    @property
    def label(self) -> str:
        """What its box says: `U+202E RIGHT-TO-LEFT OVERRIDE`."""
        return f"{self.code_point} {self.name}"


@dataclass(frozen=True, slots=True)
class Cut:
    """A text shortened between code points: what is shown and what is left."""

    shown: str
    rest: str

    @property
    def is_cut(self) -> bool:
        """Whether anything is left."""
        return bool(self.rest)


def invisible_characters(text: str) -> tuple[Invisible, ...]:
    """All characters of `text` that a reader cannot see, in their order."""
    return tuple(part for part in pieces(text) if isinstance(part, Invisible))


def pieces(text: str) -> Iterator[str | Invisible]:
    """`text` in order, as visible stretches and single invisible characters. Loses nothing."""
    start = 0
    for match in _SUSPECT.finditer(text):
        position = match.start()
        if not _is_invisible(match[0]) or _is_needed(text, position):
            continue
        if position > start:
            yield text[start:position]
        yield Invisible(position, match[0])
        start = position + 1
    if start < len(text):
        yield text[start:]


def prompt_patterns(text: str) -> tuple[str, ...]:
    """Names of the patterns of `PROMPT_PATTERNS` that occur in `text`; a hint, never a verdict."""
    visible = "".join(part for part in pieces(text) if isinstance(part, str))
    folded = unicodedata.normalize("NFKC", visible)
    return tuple(name for name, pattern in _PROMPTS.items() if pattern.search(folded))


def cut_characters(text: str, characters: int) -> Cut:
    """`text` cut after that many code points."""
    return Cut(text[:characters], text[characters:])


def cut_bytes(text: str, size: int) -> Cut:
    """`text` cut after the last whole code point within `size` UTF-8 bytes."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= size:
        return Cut(text, "")
    shown = encoded[:size].decode("utf-8", "ignore")
    return Cut(shown, text[len(shown) :])


def _is_invisible(character: str) -> bool:
    if unicodedata.category(character) in INVISIBLE_CATEGORIES:
        return True
    number = ord(character)
    return any(first <= number <= last for first, last in INVISIBLE_RANGES)


def _is_needed(text: str, position: int) -> bool:
    """Whether spelling or an emoji needs this character just here, so that it hides nothing."""
    character = text[position]
    before, after = text[max(position - 1, 0) : position], text[position + 1 : position + 2]
    if character == _EMOJI_PRESENTATION:
        return bool(_EMOJI.match(before)) or (before in set("0123456789#*") and after == _KEYCAP)
    if character == _ZWJ:
        base = (
            text[max(position - 2, 0) : position - 1] if before == _EMOJI_PRESENTATION else before
        )
        if _EMOJI.match(base) and _EMOJI.match(after):
            return True
    if character in {_ZWJ, _ZWNJ}:
        return _is_joining_letter(before) and _is_joining_letter(after)
    return False


def _is_joining_letter(character: str) -> bool:
    return bool(_JOINING.match(character)) and unicodedata.category(character)[0] in "LM"
