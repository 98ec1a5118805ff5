"""Registers the app; nothing else runs at import."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """The app `review`."""

    name = "review"
