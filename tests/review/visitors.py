"""People at the console: a browser without script, signed in by the form that people use."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.db import connection
from django.test import Client
from django.urls import reverse

from memory.actor import Actor
from tests.factories import PASSWORD

ENTRIES = """
SELECT operation, outcome, code, magnitude, edge, request_id
FROM memory_auditentry WHERE actor_id = %s AND edge = 'console' ORDER BY recorded_at, operation
"""


def sign_in(client: Client, name: str, password: str = PASSWORD, **fields: str) -> Any:
    """Send the sign-in form."""
    form = {"name": name, "password": password, **fields}
    return client.post(reverse("review:sign-in"), form)


def visitor(actor: Actor, **options: Any) -> Client:
    """A browser in which somebody has signed in."""
    client = Client(**options)
    answer = sign_in(client, actor.label)
    assert answer.status_code == 303, answer.content
    return client


def entries_of(actor: Actor) -> list[tuple[str, str, str, int]]:
    """Operation, outcome, code and magnitude of what somebody did at the console, in order."""
    with connection.cursor() as cursor:
        cursor.execute(ENTRIES, [actor.id])
        return [row[:4] for row in cursor.fetchall()]


def words_of(answer: Any) -> str:
    """What a page says, without markup and with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", answer.content.decode())).split())
