"""The environment is parsed in one place, documented in full, and refused by name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.settings.database import database_settings
from config.settings.environment import VARIABLES, Environment

ROOT = Path(__file__).parents[2]
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEF"
PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "ERRATA_SECRET_KEY": SECRET,
    "ERRATA_ALLOWED_HOSTS": "errata.example",
}

#: The routes of the console, in the settings of a process of their own.
ROUTES = (
    "(__import__('django').setup(),"
    "[str(route.pattern) for route in __import__('review.console.urls').console.urls.urlpatterns])"
)


def settings_in(variables: dict[str, str], expression: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a process of their own and print an expression over them."""
    return subprocess.run(
        [sys.executable, "-c", f"from django.conf import settings\nprint({expression})"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **variables},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_every_variable_is_documented_with_its_default_and_meaning() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z_]+)` \| (?:`([^`|]*)`|unset) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(variable.name, variable.default, variable.meaning) for variable in VARIABLES]


def test_the_product_reads_no_variable_that_is_not_registered() -> None:
    sources = [
        file
        for package in ("config", "memory", "feedback", "review")
        for file in (ROOT / package).rglob("*.py")
    ]
    named = {
        name
        for file in sources
        for name in re.findall(r"[\"'](ERRATA_[A-Z_]+)[\"']", file.read_text(encoding="utf-8"))
    }
    assert named <= {variable.name for variable in VARIABLES}


def test_every_default_is_accepted_by_its_own_parser() -> None:
    Environment({}).check()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://user:secret@host/database"),
        ("DATABASE_URL", "postgresql://user:secret@host:port/database"),
        ("DATABASE_URL", "postgresql://user:secret@host/database?nonsense=1"),
        ("DATABASE_URL", "postgresql://user:secret@host"),
        ("ERRATA_SECRET_KEY", "secret"),
        ("ERRATA_ALLOWED_HOSTS", "secret.example,*"),
        ("ERRATA_TRUSTED_ORIGINS", "secret.example"),
        ("ERRATA_INSECURE_COOKIES", "secret"),
        ("ERRATA_SSL_REDIRECT", "2"),
        ("ERRATA_HSTS_SECONDS", "-1"),
        ("ERRATA_PROXY_TLS_HEADER", "secret: 1"),
        ("ERRATA_LOG_LEVEL", "secret"),
        ("ERRATA_POOL_MIN", "1.5"),
        ("ERRATA_POOL_MAX", "many"),
        ("ERRATA_POOL_WAIT_SECONDS", "0"),
        ("ERRATA_LOCK_TIMEOUT_MS", "2s"),
        ("ERRATA_STATEMENT_TIMEOUT_MS", "٣"),
        ("ERRATA_READS_PER_MINUTE", "12345678901"),
        ("ERRATA_WORKERS", "0"),
        ("ERRATA_THREADS", "0"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name_and_never_shown(
    name: str, value: str
) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        Environment({name: value}).check()
    assert name in str(refusal.value)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("missing", ["ERRATA_SECRET_KEY", "ERRATA_ALLOWED_HOSTS"])
def test_production_does_not_start_without_secret_key_and_hosts(missing: str) -> None:
    variables = {name: value for name, value in PRODUCTION.items() if name != missing}
    outcome = settings_in(variables, "settings.DEBUG")
    assert outcome.returncode != 0
    assert f"{missing} must be set" in outcome.stderr


def test_production_insists_on_https_and_hides_cookies_from_plain_http() -> None:
    outcome = settings_in(
        PRODUCTION,
        "[settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS,"
        "settings.SESSION_COOKIE_SECURE, settings.SECURE_PROXY_SSL_HEADER, settings.DEBUG]",
    )
    assert outcome.stdout.strip() == "[True, 31536000, True, None, False]", outcome.stderr


def test_a_proxy_header_counts_only_when_it_is_named() -> None:
    outcome = settings_in(
        PRODUCTION | {"ERRATA_PROXY_TLS_HEADER": "X-Forwarded-Proto"},
        "settings.SECURE_PROXY_SSL_HEADER",
    )
    assert outcome.stdout.strip() == "('HTTP_X_FORWARDED_PROTO', 'https')", outcome.stderr


def test_an_address_becomes_connection_parameters_limits_and_a_pool() -> None:
    address = "postgresql://ann:p%40ss@db.example:5433/facts?sslmode=require&options=-c%20jit%3Doff"
    assert database_settings(Environment({"DATABASE_URL": address})) == {
        "ENGINE": "config.postgresql",
        "NAME": "facts",
        "USER": "ann",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "5433",
        "ATOMIC_REQUESTS": False,
        "CONN_HEALTH_CHECKS": False,
        "OPTIONS": {
            "connect_timeout": "5",
            "application_name": "errata",
            "server_side_binding": True,
            "prepare_threshold": 5,
            "sslmode": "require",
            "options": "-c random_page_cost=1.1 -c lock_timeout=2000 -c statement_timeout=10000 "
            "-c idle_in_transaction_session_timeout=30000 -c jit=off",
            "pool": {"min_size": 1, "max_size": 8, "timeout": 2, "reconnect_timeout": 1},
        },
    }


def test_limits_and_pool_can_be_switched_off() -> None:
    switched_off = {
        "DATABASE_URL": "postgresql:///facts",
        "ERRATA_POOL_MAX": "0",
        "ERRATA_LOCK_TIMEOUT_MS": "0",
        "ERRATA_STATEMENT_TIMEOUT_MS": "0",
        "ERRATA_IDLE_TRANSACTION_TIMEOUT_MS": "0",
    }
    options = database_settings(Environment(switched_off))["OPTIONS"]
    assert options["options"] == "-c random_page_cost=1.1"
    assert "pool" not in options


def test_the_tests_run_the_middleware_of_production() -> None:
    expression = "settings.MIDDLEWARE"
    production = settings_in(PRODUCTION, expression)
    tests = settings_in({"DJANGO_SETTINGS_MODULE": "config.settings.test"}, expression)
    assert production.stdout == tests.stdout
    assert production.returncode == tests.returncode == 0


@pytest.mark.parametrize(("module", "found"), [("base", 0), ("production", 0), ("test", 1)])
def test_the_page_of_components_stands_at_no_address_of_an_installation(
    module: str, found: int
) -> None:
    variables = {
        **PRODUCTION,
        "DJANGO_SETTINGS_MODULE": f"config.settings.{module}",
        "DEBUG": "1",
        "COMPONENTS_PAGE": "1",
    }
    outcome = settings_in(variables, ROUTES)
    assert outcome.stdout.count("_components/") == found, outcome.stderr
    assert "sign-in/" in outcome.stdout
