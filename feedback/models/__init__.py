"""Models of reports, context runs, outcomes and signals."""

from feedback.models.context import ContextItem, ContextRun, Outcome
from feedback.models.reports import Report
from feedback.models.signals import IntegrityItem, Signal

__all__ = ["ContextItem", "ContextRun", "IntegrityItem", "Outcome", "Report", "Signal"]
