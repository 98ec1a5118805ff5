"""`make -s demo-env`: the demo's address and tokens as lines for a shell to evaluate."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import TYPE_CHECKING

from config.home import HomeUnusable, state_folder

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Print the lines. Return 1, with one line saying why, where there is no demo."""
    parser = argparse.ArgumentParser(prog="python -m config.demo_env", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="port of the server (8000)")
    port = parser.parse_args(arguments).port
    try:
        tokens = json.loads((state_folder() / "demo.json").read_text(encoding="utf-8"))["tokens"]
        values = {
            "URL": f"http://127.0.0.1:{port}",
            "TOKEN": tokens["read_write"],
            "READ_TOKEN": tokens["read_only"],
        }
    except (HomeUnusable, OSError, ValueError, LookupError, TypeError):
        sys.stderr.write("There is no demo here; start the server first: make run\n")
        return 1
    for name, value in values.items():
        sys.stdout.write(f"export ERRATA_{name}={shlex.quote(value)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
