"""`python -m tests.bench.loop`; clients are spawned and import this file alone."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from tests.bench.loop.run import main

    sys.exit(main(sys.argv[1:]))
