"""Models of reports, context runs, outcomes, signals and RCP sessions."""

from feedback.models.context import ContextItem, ContextRun, Outcome
from feedback.models.rcp_sessions import RcpSession
from feedback.models.reports import Report
from feedback.models.signals import IntegrityItem, Signal

__all__ = [
    "ContextItem",
    "ContextRun",
    "IntegrityItem",
    "Outcome",
    "RcpSession",
    "Report",
    "Signal",
]
