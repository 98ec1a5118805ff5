"""`rcp --stdio`: serve RCP over standard input and output, as the credential in ERRATA_TOKEN."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from feedback.rcp.stdio import StdioServer

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

TOKEN = "ERRATA_TOKEN"  # noqa: S105 - the name of a variable


class Command(BaseCommand):
    """Serve one client."""

    help = (
        "Serve the Retrieval Context Protocol to the program that started this one: one JSON-RPC"
        " frame a line. The token of a credential is read from the variable ERRATA_TOKEN."
    )
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the transport, which has to be named since there may be others."""
        parser.add_argument(
            "--stdio", action="store_true", required=True, help="Serve over the standard streams."
        )

    @override
    def handle(self, *_: Any, **__: Any) -> None:
        """Serve until the input ends or the client shuts down."""
        token = os.environ.get(TOKEN, "")
        if not token:
            raise CommandError(f"Set {TOKEN} to the token of a credential.", returncode=2)
        try:
            StdioServer(token).serve(sys.stdin.buffer, sys.stdout.buffer)
        except BrokenPipeError:  # the client is gone; nothing may be flushed to it at the exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
