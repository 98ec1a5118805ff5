"""Log lines are JSON and hold names only: no path, no value, no text of an error."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from typing import TYPE_CHECKING, Any

import pytest
import structlog

from config.json_logs import logging_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARKER = "marker-of-a-value"


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What is written under the product's configuration, line by line."""
    written = io.StringIO()
    configuration = logging_settings(level="INFO")
    configuration["handlers"]["stderr"]["stream"] = written
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    logging.config.dictConfig(configuration)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.handlers[:], root.level = handlers, level


def test_an_event_is_one_line_with_level_time_and_request_id(
    lines: Callable[[], list[dict[str, Any]]],
) -> None:
    with structlog.contextvars.bound_contextvars(request_id="req_1"):
        structlog.get_logger("errata.access").info("request", route="readyz", status=200)
    (line,) = lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "request_id": "req_1",
        "route": "readyz",
        "status": 200,
    }


def test_an_exception_is_its_type_and_lines_without_its_text(
    lines: Callable[[], list[dict[str, Any]]],
) -> None:
    try:
        int(MARKER)
    except ValueError:
        structlog.get_logger("errata.test").exception("failed")
        logging.getLogger("django.request").exception("Internal Server Error: %s", f"/{MARKER}")
    ours, djangos = lines()
    for line in (ours, djangos):
        assert line["exception"] == "builtins.ValueError"
        assert line["frames"][-1].startswith("test_json_logs.py:")
    assert djangos["event"] == "django.request"
    assert djangos["template"] == "Internal Server Error: %s"
    assert MARKER not in json.dumps([ours, djangos])


def test_refusals_that_django_reports_with_their_path_are_not_logged(
    lines: Callable[[], list[dict[str, Any]]],
) -> None:
    logging.getLogger("django.request").warning("Not Found: %s", f"/{MARKER}")
    logging.getLogger("django.security.DisallowedHost").error(MARKER)
    logging.getLogger("django.security.csrf").warning("Forbidden (%s): %s", "x", f"/{MARKER}")
    logging.getLogger("psycopg.pool").warning("error connecting in %r: %s", "pool-1", MARKER)
    assert lines() == []


def test_a_sentence_that_a_library_has_filled_in_itself_is_left_out(
    lines: Callable[[], list[dict[str, Any]]],
) -> None:
    logging.getLogger("gunicorn.error").warning(f"Invalid request: /{MARKER}")  # noqa: G004
    (line,) = lines()
    assert line["event"] == "gunicorn.error"
    assert MARKER not in json.dumps(line)
