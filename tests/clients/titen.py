"""Calls as Titen's Python client 0.1.0 makes them, written from `contract.md` 8.

That client is one file that is published nowhere as a package; this does on the wire what it does.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any, Final
from urllib.parse import quote

from typing_extensions import override

TIMEOUT_SECONDS: Final = 20
DEFAULT_TOKENS: Final = 1_200


@dataclass(eq=False)
class TitenRefusal(Exception):
    """What the client reads from an answer that is no success."""

    status: int
    code: str
    message: str
    request_id: str


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: the credential is for one server."""

    @override
    def redirect_request(self, *_: object) -> None:
        """Follow none."""


@dataclass(frozen=True, slots=True)
class Titen:
    """One server and one credential; each call blocks until it is answered."""

    url: str
    token: str

    def request(
        self, method: str, path: str, body: object = None, *, idempotency_key: str | None = None
    ) -> Any:
        """The `data` of the answer; without a body no content type is sent."""
        headers = {"authorization": f"Bearer {self.token}", "accept": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        asked = urllib.request.Request(self.url + path, content, headers, method=method)  # noqa: S310 - the url is the test server's
        opener = urllib.request.build_opener(_NoRedirect())
        try:
            with opener.open(asked, timeout=TIMEOUT_SECONDS) as answer:
                return _envelope(answer.headers, answer.read())["data"]
        except urllib.error.HTTPError as error:
            with error:
                envelope = _envelope(error.headers, error.read())
            raise TitenRefusal(
                error.code,
                envelope["error"]["code"],
                envelope["error"]["message"],
                envelope["meta"]["request_id"],
            ) from None

    def observe(
        self,
        subject_id: str,
        kind: str,
        content: str,
        source: Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        **others: Any,
    ) -> Any:
        """Append one piece of evidence."""
        fields = {"kind": kind, "content": content, "source": dict(source), **others}
        body = _said(subject_id=subject_id, **fields)
        return self.request("POST", "/v1/observations", body, idempotency_key=idempotency_key)

    def consolidate(
        self,
        subject_id: str,
        claims: Iterable[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        **others: Any,
    ) -> Any:
        """Believe what the caller concludes from evidence."""
        body = _said(subject_id=subject_id, claims=[dict(claim) for claim in claims], **others)
        return self.request("POST", "/v1/consolidations", body, idempotency_key=idempotency_key)

    def compile_context(
        self, subject_id: str, task: str, *, max_tokens: int = DEFAULT_TOKENS, **others: Any
    ) -> Any:
        """Ask for a context pack."""
        body = _said(subject_id=subject_id, task=task, max_tokens=max_tokens, **others)
        return self.request("POST", "/v1/context/compile", body)

    def evidence(self, claim_id: str) -> Any:
        """Ask what a claim rests on."""
        return self.request("GET", f"/v1/claims/{quote(claim_id, safe='')}/evidence")


def _said(**fields: Any) -> dict[str, Any]:
    """What the caller said; None is left out."""
    return {name: value for name, value in fields.items() if value is not None}


def _envelope(headers: Message, content: bytes) -> dict[str, Any]:
    assert "json" in headers["content-type"].lower()
    envelope = json.loads(content.decode())
    assert isinstance(envelope, dict)
    return envelope
