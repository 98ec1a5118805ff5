"""Notices that outlive a redirect: codes and values in the session, never markup."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import messages

from review.messages import Sentence
from review.screens import Link, Notice, Tone

if TYPE_CHECKING:
    from django.http import HttpRequest


def leave_notice(request: HttpRequest, notice: Notice) -> None:
    """Keep a notice for the next page that this person opens.

    Values of its sentences are texts, whole numbers, times or sentences.
    """
    kept = {
        "tone": notice.tone.value,
        "heading": _packed(notice.heading),
        "lines": [_packed(line) for line in notice.lines],
        "links": [{"label": str(link.label), "url": link.url} for link in notice.links],
    }
    messages.add_message(request, messages.INFO, json.dumps(kept))


def take_notice(request: HttpRequest) -> Notice | None:
    """The notice that was left last, if any; all that were left are gone then."""
    left = [str(message) for message in messages.get_messages(request)]
    if not left:
        return None
    kept = json.loads(left[-1])
    return Notice(
        tone=Tone(kept["tone"]),
        heading=_unpacked(kept["heading"]),
        lines=tuple(_unpacked(line) for line in kept["lines"]),
        links=tuple(Link(**link) for link in kept["links"]),
    )


def _packed(value: Any) -> Any:
    if isinstance(value, Sentence):
        values = {name: _packed(inner) for name, inner in value.values.items()}
        return {"code": value.code, "values": values}
    if isinstance(value, datetime):
        return {"time": value.isoformat()}
    return value if isinstance(value, int) else str(value)


def _unpacked(kept: Any) -> Any:
    if not isinstance(kept, dict):
        return kept
    if "time" in kept:
        return datetime.fromisoformat(kept["time"])
    values = {name: _unpacked(inner) for name, inner in kept["values"].items()}
    return Sentence(kept["code"], values)
