"""Models of reports, context runs and outcomes."""

from feedback.models.context import ContextItem, ContextRun, Outcome
from feedback.models.reports import Report

__all__ = ["ContextItem", "ContextRun", "Outcome", "Report"]
