#!/usr/bin/env python
"""Errata's command line: commands work whether the server runs or not."""

from __future__ import annotations

import sys

from config.command_line import main

if __name__ == "__main__":
    main(sys.argv)
