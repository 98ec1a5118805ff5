"""The one database: connection parameters, time limits and the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from config.embedded_postgres import connection_parameters
from config.home import state_folder

if TYPE_CHECKING:
    from config.settings.environment import Environment

LIMITS = {
    "lock_timeout": "ERRATA_LOCK_TIMEOUT_MS",
    "statement_timeout": "ERRATA_STATEMENT_TIMEOUT_MS",
    "idle_in_transaction_session_timeout": "ERRATA_IDLE_TRANSACTION_TIMEOUT_MS",
}
#: Pages come from memory or flash. With PostgreSQL's own 4, a page of a small list is collected by
#: bitmap and sorted, where it could be read from its index in order.
PLANNER = "-c random_page_cost=1.1"


def database_settings(environment: Environment) -> dict[str, Any]:
    """Django's settings of the default database, from DATABASE_URL or the embedded server."""
    parameters = environment.database_parameters("DATABASE_URL") or connection_parameters(
        state_folder()
    )
    limits = [
        f"-c {setting}={milliseconds}"
        for setting, name in LIMITS.items()
        if (milliseconds := environment.count(name))
    ]
    connection = {
        "ENGINE": "config.postgresql",
        "NAME": parameters.pop("dbname"),
        "USER": parameters.pop("user", ""),
        "PASSWORD": parameters.pop("password", ""),
        "HOST": parameters.pop("host", ""),
        "PORT": parameters.pop("port", ""),
        "ATOMIC_REQUESTS": False,
        "CONN_HEALTH_CHECKS": False,  # the engine sees to it, without a question a request
    }
    options: dict[str, Any] = {
        "connect_timeout": "5",
        "application_name": "errata",
        # Values are bound by PostgreSQL, and what a connection sends a second time it prepares.
        "server_side_binding": True,
        "prepare_threshold": 5,
        **parameters,
        "options": " ".join([PLANNER, *limits, parameters.get("options", "")]).strip(),
    }
    if most := environment.count("ERRATA_POOL_MAX"):
        options["pool"] = {
            "min_size": min(environment.count("ERRATA_POOL_MIN"), most),
            "max_size": most,
            "timeout": environment.positive("ERRATA_POOL_WAIT_SECONDS"),
            # The pool doubles the pause between attempts to connect. It gives up after a second,
            # and the next call tries anew: so a database that is back is found at once.
            "reconnect_timeout": 1,
        }
    return {**connection, "OPTIONS": options}
