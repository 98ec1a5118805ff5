"""The environment: every variable that Errata reads, parsed in one place, refused by its name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TYPE_CHECKING, Final

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

TRUE_WORDS: Final = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS: Final = frozenset({"0", "false", "no", "off"})
LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
SECRET_CHARACTERS: Final = 50
HEADER_PATTERN: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable as `docs/settings.md` lists it; an empty value counts as unset."""

    name: str
    form: str  # the method of Environment that parses it
    default: str
    meaning: str


VARIABLES: Final = (
    Variable(
        "DATABASE_URL",
        "database_parameters",
        "",
        "PostgreSQL to use, `postgresql://user:password@host:port/database`, version 15 or newer. "
        "Unset: the embedded PostgreSQL below `ERRATA_HOME`.",
    ),
    Variable(
        "ERRATA_HOME",
        "text",
        "",
        "Folder of all state. Unset: `errata` in the user's data folder (`XDG_DATA_HOME` or "
        "`~/.local/share`), for root `/var/lib/errata`.",
    ),
    Variable(
        "ERRATA_SECRET_KEY",
        "secret_key",
        "",
        "Signs sessions and cursors, at least 50 characters. Production refuses to start without "
        "it; `make run` makes one and keeps it in `ERRATA_HOME`.",
    ),
    Variable(
        "ERRATA_SECRET_KEY_FALLBACKS",
        "words",
        "",
        "Earlier secret keys, separated by commas, still accepted while a new one is brought in.",
    ),
    Variable(
        "ERRATA_ALLOWED_HOSTS",
        "hosts",
        "",
        "Host names that the server answers to, separated by commas, no `*`. Production refuses "
        "to start without it. Unset elsewhere: `127.0.0.1,localhost`.",
    ),
    Variable(
        "ERRATA_TRUSTED_ORIGINS",
        "origins",
        "",
        "Further origins whose forms are accepted, with scheme, separated by commas; needed when "
        "a proxy changes the host.",
    ),
    Variable(
        "ERRATA_INSECURE_COOKIES",
        "flag",
        "false",
        "Send cookies over plain HTTP too. `make run` sets it, since it serves the loopback "
        "address only.",
    ),
    Variable(
        "ERRATA_SSL_REDIRECT",
        "flag",
        "true",
        "In production, answer plain HTTP with a redirect to HTTPS, health routes excepted.",
    ),
    Variable(
        "ERRATA_HSTS_SECONDS",
        "count",
        "31536000",
        "In production, how long browsers insist on HTTPS; 0 sends no such header.",
    ),
    Variable(
        "ERRATA_TRUSTED_PROXIES",
        "networks",
        "",
        "Addresses or networks of the proxies whose forwarded headers count, separated by commas, "
        "such as `10.0.0.5,192.168.7.0/24`. Unset: forwarded headers are dropped.",
    ),
    Variable(
        "ERRATA_PROXY_TLS_HEADER",
        "proxy_header",
        "",
        "Header in which a trusted proxy says `https`, such as `X-Forwarded-Proto`.",
    ),
    Variable(
        "ERRATA_STATIC_ROOT",
        "text",
        "",
        "Folder of collected static files. Unset: `static` in `ERRATA_HOME`.",
    ),
    Variable(
        "ERRATA_LOG_LEVEL",
        "log_level",
        "INFO",
        "`DEBUG`, `INFO`, `WARNING` or `ERROR`; logs are JSON lines on standard error.",
    ),
    Variable(
        "ERRATA_POOL_MIN", "count", "1", "Database connections that each server process keeps open."
    ),
    Variable(
        "ERRATA_POOL_MAX",
        "count",
        "8",
        "Database connections that each server process opens at most; 0 switches the pool off.",
    ),
    Variable(
        "ERRATA_POOL_WAIT_SECONDS",
        "positive",
        "2",
        "How long a call waits for a connection before it is 503.",
    ),
    Variable(
        "ERRATA_LOCK_TIMEOUT_MS",
        "count",
        "2000",
        "How long a statement waits for a lock; 0 waits for ever.",
    ),
    Variable(
        "ERRATA_STATEMENT_TIMEOUT_MS",
        "count",
        "10000",
        "How long a statement may run; 0 has no limit.",
    ),
    Variable(
        "ERRATA_IDLE_TRANSACTION_TIMEOUT_MS",
        "count",
        "30000",
        "After what time PostgreSQL ends a transaction in which nothing happens; 0 never does.",
    ),
    Variable(
        "ERRATA_READS_PER_MINUTE",
        "count",
        "120000",
        "Reads of one credential a minute and process; 0 switches the limit off.",
    ),
    Variable(
        "ERRATA_WRITES_PER_MINUTE",
        "count",
        "30000",
        "Writes of one credential a minute and process; 0 switches the limit off.",
    ),
    Variable(
        "ERRATA_FAILED_AUTHENTICATIONS_PER_MINUTE",
        "count",
        "300",
        "Failed authentications of one client address a minute and process; 0 switches the limit "
        "off.",
    ),
    Variable("ERRATA_WORKERS", "positive", "2", "Server processes of `make run`."),
    Variable("ERRATA_THREADS", "positive", "4", "Threads of each server process of `make run`."),
    Variable(
        "ERRATA_TOKEN",
        "text",
        "",
        "Token of the credential as which `rcp --stdio` and `mcp --stdio` act.",
    ),
)
NAMES: Final = {variable.name: variable for variable in VARIABLES}


