"""Models of reports."""

from feedback.models.reports import Report

__all__ = ["Report"]
