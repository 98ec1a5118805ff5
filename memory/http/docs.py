"""`/docs/openapi.yaml` and the page that draws it: no credential, no session, no script needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml
from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from memory.http.manual import manual_of

if TYPE_CHECKING:
    from django.http import HttpRequest

_CACHED: Final = "max-age=300"
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same, and faster


@cache
def document_bytes() -> bytes:
    """The committed document; `make schema` writes it, `make check` proves that it is true."""
    return Path(settings.BASE_DIR, "docs", "openapi.yaml").read_bytes()


@cache
def page_text() -> str:
    """The page, which is the same for everybody."""
    document = yaml.load(document_bytes(), Loader=_LOADER)  # noqa: S506 - a safe loader
    return render_to_string("docs/manual.html", {"manual": manual_of(document)})


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the shape of a view
    """Answer with the OpenAPI document."""
    return HttpResponse(
        document_bytes(),
        content_type="application/yaml; charset=utf-8",
        headers={"Cache-Control": _CACHED},
    )


@require_safe
def manual(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the shape of a view
    """Answer with the page."""
    return HttpResponse(page_text(), headers={"Cache-Control": _CACHED})
