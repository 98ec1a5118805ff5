"""S2: the projects of a person, and the way into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from feedback.queries.open_reports import count_open_reports_of
from memory.vocabulary import Role
from review import policies
from review.console.access import member_view, person_view
from review.console.frame import bounded, frame_of, redirect, render, role_words
from review.console.pages import not_found_page
from review.console.visit import project_of, visit_of
from review.messages import sentence
from review.screens import Empty, ProjectRow, ProjectsScreen

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from feedback.queries.open_reports import OpenReports
    from memory.actor import Actor
    from memory.queries.members import ProjectRoles


@person_view
def start(_request: HttpRequest) -> HttpResponse:
    """The root leads to the projects."""
    return redirect(reverse("review:project-list"))


@person_view
def list_projects(request: HttpRequest) -> HttpResponse:
    """The projects in which somebody has a role; a single one opens by itself.

    With `?project=name`, which the switcher sends, that one opens.
    """
    projects = visit_of(request).projects
    names = [project.name for project in projects]
    wanted = request.GET.get("project")
    if wanted is not None:
        return _opened(wanted) if wanted in names else not_found_page(request)
    if len(names) == 1:
        return _opened(names[0])
    return render(request, _screen(request, projects), "review/projects.html")


@member_view
def open_project(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A project leads to the first screen that the role has."""
    is_reader = policies.can_see_queue(actor).is_allowed
    first = "review:report-list" if is_reader else "review:audit-list"
    return redirect(reverse(first, args=[project_of(request).name]))


def _opened(name: str) -> HttpResponse:
    return redirect(reverse("review:project-open", args=[name]))


def _screen(request: HttpRequest, projects: tuple[ProjectRoles, ...]) -> ProjectsScreen:
    readable = [project.project_id for project in projects if Role.READER in project.roles]
    reports = count_open_reports_of(readable)
    empty = None if projects else Empty(text=sentence("projects_empty"))
    return ProjectsScreen(
        frame=frame_of(request, None, title=_("Projects")),
        now=reports.now,
        rows=tuple(
            _row(project, reports.by_project.get(project.project_id)) for project in projects
        ),
        empty=empty,
    )


def _row(project: ProjectRoles, reports: OpenReports | None) -> ProjectRow:
    return ProjectRow(
        name=project.name,
        url=reverse("review:project-open", args=[project.name]),
        roles=role_words(project.roles),
        open_reports=None if reports is None else bounded(reports.count),
        oldest_open_at=None if reports is None else reports.oldest_at,
    )
