"""The frame of every page and the parts that several screens share; sign-in, projects, errors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from typing_extensions import override

from memory.vocabulary import ActorKind, Edge

if TYPE_CHECKING:
    from datetime import datetime

    from django.forms import BaseForm
    from django.utils.functional import _StrPromise as StrPromise

    from review.messages import Sentence

    Label = str | StrPromise


class Tone(StrEnum):
    """How a notice is meant; its tint."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"
    INFO = "info"


class Badge(StrEnum):
    """The closed set of badges of the screens that exist (`console.md` 10.5)."""

    CORRECT = "correct"
    ADVISORY = "advisory"
    RETRACT = "retract"
    RETRACTED = "retracted"
    REFUSED = "refused"
    PROMOTED = "promoted"
    CURRENT = "current"
    TARGET_CORRECTED = "target_corrected"
    TARGET_RETRACTED = "target_retracted"
    NEWER_VERSION = "newer_version"
    UNTRUSTED_TEXT = "untrusted_text"
    SUSPECTED = "suspected"
    OPEN = "open"
    REPORTED = "reported"
    NO_CONCERN = "no_concern"
    SUPERSEDED = "superseded"


_KINDS = {
    ActorKind.USER: _("person"),
    ActorKind.CREDENTIAL: _("agent"),
    ActorKind.ANONYMOUS: _("not signed in"),
}

_EDGES = {
    Edge.API: pgettext_lazy("edge", "API"),
    Edge.CONSOLE: pgettext_lazy("edge", "console"),
    Edge.MCP: pgettext_lazy("edge", "MCP"),
    Edge.RCP: pgettext_lazy("edge", "RCP"),
    Edge.CLI: pgettext_lazy("edge", "command line"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorLabel:
    """Who acted: "label (person)", "label (agent, MCP)". The label is data, the rest is ours."""

    label: str
    kind: ActorKind
    edge: Edge

    @property
    def edge_label(self) -> StrPromise:
        """The edge in words."""
        return _EDGES[self.edge]

    @property
    def kind_label(self) -> StrPromise:
        """Person, agent, or nobody who signed in."""
        return _KINDS[self.kind]

    @property
    def words(self) -> str:
        """What stands in brackets behind the label: kind and edge."""
        words = [self.kind_label]
        if not (self.kind is ActorKind.USER and self.edge is Edge.CONSOLE):
            words.append(self.edge_label)
        return ", ".join(str(word) for word in words)

    @override
    def __str__(self) -> str:
        """The label with the kind, as plain text."""
        return f"{self.label} ({self.words})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link with an optional key that follows it (`a`, or `g q` for a sequence)."""

    label: Label
    url: str
    key: str = ""
    is_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An action, whether this person may do it, and the sentence that says why not."""

    label: Sentence
    allowed: bool
    reason: Sentence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One message on top of a page, or about a thing on it; `takes_focus` for the former."""

    tone: Tone
    heading: Sentence
    lines: tuple[Sentence, ...] = ()
    links: tuple[Link, ...] = ()
    takes_focus: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FormProblem:
    """One line of the error summary, linked to its field by the field's id ("" for the form)."""

    text: Label | Sentence
    field_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChoice:
    """A project of the switcher."""

    name: str
    is_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHint:
    """A key of this page and what it does, for the list in the footer."""

    keys: str
    does: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The form that stores theme, density and keys in one cookie; drawn where the frame has it."""

    action: str
    form: BaseForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Everything around the content of a page.

    Without an `account` (nobody signed in) there is neither navigation nor sign-out. On pages
    with a 4xx or 5xx status `are_keys_on` is false. `refresh_url` is the address by which the
    script offers a fresh copy of an old page; empty where there is none (answers to a POST).
    """

    title: Label
    title_prefix: Label = ""  # "Error: " on 422, "Changed: " on 409
    home_url: str
    project: str = ""
    projects: tuple[ProjectChoice, ...] = ()
    switch_url: str = ""  # takes GET ?project=name
    roles: tuple[Label, ...] = ()
    navigation: tuple[Link, ...] = ()
    help: tuple[Link, ...] = ()
    account: str = ""
    sign_out_url: str = ""
    notice: Notice | None = None
    back: Link | None = None
    request_id: str = ""
    theme: str = "system"  # system, light, dark
    density: str = "comfortable"  # comfortable, compact
    are_keys_on: bool = True
    keys: tuple[KeyHint, ...] = ()
    refresh_url: str = ""
    preferences: Preferences | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What every page has. The template reads it as `screen`."""

    frame: Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """Links of a list: back to its start (absent on the first page) and on."""

    start: Link | None = None
    onward: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """Why a list has no rows, and where to go from there."""

    text: Sentence
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """A GET form of filters. `fixed` are query parameters that stay as they are (view, order)."""

    form: BaseForm
    action: str
    clear_url: str
    fixed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorScreen(Screen):
    """A page that refuses or fails: 400, 403, 404, 405, 409, 413, 429, 500, 503."""

    heading: Label
    sentences: tuple[Sentence, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInScreen(Screen):
    """S1. `next_url` is carried in a hidden field named `next`."""

    form: BaseForm
    problems: tuple[FormProblem, ...] = ()
    next_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRow:
    """A project, the person's roles there, and its open reports where a role may see them."""

    name: str
    url: str
    roles: tuple[Label, ...]
    open_reports: str | None = None  # bounded: "128", "1,000+"
    oldest_open_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectsScreen(Screen):
    """S2."""

    now: datetime
    rows: tuple[ProjectRow, ...]
    empty: Empty | None = None
