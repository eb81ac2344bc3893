"""The promotion: python scripts/promote.py [overrides of `rageval promote`]."""

import sys

from rageval.cli.main import run_command

if __name__ == "__main__":
    sys.exit(run_command(["promote", *sys.argv[1:]]))
