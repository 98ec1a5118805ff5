"""Gunicorn's settings: `gunicorn --config python:config.web_server config.wsgi`."""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, NoReturn

from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import make_conninfo

from config.child import REFUSED
from config.database_check import DatabaseUnfit, require_fit
from config.embedded_postgres import connection_parameters
from config.home import state_folder
from config.json_logs import logging_settings
from config.settings.environment import Environment

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.workers.gthread import ThreadWorker

ENVIRONMENT = Environment()

wsgi_app = "config.wsgi"
worker_class = "gthread"
workers = ENVIRONMENT.positive("ERRATA_WORKERS")
threads = ENVIRONMENT.positive("ERRATA_THREADS")
timeout = 60
graceful_timeout = 10
keepalive = 5
# No header of a client is believed; Django looks at the one that ERRATA_PROXY_TLS_HEADER names.
forwarded_allow_ips = ""
control_socket_disable = True
accesslog = None  # it would hold paths; the request line of our middleware holds route names
logconfig_dict = logging_settings(level=ENVIRONMENT.log_level("ERRATA_LOG_LEVEL"))


def on_starting(server: Arbiter) -> None:  # noqa: ARG001 - gunicorn passes it
    """Refuse to serve from a database that is too old or may lose what it acknowledged."""
    try:
        parameters = ENVIRONMENT.database_parameters("DATABASE_URL")
        require_fit(make_conninfo("", **(parameters or connection_parameters(state_folder()))))
    except (ImproperlyConfigured, DatabaseUnfit) as error:
        refuse(str(error))


def post_worker_init(worker: ThreadWorker) -> None:  # noqa: ARG001 - gunicorn passes it
    """Load the SDK behind `/mcp` aside: a second of work that no first caller should wait for."""
    Thread(target=import_module, args=["mcp.server"], daemon=True).start()


def refuse(sentence: str) -> NoReturn:
    """End with one line and the status that says so."""
    sys.stderr.write(f"{sentence}\n")
    sys.exit(REFUSED)
