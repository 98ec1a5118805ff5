"""Routes: the wire (`v1/`, `rcp`, `mcp`), health, documentation, the console at the root."""

from __future__ import annotations

from django.urls import include, path

from memory.http import docs
from memory.http.health import healthz, readyz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("docs/", docs.manual, name="docs"),
    path("docs/openapi.yaml", docs.openapi, name="docs-openapi"),
    path("v1/", include("memory.api.urls")),
    path("v1/", include("feedback.api.urls")),
    path("rcp", include("feedback.rcp.urls")),
    path("", include("feedback.mcp.urls")),
    path("", include("review.console.urls")),
]

handler400 = "review.console.failures.bad_request"
handler403 = "review.console.failures.denied"
handler404 = "review.console.failures.not_found"
handler500 = "review.console.failures.fault"
