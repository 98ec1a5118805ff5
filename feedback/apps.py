"""Registers the app, and plugs it into what `memory` does with records."""

from __future__ import annotations

from django.apps import AppConfig
from typing_extensions import override


class FeedbackConfig(AppConfig):
    """The app `feedback`."""

    name = "feedback"

    @override
    def ready(self) -> None:
        """Fill the hooks of `memory`, once the models are loaded."""
        from feedback.operations.close_targets import close_targets  # noqa: PLC0415 - needs models
        from feedback.queries.reports import count_open_reports  # noqa: PLC0415 - needs models
        from feedback.queries.runs import has_run  # noqa: PLC0415 - needs models
        from memory import hooks  # noqa: PLC0415 - the same

        hooks.on_record_closed.append(close_targets)
        hooks.open_report_counts.append(count_open_reports)
        hooks.context_run_checks.append(has_run)
