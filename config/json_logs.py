"""Logs: JSON lines with names of events and routes; never a path, a value or an error's text."""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor, WrappedLogger

FRAMES: Final = 12


def describe_exception(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Replace an exception by its type and the lines it came through; its text may hold values."""
    raised = event.pop("exc_info", None)
    event.pop("exception", None)
    error = sys.exc_info()[1] if raised is True else raised
    if isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        event["exception"] = f"{type(error).__module__}.{type(error).__qualname__}"
        event["frames"] = [
            f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)[-FRAMES:]
        ]
    return event


def describe_library(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Of a library's own line keep logger and template: its arguments may be paths or values."""
    record: logging.LogRecord = event["_record"]
    template = event["event"]
    event["event"] = record.name
    if event.pop("positional_args", ()):
        event["template"] = template
    return event


def _processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        describe_exception,
    ]


def configure_structlog() -> None:
    """Send what our code logs through the standard library, so that one formatter writes all.

    No line says where in the code it was written, so nobody has to find out ("Optimization" in
    Python's logging HOWTO): a third of what a line costs.
    """
    logging._srcfile = None
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_processors(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_settings(*, level: str) -> dict[str, Any]:
    """The configuration of the standard library's loggers, Django's included."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "use_get_message": False,  # the template, not yet filled in
                "pass_foreign_args": True,
                "foreign_pre_chain": [*_processors(), describe_library],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(),
                ],
            },
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "errata": {"level": level},
            # These bring handlers of their own, which would write each line twice.
            "django": {"handlers": [], "level": "NOTSET", "propagate": True},
            # The request line of our middleware says what a refusal was; paths stay out.
            "django.request": {"level": "ERROR"},
            "django.security": {"level": "CRITICAL"},
            "django.server": {"handlers": [], "level": "CRITICAL", "propagate": False},
            "gunicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
            # Names, types and lines of its faults; it would also tell what clients sent.
            "mcp": {"level": "ERROR"},
            "psycopg": {"level": "ERROR"},
            "psycopg.pool": {"level": "ERROR"},
        },
    }
