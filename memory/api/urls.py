"""Routes of `/v1/records` and `/v1/citations`."""

from __future__ import annotations

from django.urls import path

from memory.api import views

app_name = "memory"

urlpatterns = [
    path("records/assert", views.AssertRecordsView.as_view(), name="record-assert"),
    path("records/correct", views.CorrectRecordsView.as_view(), name="record-correct"),
    path("records/retract", views.RetractRecordsView.as_view(), name="record-retract"),
    path("records/list", views.ListRecordsView.as_view(), name="record-list"),
    path("records/get", views.GetRecordView.as_view(), name="record-get"),
    path("records/history", views.GetHistoryView.as_view(), name="record-history"),
    path("citations/resolve", views.ResolveCitationsView.as_view(), name="citation-resolve"),
]
