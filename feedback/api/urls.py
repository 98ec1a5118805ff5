"""Routes of `/v1/feedback`."""

from __future__ import annotations

from django.urls import path

from feedback.api import views

app_name = "feedback"

urlpatterns = [
    path("feedback/record", views.RecordReportView.as_view(), name="report-record"),
    path("feedback/list", views.ListReportsView.as_view(), name="report-list"),
    path("feedback/promote", views.PromoteReportView.as_view(), name="report-promote"),
]
