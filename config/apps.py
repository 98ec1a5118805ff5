"""Registers the checks of the installation; `manage.py check --database default` runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.core import checks
from django.db import connections
from typing_extensions import override

from config.database_check import ASKED, QUESTION, age_fault, discretion_faults, durability_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class InstallationConfig(AppConfig):
    """What is configured, seen as an app: it has no models, only checks."""

    name = "config"

    @override
    def ready(self) -> None:
        """Register the checks."""
        checks.register(check_databases, checks.Tags.database)


def check_databases(
    *, databases: Iterable[str] | None = None, app_configs: Sequence[Any] | None = None, **_: Any
) -> list[checks.CheckMessage]:
    """Report databases that are too old, may lose writes, or log what they store."""
    del app_configs
    found: list[checks.CheckMessage] = []
    for alias in databases or ():
        with connections[alias].cursor() as cursor:
            version = cursor.connection.info.server_version
            cursor.execute(QUESTION, [list(ASKED)])
            settings = dict(cursor.fetchall())
        if fault := age_fault(version):
            found.append(checks.Error(fault, id="errata.E001"))
        found += [checks.Warning(fault, id="errata.W001") for fault in durability_faults(settings)]
        found += [checks.Warning(fault, id="errata.W002") for fault in discretion_faults(settings)]
    return found
