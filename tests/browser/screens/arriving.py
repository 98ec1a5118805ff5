"""Signing in, choosing a project, preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.vocabulary import Role
from tests.browser.screens.matrix import VISITOR, shown
from tests.factories import PASSWORD, a_project, grant

if TYPE_CHECKING:
    from tests.browser.scene import Scene
    from tests.browser.windows import Window


@shown("start", VISITOR)
def first_visit(window: Window, _scene: Scene) -> None:
    window.goto("/")


@shown("sign-in", VISITOR)
def signed_out_meanwhile(window: Window, _scene: Scene) -> None:
    window.goto("/sign-in/?lost=1&next=/projects/")


@shown("sign-in", VISITOR, status=422)
def nothing_typed(window: Window, _scene: Scene) -> None:
    window.goto("/sign-in/")
    window.page.locator("main form").evaluate("form => { form.noValidate = true }")
    window.click("Sign in")


@shown("sign-in", VISITOR, status=422)
def wrong_password(window: Window, _scene: Scene) -> None:
    attempt(window, "rival", "wrong")


@shown("sign-in", VISITOR, status=429)
def locked(window: Window, _scene: Scene) -> None:
    for _ in range(6):
        attempt(window, "who-is-this", "wrong")


@shown("components", VISITOR)
def components(window: Window, _scene: Scene) -> None:
    window.goto("/_components/")


@shown("sign-out", VISITOR, status=405)
def sign_out_by_address(window: Window, _scene: Scene) -> None:
    window.goto("/sign-out/")


@shown("preferences-save", "reviewer")
def preferences_saved(window: Window, _scene: Scene) -> None:
    window.goto("/p/demo/reports/?view=ready")
    window.page.get_by_text("Appearance and keys").click()
    window.click("Save preferences")


@shown("project-list", "nobody")
def no_project(window: Window, _scene: Scene) -> None:
    window.goto("/projects/")


@shown("project-list", "reviewer")
def projects(window: Window, scene: Scene) -> None:
    scene.correction()
    grant(a_project("another")[1], "reviewer", Role.AUDITOR)
    window.goto("/projects/")


@shown("project-open", "owner")
def only_project(window: Window, scene: Scene) -> None:
    scene.correction()
    window.goto("/projects/")


@shown("help", "reviewer", "nobody")
def help_page(window: Window, _scene: Scene) -> None:
    window.goto("/projects/")
    window.follow("Help")


@shown("help-keys", "auditor", "nobody")
def keys_page(window: Window, _scene: Scene) -> None:
    window.goto("/help/")
    window.follow("All keys")


@shown("help-keys", "owner")
def keys_page_of_many_projects(window: Window, _scene: Scene) -> None:
    grant(a_project("elsewhere")[1], "owner", Role.AUDITOR)
    window.goto("/help/keys/")


def attempt(window: Window, name: str, password: str = PASSWORD) -> None:
    """Send the sign-in form."""
    if not window.path.startswith("/sign-in/"):
        window.goto("/sign-in/")
    window.page.get_by_label("Name", exact=True).fill(name)
    window.page.get_by_label("Password", exact=True).fill(password)
    window.click("Sign in")
