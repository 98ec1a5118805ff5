"""Routes of reports, recalls, contexts, outcomes and signals."""

from __future__ import annotations

from django.urls import path

from feedback.api import context_views, signal_views, views

app_name = "feedback"

urlpatterns = [
    path("feedback/record", views.RecordReportView.as_view(), name="report-record"),
    path("feedback/list", views.ListReportsView.as_view(), name="report-list"),
    path("feedback/promote", views.PromoteReportView.as_view(), name="report-promote"),
    path("recalls", context_views.RecallView.as_view(), name="recall"),
    path("context/compile", context_views.CompileContextView.as_view(), name="context-compile"),
    path("context/runs", context_views.ListRunsView.as_view(), name="context-list"),
    path("context/outcomes", context_views.ListOutcomesView.as_view(), name="outcome-list"),
    path("context/<str:context_id>", context_views.GetContextView.as_view(), name="context-get"),
    path(
        "context/<str:context_id>/feedback",
        context_views.RecordOutcomeView.as_view(),
        name="outcome-record",
    ),
    path(
        "claims/<str:claim_id>/outcomes",
        context_views.SummariseOutcomesView.as_view(),
        name="outcome-summary",
    ),
    path("signals/list", signal_views.ListSignalsView.as_view(), name="signal-list"),
    path("signals/summary", signal_views.SummariseSignalsView.as_view(), name="signal-summary"),
]
