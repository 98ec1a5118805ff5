"""Routes of records, below `/p/<project>/records/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from review.console import doubt, records

urlpatterns: list[URLPattern] = [
    path("<id:record_id>/", records.get_record, name="record-get"),
    path("<id:record_id>/versions/", records.list_versions, name="record-versions"),
    path("<id:record_id>/versions/<ordinal:number>/", records.get_version, name="record-version"),
    path("<id:record_id>/compare/", records.compare_versions, name="record-compare"),
    path("<id:record_id>/history/", records.list_events, name="record-history"),
    path("<id:record_id>/report/", doubt.report_doubt, name="record-report"),
    path("<id:record_id>/reports/", records.list_reports, name="record-reports"),
    path("<id:record_id>/runs/", records.list_runs, name="record-runs"),
    path("<id:record_id>/signals/", records.list_signals, name="record-signals"),
]
