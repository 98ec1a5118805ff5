"""Routes of records, citations, observations, contexts, consolidations and evidence."""

from __future__ import annotations

from django.urls import path

from memory.api import loop_views, views

app_name = "memory"

urlpatterns = [
    path("records/assert", views.AssertRecordsView.as_view(), name="record-assert"),
    path("records/correct", views.CorrectRecordsView.as_view(), name="record-correct"),
    path("records/retract", views.RetractRecordsView.as_view(), name="record-retract"),
    path("records/list", views.ListRecordsView.as_view(), name="record-list"),
    path("records/get", views.GetRecordView.as_view(), name="record-get"),
    path("records/history", views.GetHistoryView.as_view(), name="record-history"),
    path("citations/resolve", views.ResolveCitationsView.as_view(), name="citation-resolve"),
    path("observations", loop_views.ObserveView.as_view(), name="source-observe"),
    path("freshness", loop_views.FreshnessView.as_view(), name="freshness"),
    path("contexts", loop_views.AssembleContextView.as_view(), name="context-assemble"),
    path("consolidations", loop_views.ConsolidateView.as_view(), name="record-consolidate"),
    path(
        "claims/<str:claim_id>/evidence",
        loop_views.GetEvidenceView.as_view(),
        name="record-evidence",
    ),
]
