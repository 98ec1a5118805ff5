"""Template tags of the console: untrusted text, quotes, times, ids, badges, actors, shells.

Markup is built by `format_html` alone, so a value from data cannot reach a page unescaped.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from django import template
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from review.flags import Invisible, cut_bytes, cut_characters, invisible_characters, pieces
from review.flags import prompt_patterns as find_prompt_patterns
from review.messages import Sentence, plain
from review.messages import sentence as make_sentence
from review.screens import ActorLabel, Badge

if TYPE_CHECKING:
    from uuid import UUID

    from django.utils.functional import _StrPromise as StrPromise
    from django.utils.safestring import SafeString

    from review.changes import ChangeTable, Piece

NOTE_CHARACTERS: Final = 1_200  # a longer note or statement folds
QUOTE_BYTES: Final = 2_048  # a longer quote folds
CHANGE_CHARACTERS: Final = 400  # what a cell of the change table shows of a longer text
CELL_CHARACTERS: Final = 200  # what a list cell holds at most
CONTEXT_LINES: Final = 2
CONTEXT_CHARACTERS: Final = 240  # per side; a line may be endless

BADGES: Final[dict[Badge, tuple[str, StrPromise]]] = {
    Badge.CORRECT: ("badge badge-info", gettext_lazy("Correct")),
    Badge.ADVISORY: ("badge badge-info", gettext_lazy("Advisory")),
    Badge.RETRACT: ("badge badge-bad", gettext_lazy("Retract")),
    Badge.RETRACTED: ("badge badge-bad", gettext_lazy("Retracted")),
    Badge.REFUSED: ("badge badge-bad", gettext_lazy("Refused")),
    Badge.PROMOTED: ("badge badge-ok", gettext_lazy("Promoted")),
    Badge.CURRENT: ("badge badge-ok", gettext_lazy("Current")),
    Badge.TARGET_CORRECTED: ("badge badge-warn", gettext_lazy("Target corrected")),
    Badge.TARGET_RETRACTED: ("badge badge-warn", gettext_lazy("Target retracted")),
    Badge.NEWER_VERSION: ("badge badge-warn", gettext_lazy("Newer version")),
    Badge.UNTRUSTED_TEXT: ("badge badge-warn", gettext_lazy("Untrusted text")),
    Badge.SUSPECTED: ("badge badge-warn", gettext_lazy("Suspected")),
    Badge.OPEN: ("badge badge-neutral", gettext_lazy("Open")),
    Badge.REPORTED: ("badge badge-neutral", gettext_lazy("Reported")),
    Badge.NO_CONCERN: ("badge badge-neutral", gettext_lazy("No concern")),
    Badge.SUPERSEDED: ("badge badge-neutral", gettext_lazy("Superseded")),
}

_TIME_FORMATS: Final = {
    "minute": ("%Y-%m-%d %H:%M", ":%S UTC"),
    "second": ("%Y-%m-%d %H:%M:%S UTC", ""),
    "bare": ("%Y-%m-%d %H:%M:%S", ""),
}

register = template.Library()


# Text from data


@register.simple_tag
def untrusted(text: str, form: str = "inline", cut: int = 0) -> SafeString:
    """Text from data, escaped and isolated, with boxes for what cannot be seen.

    `form` is `inline`; `cell` or `line` in a list, cut at 200 characters (a line also ends where
    its cell does, on the side where its text ends); or `note` or `statement`: a block that keeps
    line breaks, folds, and says what is odd about it. They differ in what the fold says. `cut`
    shortens an inline value.
    """
    if form in {"inline", "cell", "line"}:
        css = {"inline": "value", "cell": "", "line": "line"}[form]
        return _inline(text, cut if form == "inline" else CELL_CHARACTERS, css)
    code = {"note": "note_left", "statement": "text_left"}[form]
    folded = cut_characters(text, NOTE_CHARACTERS)
    return format_html(
        '{}<div class="text" dir="auto" data-text>{}{}</div>',
        flags(text),
        _visible(folded.shown),
        _fold_of(_visible(folded.rest), folded.rest, code),
    )


@register.simple_tag
def flags(text: str) -> SafeString:
    """The sentences that stand above a text with invisible characters or prompt-like parts."""
    lines: list[SafeString] = []
    if count := len(invisible_characters(text)):
        lines.append(message("invisible", n=count))
    if find_prompt_patterns(text):
        lines.append(format_html("{} {}", badge(Badge.UNTRUSTED_TEXT), message("prompt_like")))
    return format_html_join("", '<p class="flag">{}</p>', ((line,) for line in lines))


@register.simple_tag
def change_flags(change: ChangeTable) -> SafeString | str:
    """The sentences above a change table whose added values hold invisible characters."""
    count = len(invisible_characters(change.added_text))
    if not count:
        return ""
    return format_html(
        '<p class="flag">{} {}</p>',
        message("invisible", n=count),
        message("invisible_change", n=count),
    )


@register.simple_tag
def quoted(text: str, byte_start: int, byte_end: int) -> SafeString:
    """A message with the cited bytes in a `mark`, between two lines of context on each side."""
    encoded = text.encode("utf-8", "surrogatepass")
    before, cited, after = (
        stretch.decode("utf-8", "replace")
        for stretch in (encoded[:byte_start], encoded[byte_start:byte_end], encoded[byte_end:])
    )
    head, tail = _last_lines(before), _first_lines(after)
    shown = cut_bytes(cited, QUOTE_BYTES)
    gaps = [format_html("<span data-skip>{}</span>", gap) for gap in ("…\n", "\n…")]
    rest = format_html("<mark>{}</mark>", _visible(shown.rest))
    return format_html(
        '{}<blockquote class="quote text" dir="auto" data-text>'
        "{}{}<mark>{}</mark>{}{}{}</blockquote>",
        flags(cited),
        gaps[0] if len(head) < len(before) else "",
        _visible(head),
        _visible(shown.shown),
        _fold_of(rest, shown.rest, "text_left"),
        _visible(tail),
        gaps[1] if len(tail) < len(after) else "",
    )


@register.simple_tag
def changed(side: str, value: tuple[Piece, ...], *, is_cut: bool = False) -> SafeString:
    """One side of a change: hidden word, then the value with its changed words struck or added.

    `is_cut` shortens it without a fold, where the whole text stands elsewhere on the page: a
    fold would be one more stop on the way to the primary action.
    """
    if not value:
        return format_html('<span class="hint">{}</span>', _("nothing"))
    room = CHANGE_CHARACTERS if is_cut else sum(len(piece.text) for piece in value)
    shown: list[tuple[SafeString]] = []
    left = 0
    for piece in value:
        cut = cut_characters(piece.text, room)
        room -= len(cut.shown)
        left += len(cut.rest)
        markup = {"removed": "<del>{}</del>", "added": "<ins>{}</ins>"}[side]
        if cut.shown:
            shown.append((format_html(markup if piece.is_changed else "{}", _visible(cut.shown)),))
    more = message(f"{side}_left", n=left) if left else ""
    return format_html(
        '<span class="change-word">{} </span><bdi class="value" data-text>{}</bdi>{}',
        {"removed": _("Removed:"), "added": _("Added:")}[side],
        format_html_join("", "{}", shown),
        format_html(' <span class="hint">{}</span>', more) if more else "",
    )


def _inline(text: str, cut: int, css_class: str) -> SafeString:
    shortened = cut_characters(text, cut) if cut else cut_characters(text, len(text))
    css = format_html(' class="{}"', css_class) if css_class else ""
    more = format_html("<span data-skip>{}</span>", "…") if shortened.is_cut else ""
    return format_html("<bdi{}>{}{}</bdi>", css, _visible(shortened.shown), more)


def _visible(text: str) -> SafeString:
    """`text` escaped, each invisible character as a box that is isolated from its neighbours."""
    return format_html_join("", "{}", ((_piece(piece),) for piece in pieces(text)))


def _piece(piece: str | Invisible) -> str | SafeString:
    if isinstance(piece, str):
        return piece
    return format_html(
        '<bdi class="chip" data-char="{}">{}</bdi>',
        piece.code_point.removeprefix("U+"),
        piece.label,
    )


def _fold_of(markup: SafeString, rest: str, code: str) -> SafeString | str:
    if not rest:
        return ""
    return format_html(
        '<details class="fold"><summary class="fold-summary" data-skip>{}</summary>{}</details>',
        sentence(make_sentence(code, n=len(rest))),
        markup,
    )


def _last_lines(text: str) -> str:
    lines = text.split("\n")[-CONTEXT_LINES - 1 :]
    return "\n".join(lines)[-CONTEXT_CHARACTERS:]


def _first_lines(text: str) -> str:
    lines = text.split("\n")[: CONTEXT_LINES + 1]
    return "\n".join(lines)[:CONTEXT_CHARACTERS]


# Sentences, times, names


@register.simple_tag
def sentence(value: Sentence | str | Promise) -> SafeString:
    """A sentence of the message table with its values isolated, or a plain label."""
    if not isinstance(value, Sentence):
        return format_html("{}", str(value))
    if not value.values:
        return format_html("{}", value.pattern)
    return format_html(
        value.pattern, **{name: _sentence_value(inner) for name, inner in value.values.items()}
    )


@register.simple_tag
def message(code: str, **values: object) -> SafeString:
    """The sentence of `code`, for texts that belong to a template and not to a screen."""
    return sentence(make_sentence(code, **values))


def _sentence_value(value: object) -> str | SafeString:
    if isinstance(value, ActorLabel):
        return actor(value)
    if isinstance(value, Sentence):
        return sentence(value)
    if isinstance(value, datetime):
        return utc(value, precision="bare")
    if isinstance(value, int):
        return plain(value)
    return _inline(str(value), 0, "value")


@register.simple_tag
def utc(at: datetime, now: datetime | None = None, precision: str = "second") -> SafeString:
    """A time in UTC, and its age behind it where `now` is given.

    `precision` is `second`, `minute` (for columns headed UTC; the rest is hidden text),
    `millisecond` (audit log) or `bare` (in a sentence that says UTC itself).
    """
    moment = at.astimezone(UTC)
    if precision == "millisecond":
        shown, hidden = f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}", " UTC"
    else:
        shown, hidden = (f"{moment:{part}}" if part else "" for part in _TIME_FORMATS[precision])
    rest = format_html('<span class="visually-hidden">{}</span>', hidden) if hidden else ""
    element = format_html(
        '<time datetime="{}">{}{}</time>', f"{moment:%Y-%m-%dT%H:%M:%SZ}", shown, rest
    )
    return format_html("{} · {}", element, age(at, now)) if now else element


@register.simple_tag
def age(at: datetime, now: datetime) -> str:
    """How old `at` is at `now`, in one unit. Never negative: both come from the database."""
    seconds = max(int((now - at).total_seconds()), 0)
    if seconds < 60:
        return pgettext("age", "under 1 min")
    if seconds < 3_600:
        return pgettext("age", "{n} min").format(n=seconds // 60)
    if seconds < 86_400:
        return pgettext("age", "{n} h").format(n=seconds // 3_600)
    return pgettext("age", "{n} d").format(n=f"{seconds // 86_400:,}")


@register.simple_tag
def share(value: float) -> SafeString:
    """A number in [0, 1] with three decimals, behind a bar that only decorates it."""
    return format_html(
        '<svg class="bar" viewBox="0 0 100 25" aria-hidden="true">'
        '<rect width="{}" height="25"/></svg>{}',
        round(value * 100),
        f"{value:.3f}",
    )


@register.simple_tag
def badge(name: Badge) -> SafeString:
    """A badge of the closed set."""
    css, word = BADGES[name]
    return format_html('<span class="{}">{}</span>', css, word)


@register.simple_tag
def actor(label: ActorLabel) -> SafeString:
    """Who acted: the label isolated, the kind and the edge in our words."""
    return format_html("{} ({})", _inline(label.label, 0, ""), label.words)


@register.simple_tag
def short_id(value: UUID | str) -> SafeString:
    """The first 8 characters of an id (behind its prefix); the rest is only printed."""
    text = str(value)
    shown = 12 if text.startswith("req_") else 8
    return format_html('<code>{}<span class="id-rest">{}</span></code>', text[:shown], text[shown:])


@register.simple_tag
def version(number: int, token: UUID | str) -> SafeString:
    """A version by number and the beginning of its token: "version 2, 91c0a3f7"."""
    return format_html("{}, {}", _("version {n}").format(n=plain(number)), short_id(token))


@register.simple_tag
def copy(value: UUID | str, what: str) -> SafeString:
    """A button that copies `value`; hidden until the script that serves it runs."""
    return format_html(
        '<button type="button" class="button copy" data-copy="{}" hidden>{} '
        '<span class="visually-hidden">{}</span></button>',
        value,
        _("Copy"),
        what,
    )


# Keys


@register.simple_tag
def key_attributes(key: str, does: str = "follow") -> SafeString | str:
    """Attributes that bind a key to a link (`follow`) or to what it focuses (`focus`).

    `s|j` is one key or the other, `g q` one after the other; only single keys are told to
    assistive tools, because a space in aria-keyshortcuts means "or".
    """
    if not key:
        return ""
    single = " ".join(choice for choice in key.split("|") if len(choice) == 1)
    shortcut = format_html(' aria-keyshortcuts="{}"', single) if single else ""
    name = {"follow": "data-key", "focus": "data-key-focus"}[does]
    return format_html(' {}="{}"{}', name, key, shortcut)


@register.simple_tag
def key_hint(key: str) -> SafeString | str:
    """The key in a box beside the label of what it does; its attribute tells assistive tools."""
    return format_html('<kbd aria-hidden="true">{}</kbd>', key.split("|")[0]) if key else ""


# Shells around content


@register.simple_tag
def columns(*labels: str, numbers: str = "") -> SafeString:
    """The head of a table. `numbers` lists the positions of columns of numbers, from 1."""
    right = {int(position) for position in numbers.split()}
    cells = format_html_join(
        "",
        '<th class="column{}" role="columnheader" scope="col">{}</th>',
        ((" cell-number" if n in right else "", label) for n, label in enumerate(labels, 1)),
    )
    return format_html(
        '<thead class="table-head" role="rowgroup"><tr role="row">{}</tr></thead>', cells
    )


@register.simple_block_tag
def table(content: str, name: str, caption: str) -> str:
    """A table in a region that its caption names; the caption states content and order."""
    context = {"content": content, "name": name, "caption": caption}
    return render_to_string("includes/_table.html", context)


@register.simple_block_tag
def panel(content: str, name: str, title: str, key: str = "", tone: str = "") -> str:
    """A titled box that a key can move to. `tone` is empty or `strong`."""
    context = {"content": content, "name": name, "title": title, "key": key, "tone": tone}
    return render_to_string("includes/_panel.html", context)


@register.simple_block_tag
def fold(content: str, summary: str) -> str:
    """Content that opens on demand, without script."""
    return render_to_string("includes/_fold.html", {"content": content, "summary": summary})
