"""Registers the app; nothing else runs at import."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from typing_extensions import override


class ReviewConfig(AppConfig):
    """The app `review`."""

    name = "review"

    @override
    def ready(self) -> None:
        """Keep Django from noting the last sign-in: nobody reads it, and it costs a write."""
        user_logged_in.disconnect(dispatch_uid="update_last_login")
