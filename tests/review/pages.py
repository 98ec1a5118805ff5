"""Reading a page as a person does: its words, its links, the fields and buttons of its forms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Any

from typing_extensions import override

_VOID = {"meta", "link", "input", "br", "img", "hr"}
_HIDDEN = {"script", "style", "head"}


@dataclass(slots=True)
class Form:
    """A form: where it goes, its hidden fields, the words on its buttons by name and value."""

    action: str
    method: str
    hidden: dict[str, str] = field(default_factory=dict)
    buttons: dict[tuple[str, str], str] = field(default_factory=dict)


class Page(HTMLParser):
    """One page. `text` has single spaces; `links` maps words to addresses, the first of each."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.status: int = answer.status_code
        self.html: str = answer.content.decode()
        self.links: dict[str, str] = {}
        self.forms: list[Form] = []
        self.focused = ""
        self._words: list[str] = []
        self._open: list[tuple[str, dict[str, str | None], int]] = []
        self.feed(self.html)
        self.text = _spaced("".join(self._words))

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where an element begins."""
        given = dict(attrs)
        if tag == "form":
            action, method = given.get("action") or "", given.get("method") or "get"
            self.forms.append(Form(action, method))
        if tag == "input" and given.get("type") == "hidden":
            self.forms[-1].hidden[given["name"] or ""] = given.get("value") or ""
        if tag not in _VOID:
            self._open.append((tag, given, len(self._words)))

    @override
    def handle_endtag(self, tag: str) -> None:
        """Take up the words of a link, a button or what has the focus."""
        opened, given, start = self._open.pop()
        assert opened == tag, f"{opened} closed by {tag}"
        words = _spaced("".join(self._words[start:]))
        if tag == "a":
            self.links.setdefault(words, given.get("href") or "")
        if tag == "button" and "name" in given:
            self.forms[-1].buttons[given["name"] or "", given.get("value") or ""] = words
        if "autofocus" in given and not self.focused:
            self.focused = words

    @override
    def handle_data(self, data: str) -> None:
        """Keep the words that a screen reader says; arrows and keys in their boxes are none."""
        is_said = all(
            tag not in _HIDDEN and given.get("aria-hidden") != "true"
            for tag, given, _start in self._open
        )
        if is_said:
            self._words.append(data)

    @property
    def title(self) -> str:
        """The title of the window."""
        return self.html.partition("<title>")[2].partition("</title>")[0]

    @property
    def promotion(self) -> Form:
        """The form that promotes."""
        return next(form for form in self.forms if form.action.endswith("/promote/"))

    def form_to(self, action: str) -> Form | None:
        """The form that goes to an address, if there is one."""
        return next((form for form in self.forms if form.action == action), None)

    @property
    def can_promote(self) -> bool:
        """Whether there is one."""
        return any(form.action.endswith("/promote/") for form in self.forms)

    @property
    def hinted_keys(self) -> set[str]:
        """The keys that the foot of the page speaks of."""
        return {unescape(key) for key in re.findall(r"<dt><kbd>(.+?)</kbd></dt>", self.html)}

    @property
    def working_keys(self) -> set[str]:
        """The keys that do something here, but for those of the whole console."""
        bound = re.findall(r'data-key(?:-focus)?="([^"]+)"', self.html)
        keys = {key for keys in bound for key in keys.split("|") if len(key) == 1 and key != "?"}
        return keys | (set("jko") if "data-row" in self.html else set())

    def rows(self) -> list[str]:
        """The rows of the list, as text."""
        found = re.findall(r'<tr class="row".*?</tr>', self.html, re.DOTALL)
        return [_spaced(re.sub("<[^>]+>", " ", row)) for row in found]


def _spaced(text: str) -> str:
    return " ".join(text.split())
