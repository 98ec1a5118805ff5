"""`make run`: PostgreSQL and the web server of one machine, started, watched and stopped."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from django.core.exceptions import ImproperlyConfigured

from config.child import REFUSED, command, die_with_parent
from config.embedded_postgres import EmbeddedPostgres, database_url
from config.home import HomeUnusable, prepare_home, read_secret, state_folder
from config.postgres_cluster import PostgresUnavailable
from config.settings.environment import Environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOST: Final = "127.0.0.1"
OWNER_SECONDS: Final = 5
STOP_SECONDS: Final = 15
#: What a server for one machine, on its loopback address and without TLS, sets unless told else.
LOCAL_SETTINGS: Final = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "ERRATA_ALLOWED_HOSTS": "127.0.0.1,localhost",
    "ERRATA_INSECURE_COOKIES": "true",
    "ERRATA_SSL_REDIRECT": "false",
    "ERRATA_HSTS_SECONDS": "0",
}


class StartRefused(Exception):
    """The server cannot start. The message is one sentence for the operator, if one is missing."""


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal comes; 0 after a clean stop, 1 after one line about what is wrong."""
    options = _parse(arguments)
    if options.die_with_parent:
        die_with_parent(signal.SIGTERM)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    try:
        _serve(options.port, stop)
    except (StartRefused, HomeUnusable, PostgresUnavailable, ImproperlyConfigured) as refusal:
        sys.stderr.write(f"{refusal}\n" if refusal.args else "")
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m config.serve", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="port on 127.0.0.1 (8000)")
    parser.add_argument(
        "--die-with-parent", action="store_true", help="stop when the process that started it dies"
    )
    return parser.parse_args(arguments)


def _serve(port: int, stop: threading.Event) -> None:
    _refuse_used_port(port)
    Environment().check()
    home = prepare_home(state_folder())
    for name, value in LOCAL_SETTINGS.items():
        os.environ[name] = os.environ.get(name) or value
    if not os.environ.get("ERRATA_SECRET_KEY"):
        os.environ["ERRATA_SECRET_KEY"] = read_secret(home / "secret_key")
    with ExitStack() as stack:
        postgres = None
        if not Environment().database_parameters("DATABASE_URL"):
            postgres = EmbeddedPostgres(home)
            stack.callback(postgres.stop)
            _start_postgres(postgres, home)
            os.environ["DATABASE_URL"] = database_url(home)
        web = _start_web_server(port)
        stack.callback(_stop_web_server, web)
        _await_ready(web, port, stop)
        if not stop.is_set():
            sys.stdout.write(f"Errata is ready: http://{HOST}:{port}\n{_sign_ins(home)}")
            sys.stdout.flush()
        _watch(web, postgres, stop)


def _refuse_used_port(port: int) -> None:
    """Say that a port is taken before anything is made; gunicorn binds it later."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen(1)
        except (OSError, OverflowError) as error:
            reason = "is in use" if isinstance(error, OSError) else "is no port"
            if isinstance(error, PermissionError):
                reason = "needs more rights"
            raise StartRefused(
                f"Port {port} {reason}; choose another one, as in: make run PORT=8001"
            ) from None


def _start_postgres(postgres: EmbeddedPostgres, home: Path) -> None:
    """Own the server of the state folder and start it; a command may be about to let go of it."""
    deadline = time.monotonic() + OWNER_SECONDS
    while not postgres.try_to_own():
        if time.monotonic() > deadline:
            raise StartRefused(
                f"Another Errata uses {home}; stop it, or set ERRATA_HOME to another folder."
            )
        time.sleep(0.05)
    postgres.start()


def _start_web_server(port: int) -> subprocess.Popen[bytes]:
    program = [
        sys.executable,
        *("-m", "gunicorn"),
        *("--config", "python:config.supervised_server"),
        *("--bind", f"{HOST}:{port}"),
    ]
    return subprocess.Popen(  # noqa: S603 - the program is ours, and no shell reads it
        command(program, last_signal=signal.SIGTERM, account=None),
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches us alone, and we stop in order
    )


def _stop_web_server(web: subprocess.Popen[bytes]) -> None:
    if web.poll() is None:
        web.terminate()
        try:
            web.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            web.kill()
            web.wait()


def _await_ready(web: subprocess.Popen[bytes], port: int, stop: threading.Event) -> None:
    """Wait, as long as loading the demo takes, until the server says that it can work."""
    while not stop.is_set() and not _is_ready(port):
        if web.poll() == REFUSED:
            raise StartRefused  # the web server has said why
        if web.poll() is not None:
            raise StartRefused("The web server did not start; its messages stand above.")
        stop.wait(0.05)


def _is_ready(port: int) -> bool:
    request = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        request.request("GET", "/readyz")
        return request.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        request.close()


def _sign_ins(home: Path) -> str:
    """The demo's sign-ins and tokens, as `load_demo` left them in the state folder."""
    try:
        demo = json.loads((home / "demo.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    lines = [f"Demo sign-ins and tokens, kept in {home / 'demo.json'}:"]
    lines += [
        f"  {user['username']:<10} {user['password']}  {', '.join(user['roles'])}"
        for user in demo["users"]
    ]
    lines += [f"  {access:<10} {token}" for access, token in demo["tokens"].items()]
    return "\n".join(lines) + "\n"


def _watch(
    web: subprocess.Popen[bytes], postgres: EmbeddedPostgres | None, stop: threading.Event
) -> None:
    """Start PostgreSQL again when it dies; give up when the web server does."""
    while not stop.wait(0.2):
        if web.poll() is not None:
            raise StartRefused("The web server ended by itself.")
        if postgres is not None and not postgres.is_alive():
            sys.stderr.write("PostgreSQL ended by itself; starting it again.\n")
            postgres.start()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
