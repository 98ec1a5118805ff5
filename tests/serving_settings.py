"""Gunicorn's settings in tests: the product's, without its refusal of a database to throw away."""

from __future__ import annotations

from importlib import import_module

import django
from django.core.management import call_command
from gunicorn.arbiter import Arbiter

from config.web_server import *  # noqa: F403 - the same settings, but for one step


def on_starting(server: Arbiter) -> None:  # type: ignore[no-redef] # noqa: ARG001
    """Collect static files and load the code; a database of tests need not be durable."""
    django.setup()
    call_command("collectstatic", interactive=False, verbosity=0)
    for name in ("config.urls", "mcp.server"):  # once here instead of once in each worker
        import_module(name)
