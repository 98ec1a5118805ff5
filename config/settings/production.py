"""Settings of a real installation: refuses to start without a secret key and allowed hosts."""

from __future__ import annotations

from config.settings.base import *  # noqa: F403 - a settings module is the sum of its base
from config.settings.base import ENVIRONMENT

COMPONENTS_PAGE = False  # not the environment's to choose

ENVIRONMENT.required("ERRATA_SECRET_KEY", "at least 50 random characters that nobody else knows.")
ENVIRONMENT.required("ERRATA_ALLOWED_HOSTS", "the host names of this server, comma-separated.")

SECURE_SSL_REDIRECT = ENVIRONMENT.flag("ERRATA_SSL_REDIRECT")
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # probes speak plain HTTP
SECURE_HSTS_SECONDS = ENVIRONMENT.count("ERRATA_HSTS_SECONDS")
SECURE_PROXY_SSL_HEADER = ENVIRONMENT.proxy_header("ERRATA_PROXY_TLS_HEADER")