class Environment:
    """Typed access to the variables above. Refusals name the variable, never its value."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables

    def check(self) -> None:
        """Parse every variable, so that a fault shows before anything is started."""
        for variable in VARIABLES:
            getattr(self, variable.form)(variable.name)

    def text(self, name: str) -> str:
        """The value, or the documented default."""
        return self._variables.get(name, "").strip() or NAMES[name].default

    def required(self, name: str, why: str) -> str:
        """The value of a variable that has no default here."""
        value = self.text(name)
        if not value:
            raise ImproperlyConfigured(f"{name} must be set: {why}")
        return value

    def flag(self, name: str) -> bool:
        """A boolean, written as true or false, 1 or 0, yes or no, on or off."""
        word = self.text(name).lower()
        if word in TRUE_WORDS:
            return True
        if word in FALSE_WORDS:
            return False
        raise ImproperlyConfigured(f"{name} must be true or false.")

    def count(self, name: str) -> int:
        """A whole number, 0 included."""
        value = self.text(name)
        if not re.fullmatch(r"[0-9]{1,10}", value, re.ASCII):
            raise ImproperlyConfigured(f"{name} must be a whole number, such as 10.")
        return int(value)

    def positive(self, name: str) -> int:
        """A whole number of at least 1."""
        number = self.count(name)
        if not number:
            raise ImproperlyConfigured(f"{name} must be at least 1.")
        return number

    def words(self, name: str) -> list[str]:
        """A list separated by commas."""
        return [word.strip() for word in self.text(name).split(",") if word.strip()]

    def log_level(self, name: str) -> str:
        """One of the documented levels."""
        level = self.text(name).upper()
        if level not in LOG_LEVELS:
            raise ImproperlyConfigured(f"{name} must be one of {', '.join(LOG_LEVELS)}.")
        return level

    def hosts(self, name: str) -> list[str]:
        """Host names; a wildcard would let any Host header through."""
        hosts = self.words(name)
        if "*" in hosts:
            raise ImproperlyConfigured(f"{name} must name hosts, not *.")
        return hosts

    def origins(self, name: str) -> list[str]:
        """Origins with scheme and host, without a path."""
        origins = self.words(name)
        if not all(re.fullmatch(r"https?://[^/\s]+", origin) for origin in origins):
            raise ImproperlyConfigured(f"{name} must list origins such as https://errata.example.")
        return origins

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Addresses and networks."""
        try:
            return tuple(ip_network(word) for word in self.words(name))
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} must list addresses or networks such as 10.0.0.0/8."
            ) from None

    def secret_key(self, name: str) -> str:
        """A secret key that is long enough to sign with, or an empty text."""
        value = self.text(name)
        if value and len(value) < SECRET_CHARACTERS:
            raise ImproperlyConfigured(f"{name} must have at least {SECRET_CHARACTERS} characters.")
        return value

    def proxy_header(self, name: str) -> tuple[str, str] | None:
        """What Django's SECURE_PROXY_SSL_HEADER wants, or None."""
        header = self.text(name)
        if not header:
            return None
        if not HEADER_PATTERN.fullmatch(header):
            raise ImproperlyConfigured(f"{name} must be the name of a header.")
        return f"HTTP_{header.upper().replace('-', '_')}", "https"

    def database_parameters(self, name: str) -> dict[str, str]:
        """The connection parameters of a PostgreSQL address; an empty dictionary when unset."""
        address = self.text(name)
        return parse_database_url(address, name=name) if address else {}


def parse_database_url(address: str, *, name: str = "DATABASE_URL") -> dict[str, str]:
    """The connection parameters in a PostgreSQL address, as libpq names them."""
    refusal = ImproperlyConfigured(
        f"{name} must be like postgresql://user:password@host:port/database."
    )
    if not address.startswith(("postgresql://", "postgres://")):
        raise refusal
    try:
        parameters = {key: str(value) for key, value in conninfo_to_dict(address).items()}
    except (ProgrammingError, UnicodeError):
        raise refusal from None  # libpq's own sentence may hold the password
    if not parameters.get("port", "5432").isdecimal() or not parameters.get("dbname"):
        raise refusal
    return parameters
