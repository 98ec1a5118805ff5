"""`mcp --stdio`: the tools for a program that starts its servers itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

TOKEN_VARIABLE: Final = "ERRATA_TOKEN"  # noqa: S105 - a name
_USAGE: Final = 2


class Command(BaseCommand):
    """Serve the tools over standard input and output."""

    help = (
        "Serve the MCP tools over standard input and output, with the token in the environment"
        f" variable {TOKEN_VARIABLE}. Over HTTP the server offers them at /mcp."
    )
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add `--stdio`."""
        parser.add_argument(
            "--stdio", action="store_true", required=True, help="The one transport of this command."
        )

    @override
    def handle(self, *_: Any, **__: Any) -> None:
        """Answer frames until the input ends."""
        token = os.environ.get(TOKEN_VARIABLE, "")
        if not token:
            raise CommandError(
                f"Set {TOKEN_VARIABLE} to the token of a credential.", returncode=_USAGE
            )
        from feedback.mcp.stdio import serve  # noqa: PLC0415 - the SDK costs 40 MB and a second

        serve(token)
