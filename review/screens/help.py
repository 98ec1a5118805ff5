"""The screens of the help: what words and roles mean, how utility comes about, the keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from review.screens.frame import Screen

if TYPE_CHECKING:
    from review.screens.frame import KeyHint, Label, Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A word and what it means."""

    name: Label
    meaning: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingExplanation:
    """A setting of a project: what it does, what that protects from, and what it is unasked."""

    name: str
    does: Label
    protects: Label
    default: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpScreen(Screen):
    """S4."""

    words: tuple[Explanation, ...]
    roles: tuple[Explanation, ...]
    settings: tuple[SettingExplanation, ...]
    keys: Link


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyGroup:
    """The keys of one kind of page."""

    name: str
    title: Label
    hints: tuple[KeyHint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysScreen(Screen):
    """S4, the keys."""

    groups: tuple[KeyGroup, ...]
    help: Link
