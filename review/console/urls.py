"""Routes of the console; those of reports and records stand beside their views."""

from __future__ import annotations

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from review.console import (
    addresses,
    audit_log,
    components,
    help,
    integrity,
    integrity_item,
    preferences_view,
    projects,
    runs,
    sign_in,
    trouble,
)

app_name = "review"
addresses.register()

_project: list[URLPattern | URLResolver] = [
    path("", projects.open_project, name="project-open"),
    path("reports/", include("review.console.report_urls")),
    path("records/", include("review.console.record_urls")),
    path("runs/", runs.list_runs, name="run-list"),
    path("runs/<id:run_id>/", runs.get_run, name="run-get"),
    path("trouble/", trouble.list_trouble, name="trouble-list"),
    path("integrity/", integrity.list_items, name="integrity-list"),
    path("integrity/<id:item_id>/", integrity_item.get_item, name="integrity-get"),
    path("integrity/<id:item_id>/decide/", integrity_item.decide, name="integrity-decide"),
    path("integrity/<id:item_id>/reopen/", integrity_item.reopen, name="integrity-reopen"),
    path("audit/", audit_log.list_entries, name="audit-list"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", projects.start, name="start"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("prefs/", preferences_view.save_preferences, name="preferences-save"),
    path("projects/", projects.list_projects, name="project-list"),
    path("help/", help.show_help, name="help"),
    path("help/keys/", help.list_keys, name="help-keys"),
    path("p/<project:project>/", include(_project)),
]

if settings.COMPONENTS_PAGE:
    urlpatterns.append(path("_components/", components.components, name="components"))
