"""The one route of tools."""

from __future__ import annotations

from django.urls import path

from feedback.mcp.views import endpoint

app_name = "mcp"

urlpatterns = [path("mcp", endpoint, name="endpoint")]
