"""The regression gate: python scripts/regression_gate.py [overrides of `rageval gate`]."""

import sys

from rageval.cli.main import run_command

if __name__ == "__main__":
    sys.exit(run_command(["gate", *sys.argv[1:]]))
