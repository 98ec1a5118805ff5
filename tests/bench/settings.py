"""Settings of the measured server: production's, and one route more."""

from __future__ import annotations

from config.settings.production import *  # noqa: F403 - a settings module is the sum of its base

ROOT_URLCONF = "tests.bench.urls"
