"""The page of a list that somebody came from, as the signed field `from` that leads back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from django.core.signing import BadSignature, Signer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID


@dataclass(frozen=True, slots=True)
class Origins:
    """Signs the pages of one list, which nobody can make up."""

    list_name: str

    def sign(self, query: Mapping[str, str], project_id: UUID) -> str:
        """A page as the field `from`; empty for the start of the list."""
        return self._signer(project_id).sign(urlencode(query)) if query else ""

    def query(self, text: str | None, project_id: UUID) -> dict[str, str]:
        """The page that `from` names; the start of the list for anything that we did not sign."""
        try:
            return dict(parse_qsl(self._signer(project_id).unsign(text or "")))
        except BadSignature:
            return {}

    def _signer(self, project_id: UUID) -> Signer:
        return Signer(sep=".", salt=f"errata.{self.list_name}.1:{project_id}")


RUN_ORIGINS: Final = Origins("runs")
INTEGRITY_ORIGINS: Final = Origins("integrity")
