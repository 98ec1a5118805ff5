"""Routes of reports, below `/p/<project>/reports/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from review.console import promotion, reports

urlpatterns: list[URLPattern] = [
    path("", reports.list_reports, name="report-list"),
    path("<id:report_id>/", reports.get_report, name="report-get"),
    path("<id:report_id>/promote/", promotion.promote, name="report-promote"),
    path("<id:report_id>/retract/", promotion.confirm_retraction, name="report-retract"),
]
